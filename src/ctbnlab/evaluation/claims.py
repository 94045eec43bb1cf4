"""What the paper claims about its learners, and whether it holds in an experiment's results.

Learners are compared cell by cell, on the cells of the paper's design, averaged as in the paper's tables. A
claim *holds* if at most one cell in twenty contradicts it, *mostly holds* if at most one in four does, and
otherwise *does not hold*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from ctbnlab.evaluation import summary

HOLDS, MOSTLY, FAILS, ARTEFACT = "holds", "mostly holds", "does not hold", "artefact of a bug"
ROUNDING = 1e-9  # smaller differences are none
COMPARABLE = 2.0  # the factor within which times are comparable
_NAMES = {"f1": "F1", "recall": "recall", "precision": "precision", "bic": "BIC"}


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, what is found here, a verdict, and which results are behind it."""

    claim: str
    place: str  # in the paper
    here: str
    verdict: str
    metric: str
    learners: tuple[str, ...]  # labels


@dataclass(frozen=True)
class Counts:
    """The cells in which the first of two learners has the higher value, the same, or the lower."""

    higher: int
    equal: int
    lower: int

    @property
    def total(self) -> int:
        """The number of cells."""
        return self.higher + self.equal + self.lower

    @property
    def verdict(self) -> str:
        """Whether it holds that the first learner is at least as good as the second."""
        return verdict(self.lower, self.total)

    def text(self, what: str) -> str:
        """Return the counts in words."""
        equal = f", equal in {self.equal}" if self.equal else ""
        return f"{what} higher in {self.higher} of {self.total} cells{equal}, lower in {self.lower}"


def verdict(against: int, total: int) -> str:
    """Return the verdict on a claim that some of the cells contradict."""
    return HOLDS if against <= total / 20 else MOSTLY if against <= total / 4 else FAILS


def claims(metrics: pd.DataFrame, reference: str | None) -> list[Claim]:
    """Return the claims that results of one of the paper's experiments can decide."""
    done = metrics[(metrics["status"] == "done") & ~metrics["extension"].astype(bool)]
    if done.empty or reference not in _DECISIONS:
        return []
    results = Results(done, summary.summarise(done, reference))
    made = [decide(results) for decide in _DECISIONS[reference]]
    return [claim for claim in made if claim is not None]


@dataclass(frozen=True)
class Results:
    """The finished networks of the paper's design, and their cells."""

    rows: pd.DataFrame
    cells: pd.DataFrame

    def label(self, algorithm: str, *, with_bug: bool = False) -> str | None:
        """Return the first learner with an algorithm, with or without the bug of the published code."""
        for label, group in self.rows[self.rows["algorithm"] == algorithm].groupby("learner"):
            if (summary.option(group["options"].iloc[0], "conventions") == "published") == with_bug:
                return str(label)
        return None

    def pairs(self, metric: str, first: str, second: str, column: str = "value") -> pd.DataFrame:
        """Return the cells that two learners have values of."""
        cells = self.cells[self.cells["metric"] == metric]
        values = [
            cells[cells["learner"] == label].set_index([*summary.POINT])[column].dropna().rename(name)
            for label, name in ((first, "first"), (second, "second"))
        ]
        return pd.concat(values, axis=1, join="inner").reset_index()


def counts(pairs: pd.DataFrame) -> Counts:
    """Count the cells in which the first learner has the higher value."""
    difference = pairs["first"] - pairs["second"]
    higher, lower = int((difference > ROUNDING).sum()), int((difference < -ROUNDING).sum())
    return Counts(higher, len(pairs) - higher - lower, lower)


# ---- Claims that one learner is at least as good as another ----


@dataclass(frozen=True)
class Better:
    """The claim that the first algorithm has at least the value of the second, for some numbers of states."""

    claim: str
    place: str
    metric: str
    first: str
    second: str
    states: Sequence[str] = ()  # all if empty

    def __call__(self, results: Results) -> Claim | None:
        """Decide the claim, if both learners have cells."""
        labels = results.label(self.first), results.label(self.second)
        if labels[0] is None or labels[1] is None:
            return None
        here, published = (
            self._counts(results.pairs(self.metric, labels[0], labels[1], column))
            for column in ("value", "published")
        )
        if not here.total:
            return None
        text = here.text(f"{_NAMES[self.metric]} of {summary.display_name(self.first)}")
        if published.total:
            text += f" (in the published tables: higher in {published.higher} of {published.total}, "
            text += f"lower in {published.lower})"
        return Claim(self.claim, self.place, text, here.verdict, self.metric, (labels[0], labels[1]))

    def _counts(self, pairs: pd.DataFrame) -> Counts:
        return counts(pairs[pairs["states"].isin(self.states)] if self.states else pairs)


# ---- Claims of other kinds ----


def _precision_is_1(results: Results) -> Claim | None:
    label = results.label("ctss")
    precision = results.rows.loc[results.rows["learner"] == label, "precision"].dropna()
    if label is None or precision.empty:
        return None
    perfect = int((precision == 1).sum())
    return Claim(
        "CTSS achieves a precision of 1 in almost all simulations",
        "main experiment, precision and recall",
        f"precision is 1 in {perfect} of {len(precision)} networks; the lowest is {precision.min():.3g}",
        verdict(len(precision) - perfect, len(precision)),
        "precision",
        (label,),
    )


