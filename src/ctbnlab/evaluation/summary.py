"""From rows of metrics to cells: mean, spread, failures, and agreement with the published value.

A cell is one learner on all replicates of one design point. Standard deviations divide by n − 1, as in the
paper. F1 of the first experiment is micro-averaged, that is computed from counts of arcs summed over the
replicates; its spread is that of the linearised ratio, one replicate at a time.

Does a cell agree with the published one? Both are means over random networks of the same design, so under
agreement their difference has the standard error s √(1/n + 1/m), where n networks are ours, m are the
paper's, and s is the standard deviation over single networks:

* main experiment: s pools both standard deviations;
* first experiment: s is ours alone, because the paper prints none; and because arcs come in whole numbers,
  neither side's error counts as less than one wrong arc. With one network of ours there is no verdict.

A difference is marked if it exceeds both 0.01 and the standard error times Student's 97.5% quantile with
the degrees of freedom of s (for three networks of ours alone that quantile is 4.3, not 2).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from ctbnlab.errors import InputError
from ctbnlab.evaluation.published import paper_values

if TYPE_CHECKING:
    from collections.abc import Iterable

# The design point of a cell. A learner's label identifies its algorithm and options.
POINT = ("network", "nodes", "states", "density", "trajectories", "duration", "scattered", "threads")
METRICS = (
    "f1", "precision", "recall", "average_precision", "roc_auc", "shd", "bic", "delta_bic_percent",
    "cpu_seconds", "wall_seconds", "peak_memory_mb",
)  # fmt: skip
FAILURES = {"failed": "failed", "timed out": "timed_out", "skipped": "skipped"}
WITHIN, BEYOND, NOT_JUDGED = "within spread", "beyond spread", "not judged"
LEVEL = 0.05  # probability that a cell is marked by chance
SMALLEST_DIFFERENCE = 0.01
_RESULTS = (
    "n", "average", "value", "sd",
    "published", "published_sd", "published_n", "difference", "standard_error", "margin", "agreement",
)  # fmt: skip


class _Value(NamedTuple):
    """A cell's value, its standard deviation over n replicates, and how much one wrong arc changes it."""

    value: float
    sd: float
    n: int
    one_arc: float = 0.0


def summarise(metrics: pd.DataFrame, reference: str | None = None) -> pd.DataFrame:
    """Return one row for each cell and metric, compared with the published table `reference`."""
    if reference is not None and reference not in paper_values.REFERENCES:
        known = ", ".join(paper_values.REFERENCES)
        raise InputError(f"unknown published table {reference!r}; known: {known}")
    _check(metrics)
    rows: list[dict[str, Any]] = []
    for point, group in metrics.groupby(["learner", *POINT], sort=False, dropna=False):
        first = group.iloc[0]
        design = dict(zip(("learner", *POINT), point, strict=True))
        design["network"] = design["network"] if isinstance(design["network"], str) else None
        design |= {
            "algorithm": first["algorithm"],
            "options": first["options"],
            "extension": bool(group["extension"].any()),
            "replicates": len(group),
            **{name: int((group["status"] == status).sum()) for status, name in FAILURES.items()},
        }
        done = group[group["status"] == "done"]
        for metric in METRICS:
            micro = metric == "f1" and reference == "tests"
            value = micro_f1(done) if micro else _mean(done[metric])
            kind = {"metric": metric, "average": "micro" if micro else "mean"}
            rows.append({**design, **kind, **_compared(design, metric, value, reference)})
    return _sorted(pd.DataFrame(rows))


def _check(metrics: pd.DataFrame) -> None:
    experiments = sorted(set(metrics["experiment"]))
    if len(experiments) > 1:
        raise InputError(f"the metrics are from several experiments ({', '.join(experiments)}); keep one")
    for learner, group in metrics.groupby("learner"):
        if len(group[["algorithm", "options"]].drop_duplicates()) > 1:
            raise InputError(f"the label {learner!r} is used for several algorithms or options")


