"""A second table, with one row per trajectory: when it is observed, what never changes, how it ends.

The table is read into memory. Its columns are those of `--start` and `--end` (or with usual names), those
named by `--static`, and those named by `--terminal`: a date, or a value that tells what happened at the end.
A row may be repeated, so that a table of visits can serve as its own table of people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.births import Births
from ctbnlab.data.formats.columns import recognise, require_roles, same_kind
from ctbnlab.data.formats.cutting import column_quantiles, parsed, state_codes
from ctbnlab.data.formats.labels import Labels, Place, StateCodes
from ctbnlab.data.formats.layouts.happened import EVER, flag_states, made_states
from ctbnlab.data.formats.layouts.window import (
    LONG_AGO,
    Floats,
    Window,
    marks_of,
)
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import Declared, Source, date_columns, distinct_texts
from ctbnlab.errors import InputError, shown
from ctbnlab.io.files import naming_file

Codes = NDArray[np.uint8]


@dataclass
class People:
    """What is known of each trajectory, by its label; NaN where a time is missing."""

    path: str
    index: dict[str, int]
    times: dict[str, Floats]  # of the roles start, end and birth, if the table has them
    static: list[tuple[StateCodes, Codes]]
    terminal: list[tuple[StateCodes, Codes, Floats | None]]  # without a time: at the end
    claimed: frozenset[str]  # the columns that this table gives
    notes: list[str] = field(default_factory=list)
    dated: bool | None = None  # whether its times are dates, if it has any

    @property
    def states(self) -> list[StateCodes]:
        """The variables of this table."""
        return [*(codes for codes, _ in self.static), *(codes for codes, _, _ in self.terminal)]

    def rest(self, options: Options, columns: Sequence[str]) -> Options:
        """Return the options for the other table, without the columns that only this one has."""
        only = self.claimed.difference(columns)
        return replace(
            options,
            elsewhere=self.claimed,
            start=None if options.start in only else options.start,
            end=None if options.end in only else options.end,
            birth=None if options.birth in only else options.birth,
        )

    def require_same_kind(self, source: Source, time: str | None, options: Options) -> None:
        """Refuse times of another kind than those of the other table: dates, or numbers."""
        if self.dated is None or time is None:
            return
        dated = bool(date_columns(source, [time], options.values))
        if dated != self.dated:
            here, there = ("dates", "numbers") if dated else ("numbers", "dates")
            raise InputError(
                f"column {time!r} has {here}, but starts and ends in {shown(self.path)} are {there}; "
                "times must be of the same kind"
            )

    def window(self, window: Window, rows: NDArray[np.int64]) -> Window:
        """Return a window as these people have it; `rows` has each trajectory's place here, or -1."""

        def mine(role: str, others: Floats) -> Floats:
            if role not in self.times:
                return others
            times = np.where(rows >= 0, self.times[role][rows], np.nan)
            return np.where(np.isnan(times), others, times)

        return Window(window.first, mine("start", window.start), mine("end", window.end))

    def marks(self, window: Window, rows: NDArray[np.int64], first: int) -> list[Marks]:
        """Return the marks of this table's variables, of which the first has the number `first`."""
        known = rows >= 0
        numbers, rows = window.numbers[known], rows[known]
        nowhere = np.zeros(len(rows), np.int64)
        always = np.full(len(rows), LONG_AGO)
        marks = [
            marks_of(numbers, nowhere, always, first + j, codes[rows])
            for j, (_, codes) in enumerate(self.static)
        ]
        for j, (_, codes, times) in enumerate(self.terminal, first + len(self.static)):
            marks.append(marks_of(numbers, nowhere, always, j, 0))
            when = window.end[known] if times is None else times[rows]
            happened = (codes[rows] > 0) & ~np.isnan(when)
            marks.append(
                marks_of(numbers[happened], nowhere[happened], when[happened], j, codes[rows][happened])
            )
        return marks


