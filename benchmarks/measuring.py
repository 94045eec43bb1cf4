"""Helpers for benchmarks: memory beyond the data, and rows written as CSV."""

from __future__ import annotations

import csv
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from ctbnlab.io.files import replacing


def write_rows(path: Path | None, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows as CSV, if a file was given."""
    if path is None:
        return
    with replacing(path) as temporary, temporary.open("w") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def anonymous_memory() -> float:
    """Return the memory of this process that is not a mapped file, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no RssAnon in /proc/self/status")


class PeakMemory:
    """Context manager that records the peak increase in memory: `.beyond`, in MB."""

    def __enter__(self) -> PeakMemory:
        self._before = self._peak = anonymous_memory()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._done.wait(0.002):
            self._peak = max(self._peak, anonymous_memory())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    @property
    def beyond(self) -> float:
        """The highest memory seen minus the memory at the start."""
        return self._peak - self._before
