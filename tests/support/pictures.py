"""Visible faults of a picture, found from the bounding boxes of its texts."""

from __future__ import annotations

from itertools import combinations

from matplotlib.text import Text


def texts(figure):
    """Return every visible text with its bounding box in pixels."""
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    hidden = _ticks_not_drawn(figure)
    shown = []
    for text in figure.findobj(Text):
        if text.get_text().strip() and text.get_visible() and id(text) not in hidden:
            shown.append((text, text.get_window_extent(renderer)))
    return shown


def _ticks_not_drawn(figure):
    """Return ids of labels that axes keep for ticks outside of them or from an earlier, longer list."""
    hidden = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            drawn = axis._update_ticks() if axes.axison else []
            for tick in [*axis.majorTicks, *axis.minorTicks]:
                if tick not in drawn:
                    hidden |= {id(tick.label1), id(tick.label2)}
    return hidden


def faults(figure):
    """Return the texts that overlap or are cut off at the edge of the picture."""
    found = []
    boxes = texts(figure)
    width, height = figure.bbox.width, figure.bbox.height
    for text, box in boxes:
        if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1:
            found.append(f"{text.get_text()!r} is cut off")
    for (one, a), (two, b) in combinations(boxes, 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        up = min(a.y1, b.y1) - max(a.y0, b.y0)
        if across > 1 and up > 1:
            found.append(f"{one.get_text()!r} overlaps {two.get_text()!r}")
    return found
