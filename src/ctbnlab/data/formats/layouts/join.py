"""A table and its table of people, joined: when each trajectory is observed, and all of its variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ctbnlab.data.arrow_writer import GAP
from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.labels import Place, TrajectoryIds, Unsorted
from ctbnlab.data.formats.layouts.people import People
from ctbnlab.data.formats.layouts.window import (
    Window,
    bounds,
    initial_marks,
    marks_of,
    observed,
    require_ends,
    require_order,
    span,
    until_change,
    whole_trajectories,
)
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import Reading, Source
from ctbnlab.errors import InputError, shown


def joined(
    reading: Reading, people: People | None, source: Source, options: Options, *, in_order: bool
) -> Reading:
    """Return the reading of a table with its trajectories' windows, and with the variables of the people.

    Unless the rows are known to be `in_order`, a trajectory may have more of them further on.
    """
    if people is not None:
        people.require_same_kind(source, reading.order[1], options)
    complete = in_order or None in reading.order
    return _Joined(reading, people, source.place, options.missing, complete).reading()


class _Joined:
    """Adds to the marks of each trajectory what is known of it."""

    def __init__(self, inner: Reading, people: People | None, place: Place, missing: str, complete: bool):
        self._inner, self._people, self._place = inner, people, place
        self._missing, self._complete = missing, complete
        self._ids: TrajectoryIds = inner.ids
        self._n_late = self._n_unknown = self._n_without_rows = 0

    def reading(self) -> Reading:
        """Return the reading of both tables."""
        inner, people = self._inner, self._people
        names = [codes.name for codes in inner.states]
        more = people.states if people is not None else []
        for codes in more:
            if codes.name in names:
                raise InputError(f"both tables have a variable {codes.name!r}; choose with --variables")
        return inner._replace(
            states=[*inner.states, *more],
            marks=self._marks(),
            closing=True,
            notes=[*inner.notes, *(people.notes if people is not None else [])],
            births=inner.births if people is None or "birth" not in people.times else self._births,
            outside=None,
            late_notes=self._late_notes,
        )

    def _marks(self) -> Iterator[Marks]:
        inner, people = self._inner, self._people
        advice = "fill it in, or give a table of people with --people"
        if people is not None:
            advice = "name the columns of its start and end with --start and --end, or a number: --start 0"
        parts = whole_trajectories(inner.marks) if inner.outside is None else inner.marks
        for marks in (Marks(*columns) for columns in parts):
            if inner.outside is None:
                require_order(marks, self._place)
                window = span(marks.trajectory, marks.time)
            else:
                window = bounds(marks)
            yield self._joined(marks, window, advice)
        # People without any row are observed, too, if the layout knows states before the first change.
        knows = any(code is not None for code in inner.outside or ())
        if people is not None and knows:
            first = len(self._ids.ids)
            self._n_without_rows = sum([self._ids.add(label) for label in people.index])
            if self._n_without_rows:
                unknown = np.full(self._n_without_rows, np.nan)
                nothing = np.empty(0, np.int64)
                none = marks_of(nothing, nothing, np.empty(0), 0, 0)
                yield self._joined(none, Window(first, unknown, unknown.copy()), advice)

    def _joined(self, marks: Marks, window: Window, advice: str) -> Marks:
        inner, people = self._inner, self._people
        outside: Sequence[int | None] = inner.outside or ()
        parts = [initial_marks(window, j, code) for j, code in enumerate(outside) if code is not None]
        parts.append(marks)
        if people is not None:
            labels = self._ids.ids[window.first : window.first + len(window.start)]
            rows = np.array([people.index.get(label, -1) for label in labels], np.int64)
            self._n_unknown += int((rows < 0).sum())
            window = people.window(window, rows)
            parts += people.marks(window, rows, len(inner.states))
        try:
            require_ends(window, self._ids.ids, advice, marks, self._place)
        except InputError:
            if self._complete:
                raise
            raise Unsorted from None
        every = Marks.joined(parts)
        for j, codes in enumerate(inner.states):
            if codes.name in inner.roles.terminal:
                window = until_change(every, window, j)
        if self._missing == "hold":
            every = every.part(every.new != GAP)
        result, late = observed(every, window)
        self._n_late += late
        if self._missing == "error" and (result.new == GAP).any():
            if not self._complete:
                raise Unsorted
            self._refuse_gap(result)
        return result

    def _refuse_gap(self, marks: Marks) -> None:
        k = int(np.argmax(marks.new == GAP))
        people = [] if self._people is None else self._people.states
        name = [*self._inner.states, *people][int(marks.variable[k])].name
        which = f"variable {name!r} of trajectory {self._ids.ids[int(marks.trajectory[k])]!r}"
        raise InputError(
            f"{which} is unobserved from {marks.time[k]:.12g} on", place=self._place(int(marks.row[k]))
        )

    def _births(self) -> list[float]:
        assert self._people is not None
        times, index = self._people.times["birth"], self._people.index
        return [float(times[index[label]]) if label in index else np.nan for label in self._ids.ids]

    def _late_notes(self) -> list[str]:
        notes = list(self._inner.late_notes())
        if self._n_late:
            what = "1 change comes" if self._n_late == 1 else f"{self._n_late} changes come"
            notes.append(f"{what} after the end of observation, left out")
        if self._people is not None:
            path = shown(self._people.path)
            for count, what in (
                (self._n_unknown, f"not in {path}: their own rows tell when they are observed"),
                (self._n_without_rows, f"in {path} only: nothing happens in them"),
            ):
                if count:
                    which = "1 trajectory is" if count == 1 else f"{count} trajectories are"
                    notes.append(f"{which} {what}")
        return notes
