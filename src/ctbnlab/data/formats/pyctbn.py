"""PyCTBN's JSON: `[{"dyn.str": …, "variables": …, "dyn.cims": …, "samples": …}]`.

A sample is a trajectory: a list of rows {"Time": …, "X": …, …} of the wide layout, with states 0, 1, … and
a closing row in which every state is -1. `"variables": [{"Name": …, "Value": number of states}]` declares
the states "0", …, "Value - 1" if the labels are integers.

States are written as their codes, as PyCTBN requires. Two keys that PyCTBN ignores, `"states"` (the labels
of each variable) and `"trajectories"` (their labels), make reading back exact. A variable cannot be called
"Time".
"""

from __future__ import annotations

import json
import math
import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from ctbnlab.data.formats.cell_values import Values
from ctbnlab.data.formats.csv import output_stream
from ctbnlab.data.formats.labels import Labels
from ctbnlab.data.formats.layouts import wide
from ctbnlab.data.formats.request import Options, checked_states
from ctbnlab.data.formats.source import (
    SAMPLE_ROWS,
    Block,
    Chunk,
    Declared,
    Reading,
    Source,
    blocks,
    require_distinct_ids,
    require_plain,
)
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.io.bounded import read_text
from ctbnlab.io.json_text import first_repeated
from ctbnlab.model.variables import MAX_STATES

_CLOSING = -1
_TIME = "Time"
_VALUES = Values()


class PyctbnSource:
    """A PyCTBN file as a table of the wide layout."""

    def __init__(self, path: Path):
        self.path = path
        content = _load(path)
        self._samples = content["samples"]
        self._labels = checked_states(content.get("states") or {})
        self._ids = content.get("trajectories", range(len(self._samples)))
        self._cardinalities: dict[str, int] = {}
        try:
            for entry in content.get("variables") or []:
                self._cardinalities[entry["Name"]] = int(entry["Value"])
            invalid = not all(isinstance(name, str) for name in self._cardinalities)
            invalid |= not isinstance(self._ids, list | range)
            names = list(self._cardinalities) or [name for name in self._samples[0][0] if name != _TIME]
            self._first_rows = [0, *accumulate(len(sample) for sample in self._samples)]
            invalid |= len(self._ids) != len(self._samples) or 0 in map(len, self._samples)
            # Rows must be objects of plain values; other values are not hashable.
            for sample in self._samples:
                for row in sample:
                    hash(tuple(row.items()))
        except (TypeError, KeyError, IndexError, ValueError, AttributeError, OverflowError):
            invalid = True
        if invalid:
            raise _not_pyctbn(path)
        for name, count in self._cardinalities.items():
            if count > MAX_STATES:
                fault = f"has {count:,} states; at most {MAX_STATES} are supported"
                raise InputError(fault, path=path, place=f"variable {name!r}")
        # The names of the two columns that are no variables; PyCTBN reserves "Time".
        identity = next(name for name in ("trajectory", "") if name not in names)
        self.columns = [identity, _TIME, *names]
        self.labelled = frozenset(names)

    def place(self, row: int) -> str:
        """Return the sample and the row in it, both counted from 1."""
        sample = bisect_right(self._first_rows, row) - 1
        return f"sample {sample + 1}, row {row - self._first_rows[sample] + 1}"

    def declared(self) -> Declared:
        """Return the states recorded in the file, or 0, 1, … if only their number is."""
        if self._labels:
            return self._labels
        numbered = {
            name: tuple(str(code) for code in range(count)) for name, count in self._cardinalities.items()
        }
        return {name: states for name, states in numbered.items() if self._integers(name)}

    def _integers(self, name: str) -> bool:
        return all(_is_integer(row.get(name)) for sample in self._samples for row in sample)

    def chunks(
        self,
        numbers: Sequence[str],
        labels: Sequence[str],
        values: Values = _VALUES,  # noqa: ARG002 - JSON has numbers
    ) -> Iterator[Chunk]:
        """Yield the samples, one per chunk."""
        names = self.columns[2:]
        for sample, rows in enumerate(self._samples):
            first = self._first_rows[sample]
            time = np.array([self._time(row, first + k) for k, row in enumerate(rows)], np.float64)
            states = [[self._state(row, name, first + k) for k, row in enumerate(rows)] for name in names]
            if len(rows) > 1 and all(column[-1] == _CLOSING for column in states):
                for column in states:
                    column[-1] = column[-2]
            for name, column in zip(names, states, strict=True):
                if _CLOSING in column:
                    place = self.place(first + column.index(_CLOSING))
                    raise InputError(f"the state of variable {name!r} is -1 before the last row", place=place)
            ids = Labels(np.zeros(len(rows), np.int32), [str(self._ids[sample])])
            columns = {name: self._column(name, column) for name, column in zip(names, states, strict=True)}
            columns[self.columns[0]] = ids
            yield Chunk(
                np.arange(first, first + len(rows)),
                dict.fromkeys(numbers, time),
                {name: columns[name] for name in labels},
            )

    def sample(self, rows: int = SAMPLE_ROWS) -> dict[str, Labels]:
        """Return the first sample's first rows."""
        chunk = next(self.chunks([_TIME], [self.columns[0], *self.columns[2:]]))
        texts: list[str | None] = [repr(time) for time in chunk.numbers[_TIME][:rows].tolist()]
        times = Labels(np.arange(len(texts), dtype=np.int32), texts)
        return {_TIME: times, **{name: labels.first(rows) for name, labels in chunk.labels.items()}}

    def _state(self, row: dict[str, Any], name: str, number: int) -> Any:
        if name not in row:
            raise InputError(f"the state of variable {name!r} is missing", place=self.place(number))
        return row[name]

    def _time(self, row: dict[str, Any], number: int) -> float:
        time = row.get(_TIME)
        if time is None:
            raise InputError("the time is missing", place=self.place(number))
        if not isinstance(time, int | float):
            raise InputError(f"the time {time!r} is not a number", place=self.place(number))
        try:
            return float(time)
        except OverflowError:
            return math.inf

    def _column(self, name: str, values: list[Any]) -> Labels:
        distinct = {value: k for k, value in enumerate(dict.fromkeys(values))}
        labels = self._labels.get(name)
        texts: list[str | None] = [_text(value, labels) for value in distinct]
        return Labels(np.array([distinct[value] for value in values], np.int32), texts)


