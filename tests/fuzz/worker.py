"""One process of a fuzzing run: libFuzzer, through atheris, feeds a harness and keeps what reaches new code.

`python -m tests.fuzz.worker READER FOLDER [libFuzzer's options]`. An exception that is a finding is written
to FOLDER with its traceback, one file per place it was raised at, and fuzzing goes on; libFuzzer itself
writes what crashes, hangs or takes too much memory, and ends. The campaign starts it again.
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from importlib import import_module
from pathlib import Path
from random import Random

import atheris

with atheris.instrument_imports(include=["ctbnlab"]):
    from tests.fuzz.harnesses import HARNESSES

    # The library imports these when it needs them; the fuzzer only follows modules that it loads itself.
    for name in (
        *("assemble", "csv", "labels", "parquet", "pyctbn", "source", "ties"),
        *("layouts.long", "layouts.pyagrum", "layouts.wide", "layouts.intervals", "layouts.start_stop"),
        *("layouts.event_log", "layouts.person", "layouts.people", "layouts.join", "sorting"),
        *("...learning.ctpc.learner", "...learning.ctss.learner", "...learning.empirical_bayes.learner"),
    ):
        import_module(name if name.startswith(".") else f".{name}", "ctbnlab.data.formats")

from tests.fuzz.findings import note
from tests.fuzz.mutators import MUTATORS


def main() -> None:
    """Run libFuzzer on one harness."""
    reader, folder, *options = sys.argv[1:]
    harness, mutate = HARNESSES[reader], MUTATORS[reader]
    findings = Path(folder)
    scratch = Path(tempfile.mkdtemp(prefix="scratch-", dir=folder))

    def one_input(content: bytes) -> None:
        try:
            harness.run(content, scratch)
        except Exception as error:
            note(findings, content, error, traceback.format_exc())

    def one_mutation(content: bytes, max_size: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < 0.25:
            return atheris.Mutate(content, max_size)
        return mutate(content, random)[:max_size]

    os.chdir(scratch)
    arguments = [sys.argv[0], *options, f"-artifact_prefix={folder}/"]
    atheris.Setup(arguments, one_input, custom_mutator=one_mutation)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
