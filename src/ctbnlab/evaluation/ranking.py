"""All possible arcs in the order of a learner's evidence, and the areas under the curves this order gives.

A learner decides where to stop; its evidence also orders the arcs, kept and dropped. Walking down that order
gives the precision–recall curve and the ROC curve, which compare learners whatever their thresholds.

The order of the n(n − 1) ordered pairs, strongest first:

1. arcs that the learner kept come before those it dropped, so its own graph is a point of the curve;
2. among these, arcs with a number come before those without: kept by a rule of thumb, ruled out unscored, …;
3. larger gains come first if the learner reports gains (scores, Bayes factors, an external program's scores),
   otherwise smaller p-values.

Equal numbers are ties, among them p-values too small for a double, which are all 0. A tie is one step of the
curve: no order within it is preferred. Arcs that prior knowledge required or forbade are left out, because
nothing was learned about them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ctbnlab.learning.contract import Evidence, NodeResult
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.graph_like import Arc

# A stored curve has at most this many corners; the areas are computed before any is left out.
MAX_CORNERS = 500
Strength = tuple[bool, bool, float]  # kept, has a number, the number (larger is stronger)


@dataclass(frozen=True)
class RankingCurve:
    """The numbers of true and of false arcs among the strongest, after each group of ties."""

    true_positives: tuple[int, ...]
    false_positives: tuple[int, ...]

    @property
    def average_precision(self) -> float | None:
        """The mean over true arcs of the precision where the arc is reached; None without true arcs."""
        total = self.true_positives[-1] if self.true_positives else 0
        if not total:
            return None
        area, before = 0.0, 0
        for true, false in zip(self.true_positives, self.false_positives, strict=True):
            area += (true - before) * (true / (true + false))
            before = true
        return area / total

    @property
    def roc_auc(self) -> float | None:
        """The probability that a true arc ranks above a false one, ties counting half; None without one."""
        if not self.true_positives or not (self.true_positives[-1] and self.false_positives[-1]):
            return None
        twice, true_before, false_before = 0, 0, 0
        for true, false in zip(self.true_positives, self.false_positives, strict=True):
            twice += (false - false_before) * (true_before + true)
            true_before, false_before = true, false
        return twice / (2 * self.true_positives[-1] * self.false_positives[-1])

    def corners(self, limit: int = MAX_CORNERS) -> RankingCurve:
        """Return the points where the curve changes direction; of more than `limit`, an even selection."""
        points = list(zip(self.true_positives, self.false_positives, strict=True))
        kept: list[tuple[int, int]] = []
        for point in points:
            if kept and _is_straight(kept[-2] if len(kept) > 1 else (0, 0), kept[-1], point):
                kept.pop()
            kept.append(point)
        if len(kept) > limit:
            last = len(kept) - 1
            kept = [kept[round(k * last / (limit - 1))] for k in range(limit)]
        return RankingCurve(tuple(true for true, _ in kept), tuple(false for _, false in kept))


def ranking_curve(true_arcs: Iterable[Arc], graph: LearnedGraph) -> RankingCurve:
    """Rank all pairs by the evidence of a whole learned graph, and count the true arcs among them."""
    true = set(true_arcs)
    uses_gains = any(_is_number(entry.gain) for node in graph.nodes for entry in node.evidence)
    pairs: list[tuple[Strength, bool]] = []
    for node in graph.nodes:
        target = graph.names[node.target]
        for candidate, strength in _strengths(node, len(graph.names), uses_gains):
            pairs.append((strength, (graph.names[candidate], target) in true))
    return curve_of([strength for strength, _ in pairs], [is_true for _, is_true in pairs])


def curve_of(strengths: Sequence[Strength], is_true: Sequence[bool]) -> RankingCurve:
    """Return the curve of arcs with these strengths."""
    order = sorted(range(len(strengths)), key=lambda i: strengths[i], reverse=True)
    true_positives: list[int] = []
    false_positives: list[int] = []
    true = false = 0
    for place, i in enumerate(order):
        true, false = true + is_true[i], false + (not is_true[i])
        if place + 1 == len(order) or strengths[order[place + 1]] != strengths[i]:
            true_positives.append(true)
            false_positives.append(false)
    return RankingCurve(tuple(true_positives), tuple(false_positives))


def _strengths(node: NodeResult, n_variables: int, uses_gains: bool) -> list[tuple[int, Strength]]:
    """Return the strength of every arc into a node that the learner was free to keep or drop."""
    known: dict[int, Evidence] = {entry.candidate: entry for entry in node.evidence}
    return [
        (j, _strength(known.get(j), j in node.parents, uses_gains))
        for j in range(n_variables)
        if j != node.target and not (j in known and _is_prior_knowledge(known[j], node.parents))
    ]


def _is_prior_knowledge(entry: Evidence, parents: Collection[int]) -> bool:
    """Return whether the arc was required or forbidden; a learner's reason must fit its decision."""
    return entry.why == ("required" if entry.candidate in parents else "forbidden")


def _strength(entry: Evidence | None, kept: bool, uses_gains: bool) -> Strength:
    number = None if entry is None else entry.gain if uses_gains else entry.p_value
    if number is None or not _is_number(number):
        return kept, False, 0.0
    return kept, True, number if uses_gains else -number


def _is_number(value: float | None) -> bool:
    return value is not None and not math.isnan(value)


def _is_straight(first: tuple[int, int], middle: tuple[int, int], last: tuple[int, int]) -> bool:
    """Return whether the curve goes on in the same direction."""
    return (middle[0] - first[0]) * (last[1] - middle[1]) == (middle[1] - first[1]) * (last[0] - middle[0])
