"""Metrics of a learned graph against the true one: precision, recall, F1 and SHD.

In a CTBN an arc and its reverse mean different things and neither excludes the other, so comparing graphs
is a binary classification of all n(n − 1) ordered pairs. SHD is the number of misclassified pairs,
FP + FN: an arc learned in the wrong direction counts twice, once as missed and once as invented.

If a denominator is zero: precision is 1 if no arc was learned (none is false), recall is 1 if there is no
true arc (none is missed), and F1 = 2 TP / (2 TP + FP + FN) is 1 if both graphs are empty. An empty learned
graph of a true graph with arcs has precision 1, recall 0 and F1 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ctbnlab.errors import InputError
from ctbnlab.io.shown import short_table
from ctbnlab.learning.graph_like import Arc, NamedGraph, comparable

if TYPE_CHECKING:
    import pandas as pd

_RATIOS = ("precision", "recall", "f1", "shd")


@dataclass(frozen=True)
class Confusion:
    """Numbers of ordered pairs, by whether the arc is true and whether it was learned."""

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
    """Return the summed counts, whose precision, recall and F1 are the micro-averaged ones."""
    return sum(confusions, Confusion())


@dataclass(frozen=True, repr=False)
class Comparison:
    """A learned graph against the true one: for all arcs, and for the arcs into each node."""

    whole: Confusion
    nodes: dict[str, Confusion]
    missed: tuple[Arc, ...]  # true and not learned, in the order of the variables
    invented: tuple[Arc, ...]  # learned and not true

    @property
    def precision(self) -> float:
        """The share of learned arcs that are true."""
        return self.whole.precision

    @property
    def recall(self) -> float:
        """The share of true arcs that were learned."""
        return self.whole.recall

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return self.whole.f1

    @property
    def shd(self) -> int:
        """The structural Hamming distance: arcs invented and missed."""
        return self.whole.shd

    def to_dataframe(self) -> pd.DataFrame:
        """Return a DataFrame with a row for all arcs, then one for the arcs into each variable."""
        import pandas as pd

        rows = [("all", self.whole), *self.nodes.items()]
        table = [
            {**asdict(counts), **{ratio: getattr(counts, ratio) for ratio in _RATIOS}} for _, counts in rows
        ]
        return pd.DataFrame(table, index=pd.Index([name for name, _ in rows], name="variable"))

    to_pandas = to_dataframe

    def __repr__(self) -> str:
        ratios = f"precision {self.precision:.3g}, recall {self.recall:.3g}, F1 {self.f1:.3g}"
        return f"<Comparison: {ratios}, SHD {self.shd}>"

    def _repr_html_(self) -> str | None:
        return short_table(self.to_dataframe, repr(self))


def compare(true: Any, learned: Any, names: Sequence[str] | None = None) -> Comparison:
    """Compare a learned graph with the true one.

    Each may be a network, a learned graph, a fitted learner, a networkx.DiGraph, an adjacency table, parents
    by the name of each child, or arcs as pairs of names. `names` are all variables, by default those that the
    graphs have, or of two lists of arcs those that occur.

    Example:
        >>> import ctbnlab
        >>> ctbnlab.compare([("A", "B"), ("B", "C")], [("A", "B"), ("C", "B")])
        <Comparison: precision 0.5, recall 0.5, F1 0.5, SHD 2>
    """
    graphs = comparable(true, learned)
    names = _common_names(*graphs) if names is None else names
    true, learned = (
        _checked(graph.arcs, names, which) for graph, which in zip(graphs, ("true", "learned"), strict=True)
    )
    nodes = {}
    for target in names:
        here = {(source, target) for source in names if source != target}
        nodes[target] = Confusion(
            true_positives=len(here & true & learned),
            false_positives=len((here & learned) - true),
            false_negatives=len((here & true) - learned),
            true_negatives=len(here - true - learned),
        )
    index = {name: k for k, name in enumerate(names)}

    def in_order(arcs: set[Arc]) -> tuple[Arc, ...]:
        return tuple(sorted(arcs, key=lambda arc: (index[arc[0]], index[arc[1]])))

    return Comparison(
        whole=micro_average(nodes.values()),
        nodes=nodes,
        missed=in_order(true - learned),
        invented=in_order(learned - true),
    )


def _common_names(true: NamedGraph, learned: NamedGraph) -> Sequence[str]:
    """Return the variables of both graphs; refuse two graphs of different ones."""
    known = [graph.names for graph in (true, learned) if graph.names is not None]
    if not known:
        return list(dict.fromkeys(end for graph in (true, learned) for arc in graph.arcs for end in arc))
    if set(known[0]) != set(known[-1]):
        name = sorted(set(known[0]) ^ set(known[-1]), key=str)[0]
        raise InputError(f"the variable {name!r} is in only one of the two graphs")
    return known[0]


def delta_bic(bic_ctss: float, bic_other: float) -> float:
    """Return the paper's ΔBIC %, (BIC_CTSS − BIC_other) / BIC_CTSS · 100; NaN if BIC_CTSS is 0.

    If BIC_CTSS is positive, a positive value means that CTSS has the higher BIC; if it is negative, the
    formula as printed flips the sign. Both occur, because the log-likelihood is that of densities.
    """
    return (bic_ctss - bic_other) / bic_ctss * 100 if bic_ctss else math.nan


def _checked(arcs: Iterable[Arc], names: Sequence[str], which: str) -> set[Arc]:
    known = set(names)
    result = set()
    for source, target in arcs:
        for end in (source, target):
            if end not in known:
                raise InputError(f"the {which} arc {source} -> {target}: unknown variable {end!r}")
        if source == target:
            raise InputError(f"the {which} arc {source} -> {target} leads from a variable to itself")
        result.add((source, target))
    return result
