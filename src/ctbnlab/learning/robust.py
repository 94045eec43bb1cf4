"""Learning again where the model checks warn: with clocks, and with trajectories at their own pace.

The checks of a learned graph ask for remedies. Rates that change with time since entry or with the date, and
waits that are not exponential, ask for clocks. If all rates of a trajectory are multiplied by a factor, its
time runs faster or slower: dividing the factor out of the time (`paced`) removes it. The graph is learned
again with these, until the checks ask for nothing new. Arcs that went were explained by what was taken in.

Trajectories can differ in other ways. If they do, each arc that stays gets a strength with the variance taken
between trajectories (`between_trajectories`), and those that do not survive it are marked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.prepare import prepare
from ctbnlab.data.role_request import RoleRequest
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.learning.between_trajectories import MIN_TRAJECTORIES, MIN_Z, arc_z
from ctbnlab.learning.checks import (
    CALENDAR,
    ENTRY,
    OWN,
    TRAJECTORIES,
    model_checks,
    modelled,
    trajectory_pace,
)
from ctbnlab.learning.contract import Check, NodeResult
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.nodes import Learned
from ctbnlab.model.names import arc_text

MAX_ROUNDS = 4
# Events per trajectory to know its pace by. With 3 of them, the events that an arc is to explain decide the
# pace, which then makes arcs.
MIN_EVENTS_FOR_PACE = 10
PACE = "pace"
_REMEDIES = {OWN: "own", ENTRY: "entry", CALENDAR: "calendar"}
_TAKEN = {
    "own": "a clock of the time since each variable's last change",
    "entry": "a clock of the time since entry",
    "calendar": "a clock of calendar time",
    PACE: "a pace for each trajectory",
}
_OWN_CLOCK, _PACE = "the time since its own last change", "the pace of each trajectory"

LearnOnce = Callable[[Trajectories], Learned]


@dataclass(frozen=True, eq=False)
class RobustResult:
    """A graph learned with the remedies that its checks asked for, and what changed.

    `data` have the clocks that were taken in; `went` are the arcs found at first and not again, with what
    explains them, `came` those found only then; `marked` are those kept but no stronger than differences
    between trajectories, with their z. `checks` are those of the final graph.
    """

    learned: Learned
    data: Trajectories
    checks: tuple[Check, ...]
    taken: tuple[str, ...]
    went: tuple[tuple[str, str, str], ...]
    came: tuple[tuple[str, str], ...]
    marked: tuple[tuple[str, str, float], ...]
    differ: bool  # whether trajectories do

    @property
    def lines(self) -> list[str]:
        """What changed, in lines for people."""
        lines = []
        if self.taken:
            lines.append(f"learned again with {' and '.join(_TAKEN[each] for each in self.taken)}")
        lines += [f"{arc_text(a, b)} went: {why}" for a, b, why in self.went]
        lines += [f"{arc_text(a, b)} came" for a, b in self.came]
        lines += [
            f"{arc_text(a, b)} is not beyond differences between trajectories (z = {z:.1f})"
            for a, b, z in self.marked
        ]
        if self.differ and len(self.data) < MIN_TRAJECTORIES:
            lines.append(
                f"trajectories differ, and {len(self.data)} are too few to take the variance between them "
                f"(at least {MIN_TRAJECTORIES})"
            )
        if self.differ and not _have_pace(self.data):
            lines.append(
                "trajectories differ, with too few events each to know their pace: arcs may be due to that"
            )
        return lines


def learn_robustly(data: Trajectories, learn_once: LearnOnce) -> RobustResult:
    """Learn a graph, take in what its model checks ask for, and learn again.

    `learn_once` learns the whole graph from trajectories, which may have clocks in addition.
    """
    first = learned = learn_once(data)
    pace = np.ones(len(data))
    working = data  # at its own pace, if that is taken in
    taken: list[str] = []
    differ = False
    for _ in range(MAX_ROUNDS):
        checks = model_checks(working, learned.graph)
        differ |= any(check.warns for check in checks if check.name == TRAJECTORIES)
        wanted = [remedy for remedy in _asked(checks, data) if remedy not in taken]
        if not wanted:
            break
        if PACE in wanted:
            pace = trajectory_pace(working, learned.graph)
        clocks = tuple(remedy for remedy in wanted if remedy != PACE)
        data, _ = prepare(data, RoleRequest(clocks=clocks))
        taken += wanted
        working = paced(data, pace) if PACE in taken else data
        again = learn_once(working)
        seconds = {name: learned.seconds.get(name, 0.0) + s for name, s in again.seconds.items()}
        learned = Learned(again.graph, seconds, learned.wall_seconds + again.wall_seconds)
    else:
        checks = model_checks(working, learned.graph)
    graph = learned.graph
    marked: tuple[tuple[str, str, float], ...] = ()
    if differ and len(data) >= MIN_TRAJECTORIES:
        graph, marked = _with_marks(working, graph)
    description = {**first.graph.data, **({"adjusted_for": list(taken)} if taken else {})}
    graph = replace(graph, data=description, checks=checks)
    old, new = set(first.graph.arcs), set(graph.arcs)
    return RobustResult(
        learned=replace(learned, graph=graph),
        data=data,
        checks=checks,
        taken=tuple(taken),
        went=tuple((a, b, _reason(graph, b, taken)) for a, b in first.graph.arcs if (a, b) not in new),
        came=tuple(arc for arc in graph.arcs if arc not in old and arc[0] in first.graph.names),
        marked=marked,
        differ=differ,
    )


def _asked(checks: tuple[Check, ...], data: Trajectories) -> list[str]:
    """Return the remedies that warnings ask for: clocks, and a pace if all rates differ together."""
    asked = {_REMEDIES[check.name] for check in checks if check.warns and check.advice.startswith("--clock")}
    differ = any(check.warns and check.name == TRAJECTORIES and check.variable is None for check in checks)
    if differ and _have_pace(data):
        asked.add(PACE)
    return [remedy for remedy in _TAKEN if remedy in asked]


def _have_pace(data: Trajectories) -> bool:
    return data.n_events >= MIN_EVENTS_FOR_PACE * len(data)


def paced(data: Trajectories, pace: NDArray[np.float64]) -> Trajectories:
    """Return trajectories whose time since entry is multiplied by their pace."""
    data = data.compact()
    trajectory = np.repeat(np.arange(len(data)), data.stop - data.begin)
    start = data.start[trajectory]
    return data.with_events(
        begin=data.begin, stop=data.stop, start=data.start, end=data.start + (data.end - data.start) * pace,
        initial=data.initial, time=start + (data.time - start) * pace[trajectory], variable=data.variable,
        old=data.old, new=data.new,
    )  # fmt: skip


def _reason(graph: LearnedGraph, target: str, taken: list[str]) -> str:
    parents = graph.parents.get(target, ())
    reasons = [f"the {name}" for name in parents if name in graph.roles.clock_names]
    if target in graph.own_clocks:
        reasons.append(_OWN_CLOCK)
    if PACE in taken:
        reasons.append(_PACE)
    return f"explained by {' and '.join(reasons)}" if reasons else "not found again"


def _with_marks(
    data: Trajectories, graph: LearnedGraph
) -> tuple[LearnedGraph, tuple[tuple[str, str, float], ...]]:
    """Return the graph with marks on the arcs that are not beyond differences between trajectories."""
    nodes, marked = [], []
    clocks = {data.index(name) for name in graph.roles.clock_names}
    for node in graph.nodes:
        extended, parents = modelled(data, node)
        required = {entry.candidate for entry in node.evidence if entry.why == "required"}
        tested = [parent for parent in node.parents if parent not in clocks | required]
        strengths = {parent: arc_z(extended, node.target, parents, parent) for parent in tested}
        weak = {parent: z for parent, z in strengths.items() if z < MIN_Z}
        marked += [(graph.names[p], graph.names[node.target], z) for p, z in weak.items()]
        nodes.append(_marked(node, weak))
    return replace(graph, nodes=tuple(nodes)), tuple(marked)


def _marked(node: NodeResult, weak: dict[int, float]) -> NodeResult:
    evidence = tuple(
        replace(
            entry,
            why=f"{entry.why}; not beyond differences between trajectories (z = {weak[entry.candidate]:.1f})",
        )
        if entry.candidate in weak
        else entry
        for entry in node.evidence
    )
    return replace(node, evidence=evidence)
