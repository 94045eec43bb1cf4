"""Timelines of a few trajectories: a row per variable, a colour per state."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Patch

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError, printable
from ctbnlab.presentation import style

MAX_ROWS = 60
_DEFAULT_TRAJECTORIES = 5
_DEFAULT_ROWS = 30
# From the state that is usually the absence of something to those that are to stand out.
_COLOURS = ("#DADADA", style.BLUE, style.ORANGE, style.GREEN, style.VERMILLION, style.SKY_BLUE, style.PURPLE)
_HEIGHT = 0.76  # of a bar, in rows
_MOST_GROUPS = 6  # of states in the legend
_LONGEST = 28  # characters of a label
_GAP: dict[str, Any] = {"facecolor": "white", "edgecolor": "#B0B0B0", "hatch": "//////", "linewidth": 0}


class Segment(NamedTuple):
    """A stretch of time that a variable spends in one state; a gap has the number of states as code."""

    begin: float
    end: float
    code: int


def segments(data: Trajectories, trajectory: int, variable: int) -> list[Segment]:
    """Return what a variable does in a trajectory, from its start to its end."""
    events = slice(int(data.begin[trajectory]), int(data.stop[trajectory]))
    own = data.variable[events] == variable
    codes = [int(data.initial[trajectory, variable]), *data.new[events][own].tolist()]
    start, end = float(data.start[trajectory]), float(data.end[trajectory])
    times = [start, *data.time[events][own].tolist(), end]
    return [Segment(*each) for each in zip(times[:-1], times[1:], codes, strict=True)]


@style.styled
def draw_timelines(
    data: Trajectories,
    trajectories: int | Sequence[int] | None = None,
    variables: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the timelines of some trajectories and variables on axes; the first few by default."""
    columns = [data.index(name) for name in (data.names if variables is None else variables)]
    chosen = _chosen(data, trajectories, len(columns))
    if not chosen or not columns:
        raise InputError("there are no timelines to draw")
    rows = len(chosen) * len(columns)
    if rows > MAX_ROWS:
        raise InputError(f"{rows} timelines are too many for a picture (at most {MAX_ROWS}); choose some")
    # Time since the start if the starts differ, so that what is compared is below each other.
    since = len({float(data.start[t]) for t in chosen}) > 1
    entries = _legend_entries(data, columns)
    axes = ax if ax is not None else _new_axes(len(chosen) * (len(columns) + 1), entries)
    places, labels = [], []
    for k, trajectory in enumerate(chosen):
        top = k * (len(columns) + 1.0)
        shift = float(data.start[trajectory]) if since else 0.0
        axes.text(
            float(data.start[trajectory]) - shift, top + 0.42, _clipped(f"trajectory {data.ids[trajectory]}"),
            fontsize=8.5, color="#555555", va="bottom", parse_math=False,
        )  # fmt: skip
        for row, variable in enumerate(columns):
            places.append(top + row + 1)
            labels.append(_clipped(data.names[variable]))
            _draw_row(axes, data, variable, segments(data, trajectory, variable), places[-1], shift)
    axes.set_yticks(places, labels)
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
    axes.set_ylim(places[-1] + 0.6, 0.0)
    axes.grid(False)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("time since start" if since else "time")
    _draw_legend(axes, entries)
    return axes


def _chosen(data: Trajectories, given: int | Sequence[int] | None, n_columns: int) -> list[int]:
    if given is None:
        given = min(_DEFAULT_TRAJECTORIES, max(1, _DEFAULT_ROWS // max(n_columns, 1)))
    if isinstance(given, int):
        return list(range(min(given, len(data))))
    for place in given:
        if not -len(data) <= place < len(data):
            raise InputError(f"there are {len(data)} trajectories; {place} is out of range")
    return [int(place) % len(data) for place in given]


def _new_axes(rows: float, entries: Sequence[Patch]) -> Axes:
    from matplotlib import pyplot as plt

    lines = sum(str(entry.get_label()).count("\n") + 1 for entry in entries)
    height = max(0.22 * rows, 0.2 * lines) + 0.75
    axes: Axes = plt.figure(figsize=(8.0, height), layout="constrained").add_subplot()
    return axes


def _draw_row(
    axes: Axes, data: Trajectories, variable: int, line: Sequence[Segment], place: float, shift: float
) -> None:
    n_states = len(data.variables[variable].states)
    colours = colours_of(n_states)
    for code in sorted({segment.code for segment in line}):
        look: dict[str, Any] = _GAP if code == n_states else {"facecolor": colours[code], "linewidth": 0}
        spans = [(begin - shift, end - begin) for begin, end, each in line if each == code]
        axes.broken_barh(spans, (place - _HEIGHT / 2, _HEIGHT), **look)


def colours_of(n_states: int) -> list[str]:
    """Return a colour per state: distinct ones for a few states, a scale for many."""
    if n_states <= len(_COLOURS):
        return list(_COLOURS[:n_states])
    return [to_hex(colour) for colour in colormaps["viridis"](np.linspace(0, 1, n_states))]


def _legend_entries(data: Trajectories, columns: Sequence[int]) -> list[Patch]:
    """Return which colours are which states, once for all variables with the same states."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for variable in columns:
        groups.setdefault(data.variables[variable].states, []).append(data.names[variable])
    entries: list[Patch] = []
    for states, names in list(groups.items())[:_MOST_GROUPS]:
        if len(groups) > 1:
            entries.append(Patch(alpha=0, label=_heading(names)))
        shown = range(len(states)) if len(states) <= len(_COLOURS) else (0, len(states) // 2, len(states) - 1)
        colours = colours_of(len(states))
        entries += [Patch(facecolor=colours[x], label=_clipped(states[x])) for x in shown]
    if any(data.gaps[variable] for variable in columns):
        entries.append(Patch(label="unobserved", **_GAP))
    if len(groups) > _MOST_GROUPS:
        entries.append(Patch(alpha=0, label="other variables: in the\norder of their states"))
    return entries


def _draw_legend(axes: Axes, entries: Sequence[Patch]) -> None:
    legend = axes.legend(
        handles=list(entries), loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0, handlelength=1.2
    )
    for entry, text in zip(entries, legend.get_texts(), strict=True):
        text.set_parse_math(False)
        if entry.get_alpha() == 0:  # the names of variables, above their states
            text.set_color("#555555")
            text.set_fontsize(8.5)


def _heading(names: Sequence[str]) -> str:
    """Return the names of variables in a few lines."""
    lines = textwrap.wrap(printable(", ".join(names)), _LONGEST, max_lines=3, placeholder=" …")
    return "\n".join(lines)


def _clipped(text: str) -> str:
    text = printable(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
