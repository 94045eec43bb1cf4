"""Write trajectories of any number of events in bounded memory.

The Arrow file needs every column in one piece, and the number of events is known only at the end. So each
column is first appended to a temporary file next to the output; `close` maps these files and writes the
Arrow file.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import IO, Any

import numpy as np
import pyarrow as pa

from ctbnlab.data.arrow_file import Extras, as_arrow, schema, text_array, write_batch
from ctbnlab.data.trajectories import Trajectories, index_type
from ctbnlab.io.files import naming_output, require_writable, scratch_for
from ctbnlab.model.roles import NO_ROLES, Roles
from ctbnlab.model.variables import Variable

GAP = 255  # while reading: the code of an unobserved variable, above those of all states
_COLUMNS = ("stop", "start", "end", "initial", "time", "variable", "old", "new")


class Spool:
    """Collects trajectories piece by piece; `close` writes them to one Arrow file at `path`.

    Used as a context manager it cleans up: a block that is left before `close` leaves no file behind.
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = path
        self._files: dict[str, IO[bytes]] = {}
        with ExitStack() as scratch:
            scratch.enter_context(naming_output(path))
            self._folder = scratch.enter_context(scratch_for(require_writable(path)))
            self._folder.mkdir(mode=0o700)
            for column in _COLUMNS:
                self._files[column] = (self._folder / column).open("wb")
            self._scratch = scratch.pop_all()
        self._ids: list[str] = []
        self._n_events = 0

    def append(self, trajectories: Trajectories) -> None:
        """Add whole trajectories."""
        data = trajectories.compact()
        self.append_events(data.time, data.variable, data.old, data.new)
        stops = data.stop + (self._n_events - data.n_changes)
        self.append_trajectories(list(data.ids), stops, data.start, data.end, data.initial)

    def append_events(self, time: Any, variable: Any, old: Any, new: Any) -> None:
        """Add events of the current trajectory; `append_trajectories` marks where it stops."""
        for column, values in (("time", time), ("variable", variable), ("old", old), ("new", new)):
            self._files[column].write(np.ascontiguousarray(values).data)
        self._n_events += len(time)

    def append_trajectories(self, ids: Sequence[str], stop: Any, start: Any, end: Any, initial: Any) -> None:
        """Add finished trajectories; `stop` counts events from the very first one."""
        self._ids.extend(ids)
        for column, values, dtype in (
            ("stop", stop, np.int64),
            ("start", start, np.float64),
            ("end", end, np.float64),
            ("initial", initial, np.uint8),
        ):
            self._files[column].write(np.ascontiguousarray(values, dtype).data)

    def restart(self) -> None:
        """Forget everything added so far."""
        for file in self._files.values():
            file.seek(0)
            file.truncate()
        self._ids.clear()
        self._n_events = 0

    @property
    def n_events(self) -> int:
        """The number of events added so far."""
        return self._n_events

    def close(
        self,
        variables: Sequence[Variable],
        recode: Sequence[Any] | None = None,
        *,
        ties: bool = False,
        gaps: Sequence[bool] = (),
        roles: Roles = NO_ROLES,
    ) -> None:
        """Write the Arrow file and remove the column files.

        `recode[j]`, if given, maps the codes used so far for the states of variable j to the final ones:
        a reader of text knows the order of the labels only at the end. `ties`, `gaps` and `roles` are
        those of `Trajectories.from_columns`.
        """
        for file in self._files.values():
            file.close()
        columns = {name: self._mapped(name, np.uint8) for name in ("initial", "old", "new")}
        columns["variable"] = self._mapped("variable", index_type(len(variables)))
        columns["time"] = self._mapped("time", np.float64)
        if recode is not None:
            recode_in_place(columns, recode)
        offsets = as_arrow(np.concatenate([np.zeros(1, np.int64), self._mapped("stop", np.int64)]))
        batch = pa.record_batch(
            [
                text_array(self._ids),
                as_arrow(self._mapped("start", np.float64)),
                as_arrow(self._mapped("end", np.float64)),
                pa.FixedSizeListArray.from_arrays(as_arrow(columns["initial"]), len(variables)),
                *(
                    pa.LargeListArray.from_arrays(offsets, as_arrow(columns[name]))
                    for name in ("time", "variable", "old", "new")
                ),
            ],
            schema=schema(variables, Extras(ties, tuple(gaps), roles)),
        )
        write_batch(batch, self.path)
        self.discard()

    def _mapped(self, column: str, dtype: Any) -> Any:
        with (self._folder / column).open("r+b") as file:
            if not os.fstat(file.fileno()).st_size:
                return np.empty(0, dtype)
            return np.frombuffer(mmap.mmap(file.fileno(), 0), dtype)

    def discard(self) -> None:
        """Remove the column files; the output is not touched."""
        self.__exit__(None, None, None)

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in self._files.values():
            # On a full disk even closing fails: it flushes the buffer.
            with suppress(OSError):
                file.close()
        self._scratch.__exit__(kind, error, trace)


def recode_in_place(columns: dict[str, Any], recode: Sequence[Any], chunk: int = 1 << 20) -> None:
    """Replace the state codes in `initial`, `old` and `new`; `recode[j]` maps those of variable j.

    `GAP` becomes the number of states.
    """
    tables = np.zeros((len(recode), 256), np.uint8)
    for j, codes in enumerate(recode):
        tables[j, GAP] = len(codes)
        tables[j, : len(codes)] = codes
    initial = columns["initial"].reshape(-1, len(recode))
    for first in range(0, len(initial), chunk):
        rows = initial[first : first + chunk]
        rows[:] = tables[np.arange(len(recode)), rows]
    for first in range(0, len(columns["time"]), chunk):
        part = slice(first, first + chunk)
        for name in ("old", "new"):
            columns[name][part] = tables[columns["variable"][part], columns[name][part]]
