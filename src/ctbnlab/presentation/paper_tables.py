"""Tables in the paper's arrangement: one per learner, nodes within states as rows, densities as columns.

Further factors of the design (trajectories in the first experiment, cores in the big networks) divide the
columns. Each row of our values is followed by a row of the published ones. Given networks are rows of their
own, by their labels.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from ctbnlab.errors import InputError
from ctbnlab.evaluation import summary
from ctbnlab.evaluation.claims import claims
from ctbnlab.io.files import replacing
from ctbnlab.presentation import claims_table
from ctbnlab.presentation.overview import overview
from ctbnlab.presentation.paper_table_formats import FORMATS, html_figure
from ctbnlab.presentation.table_writers import html_page

DIFFERS, EXTENSION = "†", "§"
NO_VALUE = "–"
FOOTNOTES = {
    DIFFERS: "differs from the published value by more than 0.01 and by more than the networks' spread "
    "explains at the 5% level",
    EXTENSION: "not in the paper's design: our extension",
    NO_VALUE: "no value; empty cells are not in this run's design",
}
TITLES = {
    "f1": "F1 score",
    "precision": "Precision",
    "recall": "Recall",
    "average_precision": "Average precision: area under the precision–recall curve of the ranked arcs",
    "roc_auc": "Area under the ROC curve of the ranked arcs",
    "shd": "Structural Hamming distance: arcs missed and invented",
    "cpu_seconds": "CPU time of learning (s)",
    "wall_seconds": "Wall-clock time of learning (s)",
    "peak_memory_mb": "Peak memory (MB)",
    "delta_bic_percent": "ΔBIC %: 100 (BIC of CTSS − BIC) / BIC of CTSS",
}
FILE_NAMES = {"cpu_seconds": "time", "wall_seconds": "time", "peak_memory_mb": "memory"}
HEADINGS = {
    "density": "Network density",
    "trajectories": "Trajectories",
    "duration": "Duration",
    "scattered": "Disjoint parts",
    "threads": "Cores",
}


@dataclass(frozen=True)
class Entry:
    """The text of one cell, with its marks and a remark on failures."""

    text: str
    marks: str = ""
    remark: str = ""

    @property
    def plain(self) -> str:
        """Text, marks and remark on one line."""
        return f"{self.text}{self.marks}" + (f" ({self.remark})" if self.remark else "")


@dataclass(frozen=True)
class Row:
    """The entries for one number of nodes or given network, from one source: "ours" or "published"."""

    nodes: int
    source: str
    entries: tuple[Entry, ...]
    network: str | None = None  # the label of a given network

    @property
    def label(self) -> str:
        """What the row is about."""
        return f"{self.nodes} nodes" if self.network is None else self.network


@dataclass(frozen=True)
class Table:
    """A table in the paper's arrangement, independent of any format."""

    title: str
    columns: tuple[tuple[str, ...], ...]  # for each column, its value of each heading
    headings: tuple[str, ...]
    groups: tuple[tuple[str, tuple[Row, ...]], ...]  # by number of states
    notes: tuple[str, ...] = field(default=())

    @property
    def has_published(self) -> bool:
        """Whether the table has rows of published values."""
        return any(row.source == "published" for _, rows in self.groups for row in rows)


def arrange(cells: pd.DataFrame, metric: str, learner: str) -> Table:
    """Return the table of one metric and learner."""
    chosen = cells[(cells["metric"] == metric) & (cells["learner"] == learner)]
    if chosen["network"].notna().any():
        return _arrange_networks(chosen, metric, learner)
    factors = ["density", *summary.free_factors(chosen)]
    micro = "micro" in set(chosen["average"])
    columns = sorted(set(chosen[factors].itertuples(index=False, name=None)))
    cell_at = {
        (cell["states"], cell["nodes"], *(cell[name] for name in factors)): cell
        for cell in chosen.to_dict("records")
    }
    groups = []
    for states in sorted(set(chosen["states"]), key=summary.states_key):
        rows: list[Row] = []
        for nodes in sorted(set(chosen.loc[chosen["states"] == states, "nodes"])):
            line = [cell_at.get((states, nodes, *column)) for column in columns]
            rows.append(Row(nodes, "ours", tuple(_our_entry(cell, metric, micro) for cell in line)))
            if any(_has_published(cell) for cell in line):
                rows.append(Row(nodes, "published", tuple(_published_entry(cell, metric) for cell in line)))
        groups.append((summary.states_name(states), tuple(rows)))
    table = Table(
        title=f"{TITLES[metric]}, {summary.display_name(learner)}",
        columns=tuple(tuple(f"{value:g}" for value in column) for column in columns),
        headings=tuple(HEADINGS[name] for name in factors),
        groups=tuple(groups),
    )
    return _with_notes(table, micro)


