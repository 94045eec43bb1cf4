"""Several learned graphs side by side: each learner's evidence for each arc, as CSV, Markdown or HTML."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.model.names import arc_text
from ctbnlab.presentation.table_writers import html_page, html_row, html_table, markdown_table, markdown_text
from ctbnlab.presentation.terminal import below, number, three_digits

# The parts of an effect, by their columns in CSV.
EFFECT_COLUMNS = {
    "rate_ratio": "rate_ratio",
    "rate_ratio_low": "low",
    "rate_ratio_high": "high",
    "rate_variation": "variation",
    "information_share": "information",
}
CAPTION = "Arcs found by at least one learner, with each learner's evidence."


def side_by_side(graphs: Sequence[LearnedGraph]) -> list[list[str]]:
    """Return a header and a row for each arc in any graph: each learner's evidence, and how many found it."""
    evidence = [
        {(row["from"], row["to"]): strength(row) for row in graph.evidence if row["kept"]} for graph in graphs
    ]
    index = {name: i for i, name in enumerate(graphs[0].names)}
    arcs = sorted({arc for rows in evidence for arc in rows}, key=lambda arc: (index[arc[1]], index[arc[0]]))
    table = [["arc", *labels(graphs), "learners"]]
    for arc in arcs:
        cells = [rows.get(arc, "–") for rows in evidence]
        count = sum(arc in rows for rows in evidence)
        table.append([arc_text(*arc, arrow=" → "), *cells, f"{count} of {len(graphs)}"])
    return table


def labels(graphs: Sequence[LearnedGraph]) -> list[str]:
    """Return the learners' names, numbered if several are the same."""
    names = [str(graph.learner.get("name", "learner")) for graph in graphs]
    return [
        name if names.count(name) == 1 else f"{name} ({names[: i + 1].count(name)})"
        for i, name in enumerate(names)
    ]


def strength(row: dict[str, Any]) -> str:
    """Return a few words on how strong the evidence for an arc is."""
    if row["why"] == "required":
        return "required"
    if "probability" in row:
        return f"probability {probability_text(row['probability'])}"
    if "gain" in row:
        return f"score gain {number(float(row['gain']))}"
    if "p_value" in row:
        bounds = {"p": row["p_value"], "q": row.get("q_value")}
        return ", ".join(below(name, float(value)) for name, value in bounds.items() if value is not None)
    return str(row["why"])


def probability_text(probability: float) -> str:
    """Return a probability with three decimals; one that is nearly 0 or 1 is not shown as certain."""
    if probability > 0.9995:
        return "> 0.999"
    return "< 0.001" if probability < 0.0005 else f"{probability:.3f}"


def effect_text(row: dict[str, Any]) -> str:
    """Return how large an arc's effect is, such as `rates ×2.1 (1.8–2.5)`; empty if it is not known."""
    if "effect" not in row:
        return ""
    ratio, low, high = (three_digits(float(row["effect"][name])) for name in ("rate_ratio", "low", "high"))
    return f"rates ×{ratio} ({low}–{high})"


def as_csv(graphs: Sequence[LearnedGraph], guard_formulas: bool = False) -> str:
    """Return all evidence of every learner for every arc, found or not, as CSV.

    With `guard_formulas`, a text that a spreadsheet would compute gets a leading single quote.
    """
    columns = ["from", "to", "kept", "why", "probability", "p_value", "q_value"]
    columns += ["statistic", "degrees_of_freedom", "gain"]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["learner", *columns, "separating_set", *EFFECT_COLUMNS])
    for label, graph in zip(labels(graphs), graphs, strict=True):
        for row in graph.evidence:
            separating = row.get("separating_set")
            cells = [label, *(row.get(column, "") for column in columns)]
            cells.append("" if separating is None else "{" + "; ".join(separating) + "}")
            cells += [row.get("effect", {}).get(key, "") for key in EFFECT_COLUMNS.values()]
            writer.writerow(map(guarded, cells) if guard_formulas else cells)
    return text.getvalue()


def guarded(cell: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula; numbers stay, negative ones too."""
    if not isinstance(cell, str) or not cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return cell
    return cell if cell in ("inf", "-inf", "nan") else f"'{cell}"


def as_markdown(graphs: Sequence[LearnedGraph]) -> str:
    """Return the graphs side by side as Markdown, with names shown as text."""
    head, *body = ([markdown_text(cell) for cell in row] for row in side_by_side(graphs))
    return markdown_table(head, body) + "\n"


def as_html(graphs: Sequence[LearnedGraph]) -> str:
    """Return the graphs side by side as a self-contained page."""
    head, *body = side_by_side(graphs)
    table = html_table(CAPTION, [html_row(head, "th")], [map(html_row, body)], css_class="text")
    return html_page("Arcs", [table])
