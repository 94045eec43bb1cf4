"""A graph as SVG of a few kilobytes, for notebooks; letters are text, so that it stays small."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.patches import Ellipse

from ctbnlab.presentation.draw.arrows import paths, tip_length
from ctbnlab.presentation.draw.graph_picture import MARGIN, Drawing, Picture, arc_width
from ctbnlab.presentation.report.markup import Html, element, joined

_PIXELS = 96  # per inch
_DASHES = {"-": None, ":": "2 3", "--": "5 3"}
_LINE = "#3A3A3A"


def small_svg(drawing: Drawing) -> Html:
    """Return the picture of a graph; curves and nodes are those of `plot`, and there is no legend."""
    picture = Picture.of(drawing)
    shift = picture.shift_to((0.0, 0.0))
    width, height = picture.graph_size
    nodes = [
        Ellipse((float(x), float(height - y)), float(w), float(h))
        for (x, y), (w, h) in zip(picture.positions + shift, picture.sizes, strict=True)
    ]
    index = {name: i for i, name in enumerate(drawing.names)}
    arcs = [_arc(drawing, arc, nodes, index, picture.bend) for arc in drawing.arcs]
    drawn = [
        _node(drawing, *each, picture.font) for each in zip(nodes, picture.labels, drawing.names, strict=True)
    ]
    return element(
        "svg",
        *arcs,
        *drawn,
        xmlns="http://www.w3.org/2000/svg",
        width=_px(width),
        height=_px(height),
        viewBox=f"0 0 {_px(width)} {_px(height)}",
        style="background:#fff;max-width:100%;height:auto",
        font_family="DejaVu Sans,Verdana,sans-serif",
        text_anchor="middle",
    )


def _arc(
    drawing: Drawing,
    arc: tuple[str, str],
    nodes: Sequence[Ellipse],
    index: Mapping[str, int],
    bend: Mapping[tuple[int, int], float],
) -> Html:
    tail, head = index[arc[0]], index[arc[1]]
    width = arc_width(arc, drawing.strength, drawing.ranked)
    # Downwards is positive here, so that a bend to the left in a figure has the other sign.
    shaft, path = paths(nodes[tail], nodes[head], -bend[tail, head], tip_length(width))
    start, middle, end = (_point(xy) for xy in np.asarray(shaft.vertices))
    line = element(
        "path", d=f"M{start}Q{middle} {end}", fill="none", stroke=_LINE, stroke_width=f"{width:.1f}"
    )
    return joined([line, _tip(np.asarray(path.vertices), tip_length(width) / 72)])


def _tip(vertices: np.ndarray, length: float) -> Html:
    end = vertices[-1]
    along = end - vertices[-2]
    along = along / (np.hypot(*along) or 1.0) * length
    across = 0.4 * np.array([-along[1], along[0]])
    corners = (end, end - along + across, end - along - across)
    return element("path", d=f"M{'L'.join(map(_point, corners))}Z", fill=_LINE)


def _node(drawing: Drawing, node: Ellipse, label: str, name: str, font: float) -> Html:
    look = drawing.marks.look(name)
    x, y = node.center
    ellipse = element(
        "ellipse",
        cx=_px(x),
        cy=_px(y),
        rx=_px(node.width / 2),
        ry=_px(node.height / 2),
        fill=look["facecolor"],
        stroke=look["edgecolor"],
        stroke_dasharray=_DASHES[look["linestyle"]],
    )
    lines = label.split("\n") if label else []
    step = 1.25 * font / 72
    texts = (
        element("text", line, x=_px(x), y=_px(y + (k - (len(lines) - 1) / 2) * step + 0.36 * font / 72),
                font_size=f"{font * _PIXELS / 72:.1f}")
        for k, line in enumerate(lines)
    )  # fmt: skip
    return joined([ellipse, *texts, *_own_clock(drawing, node, name)])


def _own_clock(drawing: Drawing, node: Ellipse, name: str) -> Iterable[Html]:
    if name in drawing.marks.own_clocks:
        x, y = node.center
        yield element("text", "↻", x=_px(x + node.width / 2), y=_px(y - node.height / 2 + MARGIN / 2))


def _px(inches: float) -> str:
    return f"{inches * _PIXELS:.1f}".removesuffix(".0")


def _point(xy: np.ndarray) -> str:
    return f"{_px(xy[0])},{_px(xy[1])}"