def _mean(values: pd.Series[Any]) -> _Value:
    known = values.dropna().to_numpy(float)
    return _Value(
        float(known.mean()) if len(known) else math.nan,
        float(known.std(ddof=1)) if len(known) > 1 else math.nan,
        len(known),
    )


def micro_f1(done: pd.DataFrame) -> _Value:
    """Return F1 from summed counts: 2 TP / (2 TP + FP + FN), a ratio of sums Σa / Σb over networks.

    Its spread is that of the linearised ratio, a − F1 · b for each network.
    """
    twice_found = 2 * done["true_positives"].to_numpy(float)
    total = twice_found + (done["false_positives"] + done["false_negatives"]).to_numpy(float)
    n = len(done)
    if not total.sum():
        # If there is nothing to find, finding nothing is perfect; without networks there is no value.
        return _Value(1.0 if n else math.nan, 0.0 if n > 1 else math.nan, n)
    ratio = float(twice_found.sum() / total.sum())
    residuals: NDArray[np.float64] = (twice_found - ratio * total) / total.mean()
    sd = math.sqrt(float((residuals**2).sum()) / (n - 1)) if n > 1 else math.nan
    return _Value(ratio, sd, n, one_arc=1 / float(total.sum()))


def _compared(design: Mapping[str, Any], metric: str, ours: _Value, reference: str | None) -> dict[str, Any]:
    row: dict[str, Any] = {"value": ours.value, "sd": ours.sd, "n": ours.n}
    theirs = published(design, metric, reference)
    if theirs is None:
        return row
    row |= {"published": theirs.value, "published_sd": theirs.sd, "published_n": theirs.networks}
    if not ours.n:
        return row
    if metric == "f1":
        return row | _agreement(ours, theirs)
    return row | {"difference": ours.value - theirs.value}


def _agreement(ours: _Value, theirs: paper_values.Published) -> dict[str, Any]:
    """Return the difference from the published F1, the margin that spread explains, and the verdict."""
    difference = ours.value - theirs.value
    error, freedom = standard_error(ours, theirs)
    margin = float(np.maximum(error * stdtrit(freedom, 1 - LEVEL / 2), SMALLEST_DIFFERENCE))
    verdict = NOT_JUDGED if math.isnan(error) else BEYOND if abs(difference) > margin else WITHIN
    return {"difference": difference, "standard_error": error, "margin": margin, "agreement": verdict}


def published(design: Mapping[str, Any], metric: str, reference: str | None) -> paper_values.Published | None:
    """Return the published value of a cell, if the paper has this cell."""
    algorithm, nodes, states = design["algorithm"], int(design["nodes"]), design["states"]
    density, trajectories = round(float(design["density"]), 9), int(design["trajectories"])
    if reference is None or design["network"] is not None or design["duration"] != paper_values.DURATION:
        return None
    if reference == "big":
        same_design = (states, density, design["scattered"] * 20) == ("2", 0.1, nodes)
        if metric != "wall_seconds" or algorithm != "ctpc-chi2" or not same_design:
            return None
        seconds = paper_values.big_networks().get((nodes, int(design["threads"])))
        return None if seconds is None else paper_values.Published(seconds, None, 1)
    if metric != "f1" or design["scattered"] != 1:
        return None
    if reference == "tests":
        return paper_values.first_experiment().get((algorithm, nodes, states, density, trajectories))
    if trajectories != paper_values.TRAJECTORIES:
        return None
    return paper_values.main_experiment().get((algorithm, nodes, states, density))


