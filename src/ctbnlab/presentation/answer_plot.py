"""Answers as figures: curves over time with bands, stacked occupancy, first passage, bars."""

from __future__ import annotations

import math
import os
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ctbnlab.errors import InputError, printable
from ctbnlab.inference.answer import Answer
from ctbnlab.presentation import style

KINDS = ("curves", "stacked")
MAX_PANELS = 24
_COLOURS = (
    style.BLUE,
    style.VERMILLION,
    style.GREEN,
    style.PURPLE,
    style.ORANGE,
    style.SKY_BLUE,
    style.BLACK,
)
_DASHES: tuple[Any, ...] = ("-", "--", "-.", ":")
Row = dict[str, Any]


def plot_answer(
    answer: Answer,
    path: str | os.PathLike[str] | None = None,
    kind: str = "curves",
    format: str | None = None,
) -> Figure:
    """Draw an answer, and write it to a .svg, .pdf or .png file, or as `format`, if a path is given.

    Probabilities over time are curves with bands, a panel per variable, or areas on top of each other if
    `kind` is "stacked". First passage is one panel with a curve per target; what does not depend on time is
    bars.
    """
    if kind not in KINDS:
        raise InputError(f"unknown kind of figure {kind!r}; choose {', '.join(KINDS)}")
    if path is not None:
        style.picture_format(path, format)
    figure = _drawn(answer, kind)
    if path is not None:
        style.save(figure, Path(path), format)
    return figure


@style.styled
def _drawn(answer: Answer, kind: str) -> Figure:
    rows = answer.rows()
    if answer.question == "first passage":
        return _passage(answer, [row for row in rows if row["quantity"] == "reached by"])
    panels = _panels(rows)
    if len(panels) > MAX_PANELS:
        raise InputError(f"a figure has at most {MAX_PANELS} panels, not {len(panels)}; name fewer variables")
    over_time = len({row.get("time") for row in rows}) > 1
    columns = min(len(panels), 3)
    lines = math.ceil(len(panels) / columns)
    figure = style.new_figure(3.6 * columns + 0.4, 2.5 * lines + 0.3)
    for number, (title, chosen) in enumerate(panels.items()):
        axes = figure.add_subplot(lines, columns, number + 1)
        axes.set_title("\n".join(textwrap.wrap(printable(title), 40)), parse_math=False)
        if not over_time:
            _bars(axes, answer, chosen)
        elif kind == "stacked":
            _stack(axes, answer, chosen)
        else:
            _curves(axes, answer, chosen)
        if over_time:
            axes.set_xlabel("time")
            axes.set_ylim(-0.02, 1.02)
            axes.set_ylabel("probability")
    return figure


def _panels(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of each panel by its title."""
    result: dict[str, list[Row]] = {}
    for row in rows:
        if "quantity" in row:
            title = f"{row.get('variable', '')} ({row['quantity']})" if "variable" in row else row["quantity"]
        else:
            title = row.get("variable", "joint states")
        result.setdefault(title, []).append(row)
    return result


def _label(answer: Answer, row: Row) -> str:
    known = {"time", "variable", "quantity", answer.value, "standard_error", "low", "high", "without"}
    known |= {name for name in row if name.startswith("difference")}
    parts = [str(value) for name, value in row.items() if name not in known and value not in (None, "")]
    return printable(", ".join(parts)) if "to" not in row else printable(" → ".join(parts))


def _series(answer: Answer, rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(_label(answer, row), []).append(row)
    return found


def _curves(axes: Axes, answer: Answer, rows: Sequence[Row]) -> None:
    series = _series(answer, rows)
    if len(series) == 2 and "variable" in rows[0]:  # one curve says all about a variable of two states
        series = dict(list(series.items())[1:])
    for number, (label, chosen) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        dash = _DASHES[number // len(_COLOURS) % len(_DASHES)]
        _curve(axes, answer, chosen, label, colour, dash)
    axes.legend(fontsize=8)


def _curve(axes: Axes, answer: Answer, rows: Sequence[Row], label: str, colour: str, dash: Any) -> None:
    times = [row["time"] for row in rows]
    middle = [row[answer.value] for row in rows]
    axes.plot(times, middle, color=colour, linestyle=dash, label=label)
    low, high = _band(answer, rows)
    if low:
        axes.fill_between(times, low, high, color=colour, alpha=0.2, linewidth=0)
    if "without" in rows[0]:
        axes.plot(
            times, [row["without"] for row in rows], color=colour, linestyle=":", label=f"{label}, without"
        )


def _band(answer: Answer, rows: Sequence[Row]) -> tuple[list[float], list[float]]:
    if "low" in rows[0]:
        return [row["low"] for row in rows], [row["high"] for row in rows]
    if rows[0].get("standard_error") is not None:
        pairs = [(row[answer.value], 1.96 * row["standard_error"]) for row in rows]
        return [m - e for m, e in pairs], [m + e for m, e in pairs]
    return [], []


def _stack(axes: Axes, answer: Answer, rows: Sequence[Row]) -> None:
    series = _series(answer, rows)
    times = [row["time"] for row in next(iter(series.values()))]
    heights = [[row[answer.value] for row in chosen] for chosen in series.values()]
    colours = [_COLOURS[k % len(_COLOURS)] for k in range(len(series))]
    axes.stackplot(times, heights, labels=list(series), colors=colours, alpha=0.75)
    axes.legend(fontsize=8, frameon=True, framealpha=0.8)


def _bars(axes: Axes, answer: Answer, rows: Sequence[Row]) -> None:
    labels = [_label(answer, row) for row in rows]
    heights = [row[answer.value] if math.isfinite(row[answer.value]) else 0.0 for row in rows]
    places = list(range(len(rows)))
    axes.barh(places, heights, color=style.BLUE, height=0.6)
    low, high = _band(answer, rows)
    if low:
        errors = [
            [m - a for m, a in zip(heights, low, strict=True)],
            [b - m for m, b in zip(heights, high, strict=True)],
        ]
        axes.errorbar(heights, places, xerr=errors, fmt="none", ecolor=style.BLACK, elinewidth=1)
    if "without" in rows[0]:
        axes.plot([row["without"] for row in rows], places, "o", color=style.VERMILLION, label="without")
        axes.legend(fontsize=8)
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    axes.set_xlabel(answer.value if answer.value != "value" else "")


def _passage(answer: Answer, rows: Sequence[Row]) -> Figure:
    if len({row["time"] for row in rows}) < 2:
        raise InputError("a figure of first passage needs at least two times, by which targets are reached")
    figure = style.new_figure(5.4, 3.2)
    axes = figure.add_subplot()
    series: dict[str, list[Row]] = {}
    for row in rows:
        series.setdefault(printable(row["target"]), []).append(row)
    for number, (label, chosen) in enumerate(series.items()):
        _curve(axes, answer, chosen, label, _COLOURS[number % len(_COLOURS)], "-")
    axes.set_xlabel("time")
    axes.set_ylabel(
        "probability that it was reached first" if len(series) > 1 else "probability that it was reached"
    )
    axes.set_ylim(-0.02, 1.02)
    axes.legend()
    return figure
