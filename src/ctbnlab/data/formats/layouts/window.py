"""Marks of whole trajectories, and the time during which they are observed.

Layouts that know when observation begins and ends, whatever their rows say, give marks in any order, those
from before the beginning included: what happened then gives the initial states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.arrow_writer import GAP
from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.labels import Place, Unsorted
from ctbnlab.errors import InputError

Floats = NDArray[np.float64]
Columns = tuple[NDArray[Any], ...]

# Marks of no variable tell when observation starts and ends: one of them, if they have these codes.
ONLY_START, ONLY_END = 1, 2
_ENDS_EARLY = "ends before it starts"
LONG_AGO = -np.inf  # the time of marks that hold from the beginning, unless a later one comes before it


def whole_trajectories(parts: Iterable[Columns]) -> Iterator[Columns]:
    """Yield columns, of which the first numbers trajectories in order, in parts that cut no trajectory."""
    held: list[Columns] = []
    for part in parts:
        if not len(part[0]):
            continue
        # Everything before the last trajectory is complete, what was held back of others included.
        last = int(np.searchsorted(part[0], part[0][-1]))
        if held and (last or held[-1][0][-1] != part[0][0]):
            held.append(tuple(column[:last] for column in part))
            yield _joined(held)
            held = []
        elif last:
            yield tuple(column[:last] for column in part)
        held.append(tuple(column[last:] for column in part))
    if held:
        yield _joined(held)


def _joined(parts: list[Columns]) -> Columns:
    return parts[0] if len(parts) == 1 else tuple(map(np.concatenate, zip(*parts, strict=True)))


class Spans(NamedTuple):
    """Rows that each last from a start to an end."""

    trajectory: NDArray[np.int64]
    row: NDArray[np.int64]
    start: Floats
    end: Floats

    def refuse(self, what: str, faults: dict[str, NDArray[np.bool_]], ids: list[str], place: Place) -> None:
        """Refuse the first row that has a fault, or that ends before it starts."""
        for fault, found in {**faults, _ENDS_EARLY: self.end < self.start}.items():
            if found.any():
                k = int(np.argmax(found))
                which = f"{what} of trajectory {ids[int(self.trajectory[k])]!r}"
                times = f" ({self.end[k]:.12g} < {self.start[k]:.12g})" if fault == _ENDS_EARLY else ""
                raise InputError(f"{which} {fault}{times}", place=place(int(self.row[k])))


class Window(NamedTuple):
    """When some consecutive trajectories, from number `first` on, are observed."""

    first: int
    start: Floats
    end: Floats

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The numbers of the trajectories."""
        return np.arange(self.first, self.first + len(self.start))


def span(trajectory: NDArray[np.int64], *times: Floats) -> Window:
    """Return the window from the first to the last of some times, missing ones left out, per trajectory."""
    first = int(trajectory.min())
    count = int(trajectory.max()) - first + 1
    start, end = np.full(count, np.inf), np.full(count, -np.inf)
    for time in times:
        np.fmin.at(start, trajectory - first, np.where(np.isfinite(time), time, np.nan))
        np.fmax.at(end, trajectory - first, np.where(np.isfinite(time), time, np.nan))
    start[np.isinf(start)] = end[np.isinf(end)] = np.nan
    return Window(first, start, end)


def require_order(marks: Marks, place: Place) -> None:
    """Refuse times that are not finite; have rows sorted that are not in the order of time."""
    odd = ~np.isfinite(marks.time)
    if odd.any():
        k = int(np.argmax(odd))
        fault = (
            "the time is missing" if np.isnan(marks.time[k]) else f"the time {marks.time[k]} is not finite"
        )
        raise InputError(fault, place=place(int(marks.row[k])))
    same = marks.trajectory[1:] == marks.trajectory[:-1]
    if (same & (marks.time[1:] < marks.time[:-1])).any():
        raise Unsorted


def bounds(marks: Marks) -> Window:
    """Return the window that the marks of no variable tell."""
    times = np.where(marks.variable < 0, marks.time, np.nan)
    start = span(marks.trajectory, np.where(marks.new == ONLY_END, np.nan, times))
    return start._replace(end=span(marks.trajectory, np.where(marks.new == ONLY_START, np.nan, times)).end)


