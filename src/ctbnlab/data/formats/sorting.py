"""Tables whose rows are not sorted by trajectory and time, read as if they were.

A first pass counts the rows of each trajectory. Trajectories are ordered by their labels (numbers if all are
numbers, else text) and cut into parts of some million rows. A second pass writes each row to the file of its
part in a temporary folder, as numbers and codes of labels; then one part after another is sorted in memory. A
table of one part stays in memory. Rows of the same trajectory and time keep their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.formats.cell_values import Values
from ctbnlab.data.formats.labels import Labels, sorted_labels
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import SAMPLE_ROWS, Chunk, Declared, Source
from ctbnlab.errors import InputError
from ctbnlab.io.scratch import temporary_folder

PART_ROWS = 1 << 22
_CHUNK_ROWS = 1 << 16
_VALUES = Values()


class SortedSource:
    """A table with its rows in the order of trajectories and times."""

    def __init__(
        self, source: Source, identity: str, time: str, options: Options, part_rows: int = PART_ROWS
    ):
        self._source = source
        self._identity, self._time = identity, time
        self._values = options.values
        self._part_rows = part_rows
        self._parts: NDArray[np.int64] | None = None
        self._ranks: dict[str | None, int] = {}
        self.columns = source.columns
        self.labelled = source.labelled

    def __enter__(self) -> SortedSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._parts, self._ranks = None, {}

    def place(self, row: int) -> str:
        """Return the place of a row in the file as it is."""
        return self._source.place(row)

    def declared(self) -> Declared:
        """Return the states recorded in the file."""
        return self._source.declared()

    def sample(self, rows: int = SAMPLE_ROWS) -> dict[str, Labels]:
        """Return the first rows of every column, in the order of the file."""
        return self._source.sample(rows)

    def chunks(
        self, numbers: Sequence[str], labels: Sequence[str], values: Values = _VALUES
    ) -> Iterator[Chunk]:
        """Yield the rows in order."""
        if self._parts is None:
            self._parts = self._count()
        asked = list(dict.fromkeys([self._time, *numbers]))
        texts = list(dict.fromkeys([self._identity, *labels]))
        vocabulary = {name: _Vocabulary() for name in texts}
        row_type = np.dtype(
            [("rank", np.int64), ("row", np.int64)]
            + [(f"n{k}", np.float64) for k in range(len(asked))]
            + [(f"t{k}", np.int32) for k in range(len(texts))]
        )
        with _Parts(int(self._parts[-1]) + 1 if len(self._parts) else 1, row_type, self._identity) as parts:
            for chunk in self._source.chunks(asked, texts, values):
                self._spread(chunk, asked, vocabulary, parts, row_type)
            for part in parts.each():
                order = np.lexsort((part["row"], part["n0"], part["rank"]))
                for first in range(0, len(order), _CHUNK_ROWS):
                    rows = part[order[first : first + _CHUNK_ROWS]]
                    yield Chunk(
                        rows["row"].copy(),
                        {name: rows[f"n{asked.index(name)}"].copy() for name in numbers},
                        {
                            name: Labels(rows[f"t{texts.index(name)}"].copy(), vocabulary[name].texts)
                            for name in labels
                        },
                    )

    def _spread(
        self, chunk: Chunk, asked: list[str], vocabulary: dict[str, _Vocabulary], parts: _Parts, row_type: Any
    ) -> None:
        assert self._parts is not None
        rows = np.empty(len(chunk.rows), row_type)
        rows["row"] = chunk.rows
        for k, name in enumerate(asked):
            rows[f"n{k}"] = chunk.numbers[name]
        for k, (name, known) in enumerate(vocabulary.items()):
            rows[f"t{k}"] = known.codes(chunk.labels[name])
        ids = chunk.labels[self._identity]
        table = np.full(len(ids.texts) + 1, -1, np.int64)
        for index in ids.used():
            table[index] = self._ranks.get(ids.texts[index], -1)
        rows["rank"] = table[ids.indices]
        if (rows["rank"] < 0).any():
            row = int(np.argmax(rows["rank"] < 0))
            raise InputError("the trajectory label is missing", place=self.place(int(chunk.rows[row])))
        parts.add(rows, self._parts[rows["rank"]])

    def _count(self) -> NDArray[np.int64]:
        """Rank the labels of trajectories; return the part of each rank."""
        counts: dict[str, int] = {}
        missing = {"", None, *self._values.missing}
        for chunk in self._source.chunks([], [self._identity], self._values):
            ids = chunk.labels[self._identity]
            present = np.bincount(ids.indices[ids.indices >= 0], minlength=len(ids.texts))
            for index in ids.used():
                text = ids.texts[index]
                if text is not None and text not in missing:
                    counts[text] = counts.get(text, 0) + int(present[index])
        order = sorted_labels(counts)
        self._ranks = {label: rank for rank, label in enumerate(order)}
        before = np.cumsum([0, *(counts[label] for label in order)])[:-1]
        return before // self._part_rows


class _Vocabulary:
    """The distinct texts of a column over all chunks."""

    def __init__(self) -> None:
        self.texts: list[str | None] = []
        self._codes: dict[str | None, int] = {}

    def codes(self, labels: Labels) -> NDArray[np.int32]:
        """Return the code of each row's text."""
        table = np.full(len(labels.texts) + 1, -1, np.int32)
        for index in labels.used():
            text = labels.texts[index]
            code = self._codes.get(text)
            if code is None:
                code = self._codes[text] = len(self.texts)
                self.texts.append(text)
            table[index] = code
        codes: NDArray[np.int32] = table[labels.indices]
        return codes


class _Parts:
    """Rows in parts: one stays in memory, several go to files."""

    def __init__(self, count: int, row_type: Any, shown: str):
        self._type = row_type
        self._count = count
        self._rows: list[Any] = []
        self._files: list[IO[bytes]] = []
        self._folder: Path | None = None
        self._stack = ExitStack()
        self._shown = shown

    def __enter__(self) -> _Parts:
        if self._count > 1:
            self._folder = self._stack.enter_context(temporary_folder(self._shown))
            for part in range(self._count):
                self._files.append(self._stack.enter_context((self._folder / str(part)).open("wb")))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def add(self, rows: Any, part: NDArray[np.int64]) -> None:
        """Add rows, each to its part."""
        if self._folder is None:
            self._rows.append(rows)
            return
        order = np.argsort(part, kind="stable")
        bounds = np.flatnonzero(np.diff(part[order], prepend=-1, append=self._count))
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            self._files[int(part[order[first]])].write(rows[order[first:last]].tobytes())

    def each(self) -> Iterator[Any]:
        """Yield the rows of each part."""
        if self._folder is None:
            if self._rows:
                yield np.concatenate(self._rows)
            return
        for part, file in enumerate(self._files):
            file.close()
            yield np.fromfile(self._folder / str(part), self._type)
            (self._folder / str(part)).unlink()
