"""pyAgrum's table of trajectories: `IdSample,time,var,state`.

It looks like the long layout but differs in one respect: the row of an event holds the state that the
variable *leaves*. A trajectory begins with one row per variable at its first time and ends with one row per
variable at the end of observation; the state that an event enters is given by the variable's next row.

pyAgrum numbers trajectories 0, 1, …; they start at time 0 and all end at the same time. On writing,
trajectories are renumbered; other starts and different ends are refused because pyAgrum would misread them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from ctbnlab.data.arrow_file import as_arrow
from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.labels import Place
from ctbnlab.data.formats.layouts import long
from ctbnlab.data.formats.layouts.window import whole_trajectories
from ctbnlab.data.formats.request import Options, Report
from ctbnlab.data.formats.source import Declared, Reading, Source, blocks, repeated, require_plain
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError

COLUMNS = ("IdSample", "time", "var", "state")


def read(source: Source, declared: Declared, options: Options) -> Reading:
    """Read a table written by pyAgrum; each trajectory must fit in memory."""
    for name in COLUMNS:
        if name not in source.columns:
            raise InputError(f"no {name!r} column; found: {', '.join(source.columns)}")
    reading = long.read_columns(source, declared, options, long.Roles(*COLUMNS))
    names = [states.name for states in reading.states]

    def marks() -> Iterator[Marks]:
        for part in (Marks(*columns) for columns in whole_trajectories(reading.marks)):
            bounds = np.flatnonzero(np.diff(part.trajectory, prepend=-1, append=-1))
            pieces = [
                _entered(part.part(slice(a, b)), names, reading.ids.ids, source.place)
                for a, b in pairwise(bounds.tolist())
            ]
            yield Marks.joined(pieces)

    return reading._replace(marks=marks())


def _entered(marks: Marks, names: list[str], ids: list[str], place: Place) -> Marks:
    """Return one trajectory's marks with the states entered instead of left, and its end as one mark."""
    n, m = len(names), len(marks.time)
    which = f"trajectory {ids[int(marks.trajectory[0])]!r}"
    if (marks.variable < 0).any():
        row = int(marks.row[np.argmax(marks.variable < 0)])
        raise InputError("the variable is missing", place=place(row))
    closing = marks.part(slice(max(m - n, 0), None))
    if m < 2 * n or len(set(closing.variable.tolist())) < n or len(set(closing.time.tolist())) > 1:
        raise InputError(
            f"{which} has no end; its last {n} rows must give the state of each variable at the end time",
            place=place(int(marks.row[-1])),
        )
    order = np.argsort(marks.variable, kind="stable")
    follows = np.empty(m, np.int64)
    follows[order[:-1]] = order[1:]
    new = marks.new.copy()
    new[n : m - n] = marks.new[follows[n : m - n]]
    for j in range(n):
        rows = np.flatnonzero(marks.variable == j)[:2]
        if len(rows) == 2 and marks.new[rows[0]] != marks.new[rows[1]]:
            raise InputError(
                f"variable {names[j]!r} of {which} leaves a state it was not in; in pyAgrum's layout "
                "the row of an event holds the state before it",
                place=place(int(marks.row[rows[1]])),
            )
    variable = marks.variable.copy()
    variable[m - n] = -1
    result = marks._replace(new=new, variable=variable)
    return result.part(slice(m - n + 1))


def batches(data: Trajectories, report: Report) -> Iterator[Any]:
    """Yield the trajectories as Arrow record batches of pyAgrum's layout."""
    require_plain(data, "pyAgrum")
    if (data.start != 0).any():
        which = data.ids[int(np.argmax(data.start != 0))]
        raise InputError(f"trajectory {which!r} does not start at time 0, as pyAgrum requires")
    if (data.end != data.end[:1]).any():
        which = data.ids[int(np.argmax(data.end != data.end[0]))]
        raise InputError(
            f"trajectory {which!r} and the first one end at different times; pyAgrum needs a common end"
        )
    if list(data.ids) != [str(t) for t in range(data.n_trajectories)]:
        report.notes.append("renumbered trajectories 0, 1, …, as pyAgrum requires")
    for block in blocks(data):
        bounds = block.variable < 0
        row, copy = repeated(np.where(bounds, data.n_variables, 1))
        variable = np.where(bounds[row], copy, block.variable[row]).astype(np.int32)
        code = np.where(bounds[row], block.states[row, variable], block.old[row])
        yield pa.record_batch(
            [
                as_arrow(block.trajectory[row]),
                as_arrow(block.time[row]),
                *long.event_columns(data, variable, code),
            ],
            names=list(COLUMNS),
        )