def read(source: Source, declared: Declared, options: Options) -> Reading:
    """Read the samples as rows of the wide layout."""
    identity, time, *_ = source.columns
    return wide.read(source, declared, replace(options, id=identity, time=time))._replace(notes=())


def _text(value: Any, labels: tuple[str, ...] | None) -> str | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if not _is_integer(value):
        return str(value)
    return labels[int(value)] if labels and 0 <= value < len(labels) else str(int(value))


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _load(path: Path) -> dict[str, Any]:
    text = read_text(path)
    try:
        content = json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        fault = "the file is empty" if not text else f"is truncated or not JSON ({error.msg})"
        raise InputError(fault, path=path, place=f"line {error.lineno}" if text else None) from None
    except MemoryError:
        raise InputError("is too large for the memory", path=path) from None
    except InputError as error:
        raise error.within(path) from None
    except (RecursionError, ValueError):
        raise _not_pyctbn(path) from None
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list) or not content or not all(isinstance(part, dict) for part in content):
        raise _not_pyctbn(path)
    if len(content) > 1:
        raise InputError(f"holds {len(content)} data sets; write each to its own file", path=path)
    if not isinstance(content[0].get("samples"), list):
        raise _not_pyctbn(path)
    if not content[0]["samples"]:
        raise InputError("there are no samples", path=path)
    result: dict[str, Any] = content[0]
    return result


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise InputError(f"the key {first_repeated(pairs)!r} appears twice")
    return result


def _not_pyctbn(path: Path) -> InputError:
    return InputError('is JSON, but not PyCTBN trajectories; expected [{"samples": [[…], …], …}]', path=path)


def write(data: Trajectories, path: str | os.PathLike[str]) -> None:
    """Write trajectories as JSON for PyCTBN."""
    if "Time" in data.names:
        raise InputError("a variable is called 'Time', which PyCTBN reserves; rename it")
    require_plain(data, "PyCTBN")
    require_distinct_ids(data)
    head = {
        "dyn.str": [],
        "variables": [{"Name": name, "Value": len(states)} for name, states in data.variables],
        "dyn.cims": {},
        "states": {name: list(states) for name, states in data.variables},
        "trajectories": list(data.ids),
    }
    with output_stream(path) as stream:
        stream.write(("[" + json.dumps(head, ensure_ascii=False)[:-1] + ', "samples": [').encode())
        for block in blocks(data):
            stream.write("".join(_rows(data, block)).encode())
        stream.write(b"]}]\n")


def _rows(data: Trajectories, block: Block) -> Iterator[str]:
    """Yield rows as JSON, with the brackets and commas around samples."""
    names = [json.dumps(name, ensure_ascii=False).replace("%", "%%") for name in data.names]
    template = '{"Time": %r' + "".join(f", {name}: %d" for name in names) + "}"
    closing = [_CLOSING] * len(names)
    for trajectory, time, variable, codes in zip(
        block.trajectory.tolist(),
        block.time.tolist(),
        block.variable.tolist(),
        block.states.tolist(),
        strict=True,
    ):
        if variable == -2:
            yield ("[" if trajectory == 0 else ",\n[") + template % (time, *codes)
        else:
            yield ", " + template % (time, *(closing if variable == -1 else codes))
        if variable == -1:
            yield "]"
