"""Answers agree with those of R's msm and of pyAgrum, where these are installed."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "benchmarks/queries_elsewhere.py"
QUANTITIES = {"pmatrix", "totlos", "ppass", "efpt", "posterior"}


def has_msm() -> bool:
    if shutil.which("Rscript") is None:
        return False
    return subprocess.run(["Rscript", "-e", "library(msm)"], capture_output=True).returncode == 0


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_committed_comparison_is_complete_and_close():
    found = rows(ROOT / "docs/results/queries_elsewhere.csv")
    assert {row["quantity"] for row in found} == QUANTITIES
    assert len(found) == 3 * len(QUANTITIES)
    assert max(float(row["relative"]) for row in found) < 1e-6


@pytest.mark.skipif(not has_msm(), reason="R's package msm is not installed: apt-get install r-cran-msm")
def test_they_agree_now(tmp_path):
    output = tmp_path / "rows.csv"
    subprocess.run([sys.executable, SCRIPT, "-o", output], check=True, capture_output=True)
    found = rows(output)
    assert {row["quantity"] for row in found} >= QUANTITIES - (
        {"posterior"} if find_spec("pyagrum") is None else set()
    )
    assert max(float(row["relative"]) for row in found) < 1e-6
