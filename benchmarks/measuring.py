"""What benchmarks of learners share: memory beyond the data."""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType


def anonymous_memory() -> float:
    """Return the memory that is not a mapped file, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no RssAnon in /proc/self/status")


class PeakMemory:
    """Watches how much memory is taken while it is entered: `.beyond` in MB."""

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
        """The highest seen, less what there was at the beginning."""
        return self._peak - self._before
