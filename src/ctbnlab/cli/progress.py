"""A progress bar on terminals only: logs and pipes stay clean."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ctbnlab.cli.messages import shows_progress


@contextmanager
def progress_bar(description: str, total: int, unit: str) -> Iterator[Callable[[int], None] | None]:
    """Yield a function to call with the number of newly finished units; None if no bar is shown."""
    if not shows_progress():
        yield None
        return
    from tqdm import tqdm

    with tqdm(desc=description, total=total, unit=f" {unit}", file=sys.stderr, leave=False) as bar:

        def advance(finished: int) -> None:
            bar.update(finished)

        yield advance
