"""How near a learned graph is to the true one.

In a CTBN an arc and its reverse say different things and neither excludes the other, so that comparing
graphs is a binary classification of all n(n − 1) ordered pairs. SHD is the number of pairs classified
wrongly, FP + FN: an arc learned the wrong way round counts twice, once missed and once invented.

Where there is nothing to divide by: precision is 1 if no arc was learned (none is false), recall is 1 if
there is no true arc (none is missed), and F1 = 2 TP / (2 TP + FP + FN) is 1 if both graphs are empty. A
graph learned empty where arcs are true has precision 1, recall 0 and F1 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ctbnlab.errors import InputError

Arc = tuple[str, str]  # from, to


@dataclass(frozen=True)
class Confusion:
    """Numbers of ordered pairs by what is true and what was learned."""

    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0
    true_negatives: int = 0

    @property
    def precision(self) -> float:
        """The share of learned arcs that are true."""
        learned = self.true_positives + self.false_positives
        return self.true_positives / learned if learned else 1.0

    @property
    def recall(self) -> float:
        """The share of true arcs that were learned."""
        true = self.true_positives + self.false_negatives
        return self.true_positives / true if true else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        either = 2 * self.true_positives + self.shd
        return 2 * self.true_positives / either if either else 1.0

    @property
    def shd(self) -> int:
        """The structural Hamming distance: arcs invented and missed."""
        return self.false_positives + self.false_negatives

    def __add__(self, other: Confusion) -> Confusion:
        return Confusion(
            self.true_positives + other.true_positives,
            self.false_positives + other.false_positives,
            self.false_negatives + other.false_negatives,
            self.true_negatives + other.true_negatives,
        )


def micro_average(confusions: Iterable[Confusion]) -> Confusion:
    """Return the sum of confusion counts, whose precision, recall and F1 are the micro-averaged ones."""
    return sum(confusions, Confusion())


@dataclass(frozen=True)
class Comparison:
    """A learned graph against the true one: in all, and for the arcs into each node."""

    whole: Confusion
    nodes: dict[str, Confusion]
    missed: tuple[Arc, ...]  # true and not learned, in the order of the variables
    invented: tuple[Arc, ...]  # learned and not true


def arcs(parents: Sequence[Iterable[int]], names: Sequence[str]) -> tuple[Arc, ...]:
    """Return the arcs of a graph given as each variable's parents, target by target."""
    return tuple(
        (names[j], target) for target, chosen in zip(names, parents, strict=True) for j in sorted(chosen)
    )


def compare(true_arcs: Iterable[Arc], learned_arcs: Iterable[Arc], names: Sequence[str]) -> Comparison:
    """Compare two graphs over the same variables, arcs given as (from, to) by name."""
    true = _checked(true_arcs, names, "true")
    learned = _checked(learned_arcs, names, "learned")
    nodes = {}
    for target in names:
        here = {(source, target) for source in names if source != target}
        nodes[target] = Confusion(
            true_positives=len(here & true & learned),
            false_positives=len((here & learned) - true),
            false_negatives=len((here & true) - learned),
            true_negatives=len(here - true - learned),
        )
    place = {name: k for k, name in enumerate(names)}

    def in_order(some: set[Arc]) -> tuple[Arc, ...]:
        return tuple(sorted(some, key=lambda arc: (place[arc[0]], place[arc[1]])))

    return Comparison(
        whole=micro_average(nodes.values()),
        nodes=nodes,
        missed=in_order(true - learned),
        invented=in_order(learned - true),
    )


def delta_bic(bic_ctss: float, bic_other: float) -> float:
    """Return the paper's ΔBIC %, (BIC_CTSS − BIC_other) / BIC_CTSS · 100; not a number if BIC_CTSS is 0.

    Positive where CTSS has the higher BIC, if BIC_CTSS is positive; the formula as printed turns the sign
    round where BIC_CTSS is negative, as a log-likelihood of densities may or may not be.
    """
    return (bic_ctss - bic_other) / bic_ctss * 100 if bic_ctss else math.nan


def _checked(given: Iterable[Arc], names: Sequence[str], which: str) -> set[Arc]:
    known = set(names)
    result = set()
    for source, target in given:
        for end in (source, target):
            if end not in known:
                raise InputError(f"the {which} arc {source} -> {target}: there is no variable {end!r}")
        if source == target:
            raise InputError(f"the {which} arc {source} -> {target} leads from a variable to itself")
        result.add((source, target))
    return result
