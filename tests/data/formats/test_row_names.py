"""Names of rows, which pandas and R write beside a table, are no variable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import ctbnlab
from ctbnlab.cli.main import main

# More rows than a column of labels may have distinct numbers.
ONE = [(0.0, "no"), (1.5, "yes"), (3.0, "yes")]
TABLE = pd.DataFrame(
    [(f"P{k}", time, state) for k in range(30) for time, state in ONE], columns=["patient", "time", "ill"]
)
SHUFFLED = TABLE.sample(frac=1, random_state=1)


def _as_r(table: pd.DataFrame, path: Path) -> None:
    table.set_axis(range(1, len(table) + 1)).to_csv(path, quoting=2)


WRITERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "pandas, CSV": ("data.csv", lambda path: SHUFFLED.to_csv(path)),
    "pandas, Parquet": ("data.parquet", lambda path: SHUFFLED.to_parquet(path)),
    "two indices, Parquet": (
        "data.parquet",
        lambda path: SHUFFLED.set_axis([SHUFFLED.index, SHUFFLED.index]).to_parquet(path),
    ),
    "R's write.csv": ("data.csv", lambda path: _as_r(TABLE, path)),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_names_of_rows_are_ignored(tmp_path: Path, writer: str) -> None:
    name, write = WRITERS[writer]
    write(tmp_path / name)
    data = ctbnlab.read(tmp_path / name)
    assert data.names == ("ill",)
    assert (len(data), data.n_events) == (30, 30)


def test_an_index_with_a_name_is_a_column(tmp_path: Path) -> None:
    TABLE.set_index("patient").to_parquet(tmp_path / "data.parquet")
    assert len(ctbnlab.read(tmp_path / "data.parquet", id="patient")) == 30


def test_inspect_leaves_names_of_rows_out_of_its_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    SHUFFLED.to_parquet(tmp_path / "data.parquet")
    assert main(["inspect", str(tmp_path / "data.parquet")]) == 0
    assert "--cut" not in capsys.readouterr().out
