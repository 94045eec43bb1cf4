"""Learned graphs side by side: what each learner says of each arc, as text tables."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Sequence
from typing import Any

from ctbnlab.learning.graph import LearnedGraph

Table = list[list[str]]  # the first row is the header

_STYLE = (
    "body{font-family:system-ui,sans-serif;margin:2rem}table{border-collapse:collapse}"
    "th,td{padding:.3rem .8rem;border-bottom:1px solid #8885;text-align:left}"
    "caption{text-align:left;padding-bottom:.5rem}"
)


def side_by_side(graphs: Sequence[LearnedGraph]) -> Table:
    """Return a row for each arc that some graph has, and in how many of them it is."""
    kept = [
        {(row["from"], row["to"]): strength(row) for row in graph.evidence if row["kept"]} for graph in graphs
    ]
    names = graphs[0].names
    place = {name: i for i, name in enumerate(names)}
    arcs = sorted({arc for rows in kept for arc in rows}, key=lambda arc: (place[arc[1]], place[arc[0]]))
    table = [["arc", *labels(graphs), "learners"]]
    for arc in arcs:
        cells = [rows.get(arc, "–") for rows in kept]
        count = sum(arc in rows for rows in kept)
        table.append([f"{arc[0]} → {arc[1]}", *cells, f"{count} of {len(graphs)}"])
    return table


def labels(graphs: Sequence[LearnedGraph]) -> list[str]:
    """Return the learners' names, numbered where two are the same."""
    names = [str(graph.learner.get("name", "learner")) for graph in graphs]
    return [
        name if names.count(name) == 1 else f"{name} ({names[: i + 1].count(name)})"
        for i, name in enumerate(names)
    ]


def strength(row: dict[str, Any]) -> str:
    """Say in few words how strong the evidence for an arc is."""
    if row["why"] == "required":
        return "required"
    if "gain" in row:
        return f"score gain {float(row['gain']):.4g}"
    if "p_value" in row:
        return f"p ≤ {float(row['p_value']):.2g}"
    return str(row["why"])


def as_csv(graphs: Sequence[LearnedGraph]) -> str:
    """Return every arc's whole evidence by every learner, kept or not, as CSV."""
    columns = ["from", "to", "kept", "why", "p_value", "statistic", "degrees_of_freedom", "gain"]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["learner", *columns, "separating_set"])
    for label, graph in zip(labels(graphs), graphs, strict=True):
        for row in graph.evidence:
            separating = row.get("separating_set")
            cells = [row.get(column, "") for column in columns]
            writer.writerow([label, *cells, "" if separating is None else "{" + "; ".join(separating) + "}"])
    return text.getvalue()


def as_markdown(table: Table) -> str:
    """Return a table as Markdown."""
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in table]
    widths = [max(map(len, column)) for column in zip(*escaped, strict=True)]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |"
        for row in escaped
    ]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines) + "\n"


def as_html(table: Table) -> str:
    """Return a table as a page of its own."""
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in table[0])
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in table[1:]
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Arcs</title><style>{_STYLE}</style>\n'
        f"<table><caption>Arcs that at least one learner found, and the evidence of each learner.</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></html>\n"
    )
