"""The layout of person-period data: `id,time,<one column per variable>`, one row per person and period.

As in the wide layout, each row holds the states from its time on; but the last row of a trajectory lasts as
long as the others: observation ends one period after it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.columns import recognise, require_time
from ctbnlab.data.formats.labels import Place
from ctbnlab.data.formats.layouts import wide
from ctbnlab.data.formats.layouts.window import marks_of, require_order, span, whole_trajectories
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import SAMPLE_ROWS, Declared, Reading, Source
from ctbnlab.errors import InputError


def read(source: Source, declared: Declared, options: Options) -> Reading:
    """Read a table of person-period data."""
    reading = wide.read(source, declared, options)
    step = _step(source, options)
    return reading._replace(
        marks=_marks(reading.marks, step, source.place),
        closing=True,
        notes=[*reading.notes, f"each row lasts until the next one, the last of a trajectory {step:.6g}"],
        outside=[None] * len(reading.states),
    )


def _marks(marks: Iterator[Marks], step: float, place: Place) -> Iterator[Marks]:
    for columns in whole_trajectories(marks):
        part = Marks(*columns)
        require_order(part, place)
        window = span(part.trajectory, part.time)
        ends = np.searchsorted(part.trajectory, window.numbers, side="right") - 1
        rows = part.row[ends]
        yield Marks.joined(
            [
                part,
                marks_of(window.numbers, rows, window.start, -1, 0),
                marks_of(window.numbers, rows, window.end + step, -1, 0),
            ]
        )


def _step(source: Source, options: Options) -> float:
    """Return the commonest time between rows of a trajectory, among the first of the table."""
    columns = recognise(source, options, ("id", "time"))
    time = require_time(columns, source)
    labels = columns.ids
    moments: dict[str | None, set[float]] = {}
    known = 0
    for chunk in source.chunks([time], labels, options.values):
        times = chunk.numbers[time].tolist()
        ids = [None] * len(times) if columns.id is None else chunk.labels[columns.id].as_texts()
        for label, moment in zip(ids, times, strict=True):
            if math.isfinite(moment):
                moments.setdefault(label, set()).add(moment)
            known += 1
            # Rows in any order may show one trajectory after another before there are two of any.
            if known >= SAMPLE_ROWS and len(moments.get(label, ())) > 1:
                return _commonest(moments)
    if not known:
        raise InputError("the table has no rows")
    return _commonest(moments)


def _commonest(moments: dict[str | None, set[float]]) -> float:
    steps = Counter(later - time for found in moments.values() for time, later in pairwise(sorted(found)))
    if not steps:
        raise InputError("no trajectory has two periods, which would show how long one is; use --layout wide")
    return min(steps, key=lambda step: (-steps[step], step))
