"""CTSS: the paper's score-based learner, which takes the parent set of the highest score."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from ctbnlab import seeds
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.errors import InputError
from ctbnlab.learning.contract import Evidence, NodeResult, Steps, last_of
from ctbnlab.learning.ctss.search import (
    Found,
    ParentSetScores,
    best,
    exhaustive,
    focus_on_all,
    hill_climb,
    n_occurring,
    tolerance,
)
from ctbnlab.learning.estimator import Estimator
from ctbnlab.learning.knowledge import NodeKnowledge
from ctbnlab.learning.scores.base import Score
from ctbnlab.learning.scores.bde import Bde, Hyperparameters
from ctbnlab.learning.scores.information import Aic, Bic, LogLikelihood
from ctbnlab.model.cims import n_configurations

SCORES: dict[str, Callable[[Hyperparameters], Score]] = {
    "bde": Bde,
    "bic": lambda _: Bic(),
    "aic": lambda _: Aic(),
    "log-likelihood": lambda _: LogLikelihood(),
}
SEARCHES = ("hill-climbing", "exhaustive")
EXHAUSTIVE_MAX_PARENTS = 3


@dataclass(frozen=True)
class Ctss(Estimator):
    """Finds the parent set of the highest score, node by node.

    `score` is a name ("bde", "bic", "aic", "log-likelihood") or an object of one's own with the contract
    of `scores.base`; `alpha`, `tau` and `prior` are BDe's (see `scores.bde`). The structure prior is
    uniform, or falls by exp(−`penalty`) with each parent. `max_parents` counts required parents; where it
    is not given, hill climbing has no limit and exhaustive search one of 3. `tabu`, `restarts` (from
    random parent sets that `seed` determines) are of hill climbing.
    """

    score: str | Score = "bde"
    search: str = "hill-climbing"
    max_parents: int | None = None
    tau: float = 1.0
    alpha: float = 1.0
    prior: str = "constant"
    penalty: float = 0.0
    tabu: int = 0
    restarts: int = 0
    seed: int = 0

    citation: ClassVar[str] = (
        "U. Nodelman, C. R. Shelton, D. Koller (2003). Learning continuous time Bayesian networks. "
        "Proceedings of the 19th Conference on Uncertainty in Artificial Intelligence, 451–458."
    )

    def __post_init__(self) -> None:
        if isinstance(self.score, str) and self.score not in SCORES:
            raise InputError(f"there is no score {self.score!r}; there are {', '.join(SCORES)}")
        if self.search not in SEARCHES:
            raise InputError(f"there is no search {self.search!r}; there are {', '.join(SEARCHES)}")
        Hyperparameters(self.alpha, self.tau, self.prior)
        if not 0 <= self.penalty < math.inf:
            raise InputError(f"the penalty must be a number of at least 0, not {self.penalty}")
        for name in ("tabu", "restarts", "seed", "max_parents"):
            value = getattr(self, name)
            if name == "max_parents" and value is None:
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise InputError(f"{name} must be a whole number of at least 0, not {value!r}")
        if self.search == "exhaustive" and (self.tabu or self.restarts):
            raise InputError("an exhaustive search takes neither tabu nor restarts: it misses nothing")

    @property
    def wants_pairs(self) -> bool:
        """Whether single candidates are counted beforehand: an exhaustive search has larger tables."""
        return self.search != "exhaustive"

    def learn_in_steps(self, statistics: NodeStatistics, knowledge: NodeKnowledge) -> Steps:
        """Say which parent sets an exhaustive search asks for, and search."""
        space = self._space(knowledge)
        scores = ParentSetScores(statistics, self._score(), self.penalty)
        if self.search == "exhaustive":
            focus_on_all(statistics, space)
            yield
            found = exhaustive(scores, space)
        else:
            found = self._climb(scores, space)
        return NodeResult(
            target=statistics.target,
            parents=found.parents,
            evidence=_evidence(scores, space, found),
            counts={"scores": len(scores.known), "steps": found.steps},
            notes=_notes(statistics, found),
        )

    def learn_node(self, statistics: NodeStatistics, knowledge: NodeKnowledge) -> NodeResult:
        """Return the parents of `statistics.target`."""
        return last_of(self.learn_in_steps(statistics, knowledge))

    def _score(self) -> Score:
        if isinstance(self.score, str):
            return SCORES[self.score](Hyperparameters(self.alpha, self.tau, self.prior))
        return self.score

    def _space(self, knowledge: NodeKnowledge) -> NodeKnowledge:
        """Return the knowledge with the tighter of its own limit on parents and the learner's."""
        limit = self.max_parents
        required = len(knowledge.required)
        if limit is None and self.search == "exhaustive":
            limit = max(EXHAUSTIVE_MAX_PARENTS, required)
        if limit is None:
            return knowledge
        if limit < required:
            raise InputError(f"{required} parents are required, but max_parents allows {limit}")
        if knowledge.max_parents is not None:
            limit = min(limit, knowledge.max_parents)
        return replace(knowledge, max_parents=limit)

    def _climb(self, scores: ParentSetScores, space: NodeKnowledge) -> Found:
        """Climb from the required parents, and again from random sets about as large as the best."""
        tops = [hill_climb(scores, space, space.required, self.tabu)]
        most = min(space.room, len(tops[0].parents) - len(space.required) + 2)
        for restart in range(self.restarts if most else 0):
            # Keyed by the node, not drawn in a row: other nodes and their order change nothing.
            draw = seeds.generator(self.seed, "ctss", scores.statistics.target, restart)
            chosen = draw.choice(space.candidates, int(draw.integers(1, most, endpoint=True)), replace=False)
            start = tuple(sorted((*space.required, *chosen.tolist())))
            tops.append(hill_climb(scores, space, start, self.tabu))
        winner = best({top.parents: scores.known[top.parents] for top in tops})
        found = next(top for top in tops if top.parents == winner)
        return replace(found, steps=sum(top.steps for top in tops))