def read_people(path: str, declared: Declared, options: Options) -> People:
    """Read the table of people."""
    from ctbnlab.data.formats.reading import open_table

    with naming_file(path):
        source = open_table(Path(path))
        births = Births(options)
        free = replace(
            options,
            id=_if_there(options.id, source),
            start=_if_there(options.start, source),
            end=_if_there(options.end, source),
            birth=_if_there(options.birth, source),
            time=None,
            event=None,
            variables=None,
        )
        columns = recognise(source, free, ("id", "start", "end", *births.wanted))
        (identity,) = require_roles(columns, source, "id")
        roles = {role: str(name) for role in ("start", "end", "birth") if (name := getattr(columns, role))}
        static = [name for name in source.columns if name in options.roles.static]
        terminal = [name for name in source.columns if name in options.roles.terminal]
        dated = date_columns(source, terminal, options.values)
        notes = same_kind(source, list(dict.fromkeys([*roles.values(), *sorted(dated)])), options.values)
        claimed = {*roles.values(), *static, *terminal}
        if unused := [name for name in columns.others if name not in claimed]:
            listed = ", ".join(unused[:6]) + (", …" if len(unused) > 6 else "")
            notes.append(f"{shown(path)}: columns not used: {listed}")
        quantiles = column_quantiles(source, static, options)
        table = _Table(
            source,
            identity,
            roles,
            [state_codes(name, declared, options, name in source.labelled, quantiles) for name in static],
            [
                made_states(name, EVER, declared)
                if name in dated
                else flag_states(name, distinct_texts(source, name, options.values), declared)
                for name in terminal
            ],
            dated,
            options,
        )
        people = table.read()
        for role in ("start", "end"):
            moment = _number(getattr(options, role), options)
            if role not in roles and moment is not None:
                people.times[role] = np.full(len(people.index), moment)
                claimed.add(getattr(options, role))
        if people.times or dated:
            people.dated = bool(date_columns(source, [*roles.values(), *dated], options.values))
        people.path, people.claimed, people.notes = path, frozenset(claimed), notes
        return people


def _number(text: str | None, options: Options) -> float | None:
    return None if text is None else parsed(text, options.decimal)


def _if_there(name: str | None, source: Source) -> str | None:
    return name if name in source.columns else None


class _Table:
    """Reads the rows, and refuses repeated ones that differ."""

    def __init__(
        self,
        source: Source,
        identity: str,
        roles: dict[str, str],
        static: list[StateCodes],
        terminal: list[StateCodes],
        dated: set[str],
        options: Options,
    ):
        self._source, self._identity, self._roles = source, identity, roles
        self._static, self._terminal, self._dated = static, terminal, dated
        self._options = options
        self._index: dict[str, int] = {}
        self._rows: list[list[float]] = []

    def read(self) -> People:
        """Return the table."""
        options = self._options
        numbers = [*self._roles.values(), *self._dated]
        flags = [codes for codes in self._terminal if codes.name not in self._dated]
        labels = [self._identity, *(codes.name for codes in (*self._static, *flags))]
        for chunk in self._source.chunks(numbers, labels, options.values):
            place = chunk.place(self._source)
            values = {name: chunk.numbers[name] for name in numbers}
            for name, times in values.items():
                if (odd := np.isinf(times)).any():
                    row = int(np.argmax(odd))
                    raise InputError(
                        f"the time {times[row]} in column {name!r} is not finite", place=place(row)
                    )
            for codes in (*self._static, *flags):
                values[codes.name] = codes.codes(chunk.labels[codes.name], place).astype(np.float64)
            self._take(chunk.labels[self._identity], values, place)
        if not self._index:
            raise InputError("the table has no rows")
        columns = np.array(self._rows).T
        found = dict(
            zip([*numbers, *(codes.name for codes in (*self._static, *flags))], columns, strict=True)
        )
        return People(
            "",
            self._index,
            {role: found[name] for role, name in self._roles.items()},
            [(codes, found[codes.name].astype(np.uint8)) for codes in self._static],
            [self._ending(codes, found[codes.name]) for codes in self._terminal],
            frozenset(),
        )

    def _take(self, ids: Labels, values: dict[str, Floats], place: Place) -> None:
        """Keep the first row of each trajectory; refuse others that differ from it."""
        missing = {None, *self._options.missing_values}
        codes, firsts, inverse = np.unique(ids.indices, return_index=True, return_inverse=True)
        known = np.empty((len(codes), len(values)))
        for k in np.argsort(firsts).tolist():
            row, label = int(firsts[k]), ids.texts[codes[k]] if codes[k] >= 0 else None
            if label is None or label in missing:
                raise InputError("the trajectory label is missing", place=place(row))
            at = self._index.setdefault(label, len(self._index))
            if at == len(self._rows):
                self._rows.append([float(column[row]) for column in values.values()])
            known[k] = self._rows[at]
        for name, column, before in zip(values, values.values(), known.T, strict=True):
            different = (column != before[inverse]) & ~(np.isnan(column) & np.isnan(before[inverse]))
            if different.any():
                row = int(np.argmax(different))
                label = ids.texts[ids.indices[row]]
                raise InputError(f"{name!r} of {label!r} differs from an earlier row", place=place(row))

    def _ending(self, codes: StateCodes, found: Floats) -> tuple[StateCodes, Codes, Floats | None]:
        if codes.name in self._dated:
            return codes, np.isfinite(found).astype(np.uint8), found
        return codes, found.astype(np.uint8), None
