"""A progress bar for whoever watches: on a terminal only, so that logs and pipes stay clean."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(what: str, total: int, unit: str) -> Iterator[Callable[[int], None] | None]:
    """Yield a function to call with how many more are done, or None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(desc=what, total=total, unit=f" {unit}", file=sys.stderr, leave=False) as bar:

        def advance(more: int) -> None:
            bar.update(more)

        yield advance
