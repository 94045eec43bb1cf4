"""CTSS, the paper's score-based learner, which takes the parent set of the highest score."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from ctbnlab import seeds
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.errors import InputError
from ctbnlab.learning.contract import NEVER_CHANGES, OVER_LIMIT, Evidence, Finish, NodeResult, TwoStage
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
from ctbnlab.learning.plugins import is_file
from ctbnlab.learning.scores.base import Score
from ctbnlab.learning.scores.bde import Bde, Hyperparameters
from ctbnlab.learning.scores.from_file import score_in_file
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


@dataclass(frozen=True, repr=False)
class Ctss(TwoStage, Estimator):
    """Finds the parent set of the highest score, node by node.

    `criterion` is the name of a score ("bde", "bic", "aic", "log-likelihood") or your own one with the
    contract of `Score`, as an object or a Python file with its class; `alpha`, `tau` and `prior` are
    parameters of BDe. The structure prior is uniform, or falls by exp(−`penalty`) with each parent.
    `max_parents` includes required parents; without it, hill climbing has no limit and exhaustive search a
    limit of 3. `tabu` and `restarts` (from random parent sets that `seed` determines) apply to hill climbing.
    """

    criterion: str | Score = "bde"
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
        if isinstance(self.criterion, str) and self.criterion not in SCORES and not is_file(self.criterion):
            raise InputError(
                f"unknown score {self.criterion!r}; choose {', '.join(SCORES)}, or give your own file.py"
            )
        if self.search not in SEARCHES:
            raise InputError(f"unknown search {self.search!r}; choose {', '.join(SEARCHES)}")
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
            raise InputError(
                "tabu and restarts apply to hill climbing only; an exhaustive search misses nothing"
            )

    @property
    def wants_pairs(self) -> bool:
        """Whether to count single candidates beforehand; an exhaustive search uses larger tables."""
        return self.search != "exhaustive"

    def prepare(self, statistics: NodeStatistics, knowledge: NodeKnowledge) -> Finish:
        """Announce which parent sets an exhaustive search will ask for."""
        space = self._space(knowledge)
        scores = ParentSetScores(statistics, self.parent_set_score, self.penalty)
        if self.search == "exhaustive":
            focus_on_all(statistics, space)

        def finish() -> NodeResult:
            found = exhaustive(scores, space) if self.search == "exhaustive" else self._climb(scores, space)
            return NodeResult(
                target=statistics.target,
                parents=found.parents,
                evidence=_evidence(scores, space, found),
                counts={"scores": len(scores.known), "steps": found.steps},
                notes=_notes(statistics, found),
            )

        return finish

    @cached_property
    def parent_set_score(self) -> Score:
        """The score that the search uses."""
        if not isinstance(self.criterion, str):
            return self.criterion
        if is_file(self.criterion):
            return score_in_file(self.criterion)
        return SCORES[self.criterion](Hyperparameters(self.alpha, self.tau, self.prior))

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
        """Climb from the required parents, and again from random sets of about the size of the best."""
        peaks = [hill_climb(scores, space, space.required, self.tabu)]
        max_size = min(space.max_additions, len(peaks[0].parents) - len(space.required) + 2)
        for restart in range(self.restarts if max_size else 0):
            # Keyed by the node, so that other nodes and their order change nothing.
            draw = seeds.generator(self.seed, "ctss", scores.statistics.target, restart)
            chosen = draw.choice(
                space.candidates, int(draw.integers(1, max_size, endpoint=True)), replace=False
            )
            start = tuple(sorted((*space.required, *chosen.tolist())))
            peaks.append(hill_climb(scores, space, start, self.tabu))
        winner = best({peak.parents: scores.known[peak.parents] for peak in peaks})
        found = next(peak for peak in peaks if peak.parents == winner)
        return replace(found, steps=sum(peak.steps for peak in peaks))


def _evidence(scores: ParentSetScores, space: NodeKnowledge, found: Found) -> tuple[Evidence, ...]:
    """Return for every other variable what its arc is worth: the score lost or gained."""
    parents = found.parents
    score = scores.score_table(found.table)
    absent = [j for j in space.candidates if j not in parents]
    unknown = [j for j in absent if tuple(sorted((*parents, j))) not in scores.known]
    scores.extend(parents, unknown)
    full = len(parents) == len(space.required) + space.max_additions
    evidence = []
    for j in scores.statistics.candidates:
        if j in parents:
            gain = score - scores.score_marginal(found.table, tuple(p for p in parents if p != j))
            why = "required" if j in space.required else "raises the score"
            evidence.append(Evidence(j, kept=True, why=why, gain=gain))
        elif j in absent:
            gain = scores.known[tuple(sorted((*parents, j)))] - score
            if gain > tolerance(score) and full:
                why = OVER_LIMIT
            else:
                why = "has one state only" if scores.states_seen[j] <= 1 else "does not raise the score"
            evidence.append(Evidence(j, kept=False, why=why, gain=gain))
        else:
            evidence.append(Evidence(j, kept=False, why="forbidden"))
    return tuple(evidence)


def _notes(statistics: NodeStatistics, found: Found) -> tuple[str, ...]:
    """Return what the data cannot show about this target."""
    table = found.table
    notes = []
    states = statistics.variables[statistics.target].states
    if table.n_states == 1:
        notes.append("the variable has one state: no parent can matter")
    elif not table.transitions.any():
        notes.append(NEVER_CHANGES)
    unseen = [s for s, time in zip(states, table.time.sum(axis=0), strict=True) if not time > 0]
    if unseen:
        notes.append(f"states never visited: {', '.join(unseen)}")
    configurations = n_configurations(table.parent_cardinalities)
    unseen_configurations = configurations - n_occurring(table)
    if unseen_configurations and found.parents:
        notes.append(f"{unseen_configurations} of {configurations} parent configurations never occur")
    return tuple(notes)
