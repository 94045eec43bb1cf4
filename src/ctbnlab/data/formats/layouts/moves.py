"""How the events of a log move one variable: one function per kind of rule.

Each gets the rows whose event the rule names, of whole trajectories in any order, and returns the variable's
marks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.layouts.event_rules import Rule
from ctbnlab.data.formats.layouts.window import Floats, marks_of

Ints = NDArray[np.int64]
Table = NDArray[np.int16]  # the state that each event leads to


class Rows(NamedTuple):
    """Rows of a log: trajectory, row number, time, code of the event, value that comes with it."""

    trajectory: Ints
    row: Ints
    time: Floats
    event: Ints
    value: Floats

    def part(self, which: Any) -> Rows:
        """Return some of the rows."""
        columns: tuple[Any, ...] = self
        return Rows(*(column[which] for column in columns))

    def chosen(self, state: Table) -> Rows:
        """Return the rows whose event leads to a state."""
        return self.part(state >= 0)

    def in_order(self, *keys: NDArray[Any]) -> Rows:
        """Return the rows by trajectory and time, then by the keys."""
        return self.part(np.lexsort((*reversed(keys), self.time, self.trajectory)))

    def same_trajectory(self) -> NDArray[np.bool_]:
        """Return for each row whether the row before it is of the same trajectory."""
        same = np.zeros(len(self.row), bool)
        same[1:] = self.trajectory[1:] == self.trajectory[:-1]
        return same

    def last_of_instant(self) -> NDArray[np.bool_]:
        """Return for each row whether no row of the same trajectory and time follows it."""
        last = np.ones(len(self.row), bool)
        last[:-1] = ~(self.same_trajectory()[1:] & (self.time[1:] == self.time[:-1]))
        return last


def _states(rule: Rule, variable: int, rows: Rows, table: Table) -> Marks:  # noqa: ARG001
    rows = rows.in_order(table[rows.event])
    rows = rows.part(rows.last_of_instant())
    code = table[rows.event]
    return _changes(rows, variable, code)


def _ever(rule: Rule, variable: int, rows: Rows, table: Table) -> Marks:  # noqa: ARG001
    rows = rows.in_order()
    rows = rows.part(~rows.same_trajectory())
    return marks_of(rows.trajectory, rows.row, rows.time, variable, 1)


def _count(rule: Rule, variable: int, rows: Rows, table: Table) -> Marks:  # noqa: ARG001
    rows = rows.in_order()
    begins = np.flatnonzero(~rows.same_trajectory())
    first = np.repeat(begins, np.diff(begins, append=len(rows.row)))
    number = np.minimum(np.arange(len(rows.row)) - first + 1, len(rule.states) - 1)
    last = rows.last_of_instant()
    return _changes(rows.part(last), variable, number[last])


def _within(rule: Rule, variable: int, rows: Rows, table: Table) -> Marks:  # noqa: ARG001
    rows = rows.in_order()
    rows = rows.part(rows.last_of_instant() & np.isfinite(rows.time))
    same = rows.same_trajectory()
    over = rows.time + rule.window
    goes_on = np.zeros(len(same), bool)  # the next event comes before, or just as, this one's time is over
    goes_on[:-1] = same[1:] & (rows.time[1:] <= over[:-1])
    begins = np.ones(len(same), bool)
    begins[1:] = ~goes_on[:-1]
    ends = rows.part(~goes_on)
    starts = rows.part(begins)
    return Marks.joined(
        [
            marks_of(starts.trajectory, starts.row, starts.time, variable, 1),
            marks_of(ends.trajectory, ends.row, over[~goes_on], variable, 0),
        ]
    )


def _value(rule: Rule, variable: int, rows: Rows, table: Table) -> Marks:  # noqa: ARG001
    rows = rows.part(np.isfinite(rows.value))
    rows = rows.in_order(rows.value)
    rows = rows.part(rows.last_of_instant())
    return _changes(rows, variable, np.searchsorted(rule.cuts, rows.value, side="right"))


def _changes(rows: Rows, variable: int, code: NDArray[Any]) -> Marks:
    """Return the marks of rows in order, without those that repeat the state before."""
    new = ~rows.same_trajectory()
    new[1:] |= code[1:] != code[:-1]
    rows = rows.part(new)
    return marks_of(rows.trajectory, rows.row, rows.time, variable, code[new])


MOVES: dict[str, Callable[[Rule, int, Rows, Table], Marks]] = {
    "states": _states,
    "ever": _ever,
    "count": _count,
    "within": _within,
    "value": _value,
}
