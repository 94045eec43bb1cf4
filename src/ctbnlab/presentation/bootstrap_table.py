"""The frequencies of arcs in a bootstrap, as lines for a terminal and as CSV."""

from __future__ import annotations

import csv
import io

from ctbnlab.learning.bootstrap_result import ArcRow, Bootstrap
from ctbnlab.model.names import arc_text
from ctbnlab.presentation.terminal import number, shown, table

# What to know wherever frequencies are shown.
CAUTION = (
    "frequencies show what depends on the choice of trajectories; they repeat the bias of a model that does "
    "not hold"
)
COLUMNS = ("from", "to", "frequency", "kept", "contrast", "rate_ratio", "low", "high")
# Arcs that are neither in the graph nor in this share of the replicates are counted, not listed.
LISTED = 0.1


def listed(found: Bootstrap) -> list[ArcRow]:
    """Return the rows of arcs that are in the graph or found often."""
    return [row for row in found.rows if row.kept or row.frequency >= LISTED]


def as_lines(found: Bootstrap) -> list[str]:
    """Return a table of the arcs that are in the graph or found often, and the number of others."""
    rows = listed(found)
    if not rows:
        return [f"No arc is in the graph or in {LISTED:.0%} of the replicates."]
    head = ["arc", "frequency", "in graph", "rate ratio", "95% interval", "contrast"]
    lines = table([head, *map(_cells, rows)], right=(1, 3))
    n = len(found.graph.names)
    others = n * (n - 1) - len(rows)
    if not others:
        return lines
    which = "The other possible arc" if others == 1 else f"Each of the {others:,} other arcs"
    return [*lines, f"{which} is in less than {LISTED:.0%} of the replicates."]


def _cells(row: ArcRow) -> list[str]:
    interval = "" if row.low is None else f"{number(row.low)} to {number(row.high)}"
    ratio = "" if row.rate_ratio is None else number(row.rate_ratio)
    kept = "yes" if row.kept else "no"
    arc = arc_text(row.source, row.target)
    return [arc, f"{row.frequency:.1%}", kept, ratio, interval, shown(row.contrast)]


def as_csv(found: Bootstrap) -> str:
    """Return all pairs of variables as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(["" if value is None else value for value in row] for row in found.rows)
    return text.getvalue()
