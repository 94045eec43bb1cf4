"""Tuned constants: each is documented with the benchmark that found it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from ctbnlab.counting import tuning

ROOT = Path(__file__).resolve().parents[2]
CONSTANTS = [name for name in vars(tuning) if name.isupper()]


def comments_above() -> dict[str, str]:
    """Return, for each constant, the comments between it and the last empty line before it."""
    found, comments = {}, ""
    for line in inspect.getsource(tuning).splitlines():
        if line.startswith("#"):
            comments += line
        elif match := re.match(r"([A-Z_]+) = ", line):
            found[match[1]] = comments
        else:
            comments = ""
    return found


def test_every_constant_is_found_in_the_source():
    assert list(comments_above()) == CONSTANTS


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_constant_names_its_benchmark(name):
    benchmarks = re.findall(r"benchmarks/\w+\.py", comments_above()[name])
    assert benchmarks, f"name the benchmark that found {name} in a comment above it"
    for benchmark in benchmarks:
        assert (ROOT / benchmark).is_file(), benchmark