def _arrange_networks(chosen: pd.DataFrame, metric: str, learner: str) -> Table:
    """Return the table of given networks: a row for each."""
    factors = summary.free_factors(chosen)
    micro = "micro" in set(chosen["average"])
    keys = [tuple(cell[name] for name in factors) for cell in chosen.to_dict("records")]
    columns = sorted(set(keys))
    cell_at = dict(zip(zip(chosen["network"], keys, strict=True), chosen.to_dict("records"), strict=True))
    rows = []
    for network in sorted(set(chosen["network"].dropna())):
        line = [cell_at.get((network, column)) for column in columns]
        nodes = int(chosen.loc[chosen["network"] == network, "nodes"].iloc[0])
        rows.append(Row(nodes, "ours", tuple(_our_entry(cell, metric, micro) for cell in line), network))
    table = Table(
        title=f"{TITLES[metric]}, {summary.display_name(learner)}",
        columns=tuple(tuple(f"{value:g}" for value in column) or ("mean",) for column in columns),
        headings=tuple(HEADINGS[name] for name in factors) or ("Network",),
        groups=(("Given networks", tuple(rows)),),
    )
    return _with_notes(table, micro)


def _our_entry(cell: Mapping[Any, Any] | None, metric: str, micro: bool) -> Entry:
    if cell is None:
        return Entry("")
    marks = (DIFFERS if cell["agreement"] == summary.BEYOND else "") + (
        EXTENSION if cell["extension"] else ""
    )
    remark = summary.failure_text(cell)
    if not cell["n"]:
        return Entry(NO_VALUE, marks, remark)
    return Entry(_with_spread(cell["value"], math.nan if micro else cell["sd"], metric), marks, remark)


def _has_published(cell: Mapping[Any, Any] | None) -> bool:
    return cell is not None and not math.isnan(cell["published"])


def _published_entry(cell: Mapping[Any, Any] | None, metric: str) -> Entry:
    if cell is None:
        return Entry("")
    if not _has_published(cell):
        return Entry(NO_VALUE)
    if metric == "wall_seconds":
        return Entry(f"{cell['published'] / 60:.0f} min")
    return Entry(_with_spread(cell["published"], cell["published_sd"], metric))


def _with_spread(value: float, sd: float, metric: str) -> str:
    """Return "value (±sd)", both with the same number of decimals."""
    decimals = {"shd": 1, "delta_bic_percent": 3, "peak_memory_mb": 0}.get(metric, 3)
    if metric.endswith("seconds"):
        decimals = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 3
    known = [number for number in (value, sd) if not math.isnan(number)]
    if metric in ("f1", "precision", "recall", "average_precision", "roc_auc"):
        texts = list(map(fraction, known))
    else:
        texts = [f"{number:.{decimals}f}".replace("-", "−") for number in known]
    return texts[0] if len(texts) == 1 else f"{texts[0]} (±{texts[1]})"


def fraction(value: float) -> str:
    """Return a number between 0 and 1 as the paper prints it: .986, and 1.00."""
    text = f"{value:.3f}"
    return "1.00" if text == "1.000" else text.removeprefix("0")


def _with_notes(table: Table, micro: bool) -> Table:
    entries = [entry for _, rows in table.groups for row in rows for entry in row.entries]
    given = any(row.network is not None for _, rows in table.groups for row in rows)
    notes = [
        "Micro-averaged, like the published values: from counts of arcs summed over the networks."
        if micro
        else f"Mean over {'data sets' if given else 'networks'} (± standard deviation with divisor n − 1)."
    ]
    notes += [
        f"{mark} {text}."
        for mark, text in FOOTNOTES.items()
        if any(mark in entry.text + entry.marks for entry in entries)
    ]
    return Table(table.title, table.columns, table.headings, table.groups, tuple(notes))


def slug(label: str) -> str:
    """Return a learner's label in a form fit for file names."""
    return re.sub(r"[^\w.+-]+", "_", label)


def write_tables(metrics: pd.DataFrame, reference: str | None, folder: Path) -> list[Path]:
    """Write all tables in all formats, the paper's claims, all cells as one CSV, and the overview."""
    cells = summary.summarise(metrics, reference)
    labels = summary.learners(cells)
    by_slug: dict[str, str] = {}
    for label in labels:
        if by_slug.setdefault(slug(label), label) != label:
            raise InputError(
                f"the learners {by_slug[slug(label)]!r} and {label!r} have the same file name; rename one"
            )
    texts: dict[str, str] = {
        "cells.csv": cells.to_csv(index=False, float_format="%.9g", lineterminator="\n"),
        "summary.md": overview(metrics, cells, reference),
    }
    tables = []
    found = claims(metrics, reference)
    for ending, render_claims in claims_table.FORMATS.items() if found else ():
        texts[f"claims.{ending}"] = render_claims(found)
    for metric in _metrics_shown(metrics, reference):
        for label in labels:
            table = arrange(cells, metric, label)
            tables.append(table)
            for ending, render in FORMATS.items():
                texts[f"{FILE_NAMES.get(metric, metric)}_{slug(label)}.{ending}"] = render(table)
    title = f"Tables of {metrics['experiment'].iloc[0]}"
    first = [claims_table.html_figure(found)] if found else []
    texts["tables.html"] = html_page(title, [*first, *(html_figure(table) for table in tables)])
    return _write_all(texts, folder)


def _metrics_shown(metrics: pd.DataFrame, reference: str | None) -> Sequence[str]:
    # Tables of version 1 have no ranking.
    ranking = ("average_precision", "roc_auc") if metrics["roc_auc"].notna().any() else ()
    seconds = ("wall_seconds", "peak_memory_mb") if reference == "big" else ("cpu_seconds",)
    return ("f1", "precision", "recall", *ranking, "shd", "delta_bic_percent", *seconds)


def _write_all(texts: Mapping[str, str], folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        with replacing(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in texts]