def standard_error(ours: _Value, theirs: paper_values.Published) -> tuple[float, int]:
    """Return the standard error of our value minus theirs, and its degrees of freedom."""
    n, m = ours.n, theirs.networks
    if theirs.sd is None:
        per_network = ours.one_arc * n  # one wrong arc in m networks changes F1 by this / m
        errors = [max(ours.sd / math.sqrt(count), per_network / count) for count in (n, m)]
        return math.hypot(*errors) if n > 1 else math.nan, n - 1
    squares = (m - 1) * theirs.sd**2 + ((n - 1) * ours.sd**2 if n > 1 else 0.0)
    freedom = n + m - 2
    return math.sqrt(squares / freedom * (1 / n + 1 / m)), freedom


def _sorted(cells: pd.DataFrame) -> pd.DataFrame:
    for name in ("published", "published_sd", "published_n", "difference", "standard_error", "margin"):
        cells[name] = pd.to_numeric(cells.get(name, pd.Series(np.nan, cells.index)))
    if "agreement" not in cells:
        cells["agreement"] = None
    cells["agreement"] = cells["agreement"].astype(object).where(cells["agreement"].notna(), None)
    order = {label: rank for rank, label in enumerate(learners(cells))}
    rank = cells.assign(
        learner=cells["learner"].map(order),
        states=cells["states"].map(states_key),
        metric=cells["metric"].map(METRICS.index),
    )
    rank = rank.sort_values(["metric", "learner", "states", *(name for name in POINT if name != "states")])
    columns = ["metric", "learner", "algorithm", "options", *POINT, "extension", "replicates"]
    return cells.loc[rank.index, [*columns, *FAILURES.values(), *_RESULTS]].reset_index(drop=True)


def states_key(states: str) -> tuple[int, ...]:
    """Return the sort key of states: "2" before "2,3" before "3" before "10"."""
    return tuple(int(part) for part in states.split(","))


def learners(cells: pd.DataFrame) -> list[str]:
    """Return the learners' labels: the paper's first, in its order, then the others by name."""
    pairs: Iterable[tuple[str, str]] = zip(cells["learner"], cells["algorithm"], strict=True)
    return [label for label, _ in sorted(set(pairs), key=_paper_first)]


def _paper_first(pair: tuple[str, str]) -> tuple[int, str]:
    label, algorithm = pair
    order = paper_values.PAPER_ALGORITHMS
    return order.index(algorithm) if algorithm in order else len(order), label


def free_factors(cells: pd.DataFrame) -> list[str]:
    """Return the factors that take several values for one network, or at one point of the paper's facets."""
    factors = [name for name in POINT if name not in ("network", "nodes", "states", "density")]
    if cells.empty:
        return []
    counts = cells.groupby(["network", "nodes", "states", "density"], dropna=False)[factors].nunique()
    return [name for name in factors if (counts[name] > 1).any()]


def display_name(label: str) -> str:
    """Return a learner's name as the paper writes it, or its label."""
    names = {"ctss": "CTSS", "ctpc-chi2": "CTPC χ²", "ctpc-ks": "CTPC KS"}
    names |= {
        "ctpc-ks-published": "CTPC KS with the paper's bug",
        "empirical-bayes": "Empirical Bayes",
    }
    return names.get(label, label)


def states_name(states: str) -> str:
    """Return the paper's name of variables with this number of states."""
    if "," in states:
        return f"Mixed variables ({states.replace(',', ', ')} states)"
    names = {"2": "Binary variables", "3": "Ternary variables", "4": "Quaternary variables"}
    return names.get(states, f"Variables with {states} states")


def option(options: str, name: str) -> Any:
    """Return one of a learner's options from their JSON text, or None."""
    return json.loads(options).get(name)


def failure_text(cell: Mapping[str, Any]) -> str:
    """Return text such as "2 of 10 failed, 1 timed out", empty if every replicate is done."""
    counts = [(int(cell[name]), status) for status, name in FAILURES.items() if cell[name]]
    parts = [f"{count} {status}" for count, status in counts]
    if parts:
        parts[0] = parts[0].replace(" ", f" of {int(cell['replicates'])} ", 1)
    return ", ".join(parts)