def _evidence(scores: ParentSetScores, space: NodeKnowledge, found: Found) -> tuple[Evidence, ...]:
    """Say for every other variable what its arc is worth: what the score loses or would gain."""
    parents = found.parents
    score = scores.of_table(found.table)
    absent = [j for j in space.candidates if j not in parents]
    unknown = [j for j in absent if tuple(sorted((*parents, j))) not in scores.known]
    scores.extend(parents, unknown)
    full = len(parents) == len(space.required) + space.room
    evidence = []
    for j in scores.statistics.candidates:
        if j in parents:
            gain = score - scores.of_marginal(found.table, tuple(p for p in parents if p != j))
            why = "required" if j in space.required else "raises the score"
            evidence.append(Evidence(j, kept=True, why=why, gain=gain))
        elif j in absent:
            gain = scores.known[tuple(sorted((*parents, j)))] - score
            if gain > tolerance(score) and full:
                why = f"no room: at most {space.max_parents} parents"
            else:
                why = "takes one state only" if scores.states_seen[j] <= 1 else "does not raise the score"
            evidence.append(Evidence(j, kept=False, why=why, gain=gain))
        else:
            evidence.append(Evidence(j, kept=False, why="forbidden"))
    return tuple(evidence)


def _notes(statistics: NodeStatistics, found: Found) -> tuple[str, ...]:
    """Say what the data could not tell about this target."""
    table = found.table
    notes = []
    states = statistics.data.variables[statistics.target].states
    if table.n_states == 1:
        notes.append("the variable has one state: no parent can matter")
    elif not table.transitions.any():
        notes.append("the variable never changes: the data do not tell its parents")
    unseen = [s for s, time in zip(states, table.time.sum(axis=0), strict=True) if not time > 0]
    if unseen:
        notes.append(f"states never visited: {', '.join(unseen)}")
    configurations = n_configurations(table.parent_cardinalities)
    unseen_configurations = configurations - n_occurring(table)
    if unseen_configurations and found.parents:
        notes.append(f"{unseen_configurations} of {configurations} parent configurations never occur")
    return tuple(notes)
