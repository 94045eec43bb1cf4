"""Make each mutant of named.toml and run its tests, which must fail: `python -m tests.mutation.named [TEXT]`.

With TEXT, only mutants whose name has it. Fails if a mutant survives, if its text is no longer in the source
exactly once, or if its tests fail without it.
"""

from __future__ import annotations

import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.scratch_tree import ROOT, BrokenRun, ScratchTree

TABLE = Path(__file__).with_name("named.toml")


@dataclass(frozen=True)
class Named:
    """A mutant: one text of a file replaced by another, and the tests that must notice."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    build: str = "release"

    @property
    def is_compiled(self) -> bool:
        """Whether the mutant has to be compiled."""
        return not self.file.endswith(".py")

    def applied(self, source: str) -> str:
        """Return the source with the fault; refuse if its text is not there exactly once."""
        found = source.count(self.old)
        if found != 1:
            times = "is no longer there" if not found else f"is there {found} times"
            raise BrokenRun(f"{self.file}: the text to replace {times}; adapt tests/mutation/named.toml")
        return source.replace(self.old, self.new)


def table() -> list[Named]:
    """Return the mutants of named.toml."""
    entries = tomllib.loads(TABLE.read_text(encoding="utf-8"))["mutant"]
    return [Named(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries]


def verdict(mutant: Named, tree: ScratchTree, passing: set[tuple[str, tuple[str, ...]]]) -> str:
    """Make a mutant, run its tests and undo it; return how the tests ended."""
    path = tree.root / mutant.file
    source = path.read_text(encoding="utf-8")
    faulty = mutant.applied(source)
    library = tree.build(mutant.build) if mutant.is_compiled else tree.root / "src"
    if (mutant.build, mutant.tests) not in passing:
        if tree.run_tests(list(mutant.tests), library, mutant.build) != "passed":
            raise BrokenRun(f"the tests fail without the mutant:\n{tree.output[-2000:]}")
        passing.add((mutant.build, mutant.tests))
    path.write_text(faulty, encoding="utf-8")
    try:
        if mutant.is_compiled:
            tree.build(mutant.build)
        return tree.run_tests(list(mutant.tests), library, mutant.build)
    finally:
        path.write_text(source, encoding="utf-8")


def main() -> int:
    """Run the mutants, print a line for each, and return the exit status."""
    wanted = " ".join(sys.argv[1:])
    mutants = [mutant for mutant in table() if wanted in mutant.name]
    if not mutants:
        print(f"no mutant has {wanted!r} in its name")
        return 1
    failed = 0
    passing: set[tuple[str, tuple[str, ...]]] = set()
    with tempfile.TemporaryDirectory(prefix="ctbnlab-mutants-") as folder:
        tree = ScratchTree(Path(folder))
        for mutant in mutants:
            began = time.perf_counter()
            try:
                ending = verdict(mutant, tree, passing)
            except BrokenRun as error:
                ending = f"broken: {error}"
            killed = ending in ("failed", "crashed", "timed out")
            failed += not killed
            word = "killed" if killed else "SURVIVED" if ending == "passed" else "BROKEN"
            print(f"{word:<9}{mutant.name} ({time.perf_counter() - began:.0f} s)", flush=True)
            if word == "BROKEN":
                print(ending if ending != "broken" else tree.output[-2000:])
    print(f"{len(mutants) - failed} of {len(mutants)} mutants killed")
    return int(failed > 0)


if __name__ == "__main__":
    assert (ROOT / "setup.py").exists()
    sys.exit(main())
