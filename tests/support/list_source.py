"""A table of Python values as a source of rows, cut into chunks anywhere."""

from __future__ import annotations

import numpy as np

from ctbnlab.data.formats.labels import labels_of
from ctbnlab.data.formats.source import Chunk


class ListSource:
    """Rows (trajectory, time, cell, cell, …) as a table, cut into chunks at the given rows."""

    def __init__(self, columns, rows, cuts=()):
        self.columns = list(columns)
        self.labelled = frozenset()
        self._rows = rows
        self._bounds = [0, *sorted(cut for cut in cuts if 0 < cut < len(rows)), len(rows)]

    def place(self, row):
        return f"row {row}"

    def declared(self):
        return {}

    def sample(self, rows=1000):
        cells = list(zip(*self._rows[:rows], strict=True)) or [[] for _ in self.columns]
        return {name: labels_of(map(str, cells[k])) for k, name in enumerate(self.columns)}

    def chunks(self, numbers, labels, values=None):
        for begin, end in zip(self._bounds[:-1], self._bounds[1:], strict=True):
            cells = list(zip(*self._rows[begin:end], strict=True))
            if cells:
                columns = dict(zip(self.columns, cells, strict=True))
                yield Chunk(
                    np.arange(begin, end),
                    {name: np.array(columns[name], float) for name in numbers},
                    {name: labels_of(columns[name]) for name in labels},
                )
