"""The section with the graph to explore: its controls, and its nodes and arcs for the script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ctbnlab.errors import printable
from ctbnlab.io.shown import counted
from ctbnlab.presentation.page.arc_findings import ArcFinding
from ctbnlab.presentation.page.graph_positions import stress_positions
from ctbnlab.presentation.page.page_content import PageContent, short
from ctbnlab.presentation.report.markup import Html, element, joined, paragraph
from ctbnlab.presentation.report.page_layout import Section
from ctbnlab.presentation.terminal import cells

MAX_BOXES = 40  # nodes that are boxes with their names; more are dots
_LONGEST = 22  # characters of a name in a box
_PIXELS = 100  # per inch, in which positions are computed


def graph_section(content: PageContent, arcs: Sequence[ArcFinding]) -> Section:
    """Return the section; the script draws the graph from `graph_data`."""
    kept = sum(arc.kept for arc in arcs)
    description = (
        f"Graph of {counted(len(content.graph.variables), 'variable')} and {counted(kept, 'arc')}. "
        "The table of arcs has the same."
    )
    intro = paragraph(
        "An arc from A to B: the rates of B depend on the state of A. Wider arcs have larger effects, "
        "fainter ones are less probable. Select a variable or an arc to see the evidence; drag to move, "
        "scroll or pinch to zoom."
    )
    frame = element(
        "div",
        element("div", id="graph-canvas", data_description=description),
        element(
            "div",
            id="graph-details",
            class_="details",
            role="region",
            aria_label="Selected",
            aria_live="polite",
            tabindex="0",
        ),
        class_="graph-frame",
    )
    without = element("noscript", paragraph("The graph needs scripts; the table of arcs has the same."))
    return Section(
        "Graph", joined([intro, without, element("div", id="graph-tools"), frame, _legend(content)])
    )


def _legend(content: PageContent) -> Html:
    roles = content.graph.roles
    marks = []
    if roles.static:
        marks.append(("static", "static: never changes"))
    if roles.terminal:
        marks.append(("terminal", "terminal: ends the trajectory"))
    if roles.clocks:
        marks.append(("clock", "clock: changes by itself with time"))
    if content.graph.own_clocks:
        marks.append(("own", "↻: its rates follow the time since its own last change"))
    if content.truth is not None:
        marks += [
            ("found", "found, and true"),
            ("missed", "missed: true, and not found"),
            ("invented", "invented: found, and not true"),
        ]
    items = (element("li", words, class_=f"mark-{mark}") for mark, words in marks)
    return element("ul", *items, class_="legend", id="graph-legend", aria_label="Legend")


def graph_data(content: PageContent, arcs: Sequence[ArcFinding]) -> dict[str, Any]:
    """Return the nodes with their positions, and the arcs with all that is known about them."""
    names = content.graph.names
    index = {name: i for i, name in enumerate(names)}
    boxes = len(names) <= MAX_BOXES
    sizes = np.array([_size(name, boxes) for name in names]).reshape(-1, 2)
    pairs = [(index[arc.source], index[arc.target]) for arc in arcs if arc.kept]
    centres = stress_positions(len(names), pairs, sizes, _arc_length(len(names)))
    own = content.graph.own_clocks
    roles = content.graph.roles
    notes: dict[int, list[str]] = {}
    for node in content.graph.nodes:
        notes[node.target] = [printable(note) for note in node.notes]
    warnings: dict[str, list[str]] = {}
    for check in content.graph.checks or ():
        if check.warns and check.variable is not None:
            warnings.setdefault(check.variable, []).append(printable(check.message))
    return {
        "boxes": boxes,
        "nodes": [
            {
                "label": _clipped(printable(name)),
                "role": roles.role_of(name) or "",
                "own": name in own,
                "x": round(float(centres[i, 0]) * _PIXELS),
                "y": round(-float(centres[i, 1]) * _PIXELS),
                "w": round(float(sizes[i, 0]) * _PIXELS),
                "h": round(float(sizes[i, 1]) * _PIXELS),
                "notes": notes.get(i, []),
                "warnings": warnings.get(name, []),
            }
            for i, name in enumerate(names)
        ],
        "arcs": [_arc(arc, index) for arc in arcs],
    }


def _arc(arc: ArcFinding, index: Mapping[str, int]) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "from": index[arc.source],
        "to": index[arc.target],
        "kept": arc.kept,
        "strength": arc.strength,
        "why": printable(str(arc.evidence.get("why", ""))),
        "probability": short(arc.probability),
        "ratio": short(arc.effect("rate_ratio")),
        "low": short(arc.effect("low")),
        "high": short(arc.effect("high")),
        "information": short(arc.effect("information"), 2),
        "contrast": printable(arc.contrast),
        "frequency": short(arc.frequency, 3),
        "by": {printable(label): printable(found) for label, found in arc.by.items()},
        "truth": arc.truth,
    }
    return {key: value for key, value in entry.items() if value not in (None, "", {})}


def _size(name: str, boxes: bool) -> tuple[float, float]:
    """Return the width and height of a node in inches: of its box, or of what a dot needs for its name."""
    if not boxes:
        return 0.9, 0.45
    return max(0.62, 0.085 * cells(_clipped(printable(name))) + 0.3), 0.36


def _arc_length(n: int) -> float:
    """Return the length of arcs in inches: small graphs have room, and of large ones more is in view."""
    return 1.9 if n <= 8 else 1.5 if n <= 16 else 1.25


def _clipped(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