def _improves_with_size_and_density(results: Results) -> Claim | None:
    labels = results.label("ctpc-chi2"), results.label("ctss")
    if labels[0] is None or labels[1] is None:
        return None
    pairs = results.pairs("f1", labels[0], labels[1])
    lead = pairs.assign(lead=pairs["first"] - pairs["second"])[pairs["states"].isin(_MORE)]
    rises = []
    for fixed, along in (("density", "nodes"), ("nodes", "density")):
        for _, line in lead.groupby(["states", fixed]):
            ends = line.sort_values(along)["lead"].iloc[[0, -1]].tolist()
            rises += [ends[1] - ends[0]] if len(line) > 1 else []
    if not rises:
        return None
    risen, falls = (sum(sign * rise > ROUNDING for rise in rises) for sign in (1, -1))
    return Claim(
        "Above two states CTPC improves, compared with CTSS, with the number of nodes and the density",
        "main experiment, F1",
        f"from the smallest to the largest, its lead in F1 rises in {risen} of {len(rises)} series of nodes "
        f"or densities and falls in {falls}",
        verdict(falls, len(rises)),
        "f1",
        (labels[0], labels[1]),
    )


def _times_are_comparable(results: Results) -> Claim | None:
    labels = results.label("ctss"), results.label("ctpc-chi2")
    if labels[0] is None or labels[1] is None:
        return None
    pairs = results.pairs("cpu_seconds", labels[0], labels[1])
    ratio = (pairs["first"] / pairs["second"]).dropna()
    if ratio.empty:
        return None
    apart = int(((ratio > COMPARABLE) | (ratio < 1 / COMPARABLE)).sum())
    return Claim(
        "Score-based and constraint-based algorithms take comparable time",
        "abstract",
        f"CTSS takes {ratio.median():.2g} times the CPU time of CTPC χ² (median of {len(ratio)} cells; "
        f"{ratio.min():.2g} to {ratio.max():.2g}); more than a factor of {COMPARABLE:g} apart in {apart}",
        verdict(apart, len(ratio)),
        "cpu_seconds",
        (labels[0], labels[1]),
    )


def _above_two_states(results: Results, first: str, second: str) -> Counts:
    """Count cells in which the two tests of transitions can differ: binary variables have no choice."""
    pairs = results.pairs("f1", first, second)
    return counts(pairs[pairs["states"] != "2"])


def _chi2_beats_ks(results: Results) -> Claim | None:
    chi2, ks, bug = (
        results.label("ctpc-chi2"),
        results.label("ctpc-ks"),
        results.label("ctpc-ks", with_bug=True),
    )
    if chi2 is None or ks is None:
        return None
    right = _above_two_states(results, chi2, ks)
    if not right.total:
        return None
    text, result = right.text("against KS as defined, F1 of CTPC χ²"), right.verdict
    if bug is not None:
        wrong = _above_two_states(results, chi2, bug)
        text = f"{wrong.text('against KS with the bug of the published code, F1 of CTPC χ²')}; {text}"
        result = ARTEFACT if result == FAILS and wrong.verdict != FAILS else result
    learners = tuple(label for label in (chi2, bug, ks) if label is not None)
    claim = "CTPC χ² performs marginally better than CTPC KS (more than two states)"
    return Claim(claim, "first experiment and conclusions, F1", text, result, "f1", learners)


def _big_networks_are_costly(results: Results) -> Claim | None:
    label = results.label("ctpc-chi2")
    rows = results.rows
    found = rows[(rows["learner"] == label) & (rows["nodes"] == 100) & (rows["threads"] == 1)]
    if label is None or found.empty:
        return None
    seconds, memory = found["wall_seconds"].mean(), found["peak_memory_mb"].max()
    return Claim(
        "The cost of CTPC becomes problematic beyond 20 variables; 100 nodes needed 256 GB of memory",
        "big networks and conclusions",
        f"100 sparse binary nodes take {seconds:.2g} s on one core and {memory:.0f} MB",
        HOLDS if seconds > 600 or memory > 16_000 else FAILS,
        "wall_seconds",
        (label,),
    )


_MORE = ("3", "4")
_CHI2, _CTSS = "ctpc-chi2", "ctss"
_DECISIONS: dict[str, tuple[Callable[[Results], Claim | None], ...]] = {
    "main": (
        Better(
            "CTSS is the best choice for binary nodes",
            "main experiment, F1", "f1", _CTSS, _CHI2, ("2",),
        ),
        Better(
            "CTPC is more accurate than CTSS above two states",
            "abstract and conclusions, F1", "f1", _CHI2, _CTSS, _MORE,
        ),
        _improves_with_size_and_density,
        _precision_is_1,
        Better(
            "CTPC has the better recall for ternary and quaternary nodes",
            "main experiment, precision and recall", "recall", _CHI2, _CTSS, _MORE,
        ),
        Better(
            "By ΔBIC, CTSS is at least as good as CTPC in almost every experiment",
            "main experiment and conclusions, ΔBIC", "bic", _CTSS, _CHI2,
        ),
        _times_are_comparable,
    ),
    "tests": (
        Better(
            "CTSS performs better than CTPC for binary variables, in every combination",
            "first experiment, F1", "f1", _CTSS, _CHI2, ("2",),
        ),
        Better(
            "CTPC has better F1 than CTSS for ternary variables",
            "first experiment, F1", "f1", _CHI2, _CTSS, ("3",),
        ),
        _chi2_beats_ks,
    ),
    "big": (_big_networks_are_costly,),
}  # fmt: skip
