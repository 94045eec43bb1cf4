"""Run inputs through a harness, with its traceback: `python -m tests.fuzz.reproduce READER FILE ...`.

Once the fault is mended, move the file to tests/fuzz/corpus/READER under a name that says what it was: the
test of the corpus keeps it from coming back, and later runs start from it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.harnesses import HARNESSES


def main() -> int:
    """Run each file; return the number of findings, at most 1."""
    reader, *files = sys.argv[1:]
    failed = 0
    for file in files:
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            try:
                HARNESSES[reader].run(Path(file).read_bytes(), Path(folder))
                verdict = "no finding"
            except Exception:
                sys.excepthook(*sys.exc_info())
                verdict, failed = "a finding", 1
            print(f"{file}: {verdict}, {time.perf_counter() - began:.2f} s")
    return failed


if __name__ == "__main__":
    sys.exit(main())