def require_ends(window: Window, ids: list[str], advice: str, marks: Marks, place: Place) -> None:
    """Refuse trajectories without a start or an end, and those that end before they start."""
    for fault, found in (
        ("has no start", np.isnan(window.start)),
        ("has no end", np.isnan(window.end)),
        ("ends before it starts", window.end < window.start),
    ):
        if found.any():
            k = int(np.argmax(found))
            more = f"; {advice}"
            if fault.startswith("ends"):
                more = f" ({window.end[k]:.12g} < {window.start[k]:.12g})"
            rows = marks.row[marks.trajectory == window.first + k]
            raise InputError(
                f"trajectory {ids[window.first + k]!r} {fault}{more}",
                place=place(int(rows.min())) if len(rows) else None,
            )


def until_change(marks: Marks, window: Window, variable: int) -> Window:
    """Return the window up to the first change of a variable to another state than its first."""
    index = marks.trajectory - window.first
    changes = (marks.variable == variable) & (marks.new > 0) & (marks.time > window.start[index])
    end = window.end.copy()
    np.minimum.at(end, index[changes], marks.time[changes])
    return window._replace(end=end)


def observed(marks: Marks, window: Window) -> tuple[Marks, int]:
    """Return the marks within the window, in order, with one at each end; and how many come later.

    Of the marks up to the start, those of each variable's last instant count, at the start. Marks of no
    variable are left out, and gaps that would begin at the end.
    """
    index = marks.trajectory - window.first
    late = marks.time > window.end[index]
    ends_all = (marks.new == GAP) & (marks.time == window.end[index]) & (marks.time > window.start[index])
    idle = (marks.variable < 0) | ends_all
    chosen = np.flatnonzero(~late & ~idle)
    chosen = chosen[np.lexsort((marks.time[chosen], index[chosen]))]
    index = index[chosen]
    time = np.maximum(marks.time[chosen], window.start[index])
    early = np.flatnonzero(time == window.start[index])
    # The last of each trajectory and variable is the first in reverse. Others of its time are kept, so that
    # they can be found to contradict it; but nothing contradicts what has held for ever.
    width = int(marks.variable.max(initial=0)) + 1
    key = index[early] * width + marks.variable[chosen[early]]
    _, last, which = np.unique(key[::-1], return_index=True, return_inverse=True)
    last = len(early) - 1 - last
    moment = marks.time[chosen[early]]
    keep = np.ones(len(chosen), bool)
    keep[early] = np.isfinite(moment) & (moment == moment[last][which[::-1]])
    keep[early[last]] = True
    chosen, time, index = chosen[keep], time[keep], index[keep]
    ends = len(window.end)
    rows = np.zeros(ends, np.int64)
    rows[marks.trajectory - window.first] = marks.row
    unknown = np.ones(ends, bool)  # if nothing is known at the start, a gap tells when it is
    unknown[index[time == window.start[index]]] = False
    blank = np.flatnonzero(unknown)
    columns = (
        np.concatenate([blank, index, np.arange(ends)]) + window.first,
        np.concatenate([rows[blank], marks.row[chosen], rows]),
        np.concatenate([window.start[blank], time, window.end]),
        np.concatenate([np.zeros(len(blank), np.int32), marks.variable[chosen], np.full(ends, -1, np.int32)]),
        np.concatenate([np.full(len(blank), GAP, np.uint8), marks.new[chosen], np.zeros(ends, np.uint8)]),
    )
    order = np.lexsort((columns[2], columns[0]))
    return Marks(*(column[order] for column in columns)), int((late & (marks.variable >= 0)).sum())


def marks_of(
    trajectory: NDArray[np.int64],
    row: NDArray[np.int64],
    time: Floats,
    variable: int,
    code: NDArray[np.integer[Any]] | int,
) -> Marks:
    """Return marks of one variable."""
    return Marks(
        trajectory,
        row,
        time,
        np.full(len(trajectory), variable, np.int32),
        np.broadcast_to(np.asarray(code, np.uint8), len(trajectory)).copy(),
    )


def initial_marks(window: Window, variable: int, code: int) -> Marks:
    """Return marks by which a variable is in a state from the start on, unless another mark comes."""
    count = len(window.start)
    return marks_of(window.numbers, np.zeros(count, np.int64), np.full(count, LONG_AGO), variable, code)
