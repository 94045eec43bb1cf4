"""The commands of docs/your-data.md work as printed, on the files printed there and on real data sets."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ctbnlab.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/your-data.md").read_text()
SMALL, REAL = PAGE.split("<!-- real data -->")
REAL = REAL.split("\n## ")[0]
_FILE = re.compile(r"<!-- file (\S+) -->\n\n```\w+\n(.*?)```", re.DOTALL)
_BLOCK = re.compile(r"```(sh|text)\n(.*?)```", re.DOTALL)


def commands(block: str) -> list[list[str]]:
    """Return the command lines of a block, as words; other programs are left out."""
    lines = block.replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("ctbnlab ")]


def run(words: list[str], capsys) -> str:
    """Run a command; return everything it prints."""
    status = main(words)
    out, err = capsys.readouterr()
    assert status == 0, err
    return out + err


def write_meds() -> None:
    """Write two shards of MEDS, with static rows, a birth and a death, and rules for their codes."""
    day = datetime(2024, 1, 1)
    rows = [
        (1, None, "GENDER//F", None),
        (1, datetime(1950, 1, 1), "MEDS_BIRTH", None),
        (1, day, "LAB//glucose", 210.0),
        (1, day + timedelta(3), "LAB//glucose", 95.0),
        (1, day + timedelta(9), "MEDS_DEATH", None),
        (2, day, "LAB//glucose", 80.0),
        (2, day + timedelta(30), "LAB//glucose", 60.0),
    ]
    for shard, part in enumerate((rows[:5], rows[5:])):
        Path(f"meds/data/{shard}").mkdir(parents=True)
        names = ("subject_id", "time", "code", "numeric_value")
        types = (pa.int64(), pa.timestamp("us"), pa.string(), pa.float32())
        columns = {n: pa.array(c, t) for n, c, t in zip(names, zip(*part, strict=True), types, strict=True)}
        pq.write_table(pa.table(columns), f"meds/data/{shard}/0.parquet")
    Path("codes.toml").write_text(
        '[variables.glucose]\nvalue = ["LAB//glucose"]\ncut = [70, 180]\n'
        '[variables.death]\never = ["MEDS_DEATH"]\n'
        '[variables.sex]\ninitial = "unknown"\nstates = {f = ["GENDER//F"], m = ["GENDER//M"]}\n'
    )


def test_commands_on_the_files_of_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = [Path(name).write_text(content) and name for name, content in _FILE.findall(SMALL)]
    assert len(names) == 9
    write_meds()
    names.append("meds")
    done = []
    for kind, block in _BLOCK.findall(_FILE.sub("", SMALL)):
        for words in commands(block) if kind == "sh" else []:
            if words[1] in names:  # the part on prior knowledge names other files
                run(words, capsys)
                done.append(words[1])
    assert {*names} - {*done} == {"rules.toml", "patients.csv"}


def test_rules_give_the_states_that_the_page_describes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, content in _FILE.findall(SMALL):
        Path(name).write_text(content)
    (words,) = [w for kind, b in _BLOCK.findall(SMALL) for w in commands(b) if "--people" in w]
    run(["convert", words[1], "x.csv", *words[2:]], capsys)
    header, *rows = [line.split(",") for line in Path("x.csv").read_text().splitlines()]
    first = {row[0]: dict(zip(header, row, strict=True)) for row in reversed(rows)}
    assert first["2"]["diabetes"] == "yes"
    assert [row[1] for row in rows if row[0] == "3"] == ["0", "7"]
    assert first["1"]["sex"] == "f" and first["1"]["glucose"] == ""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The real data sets, fetched as the page says."""
    folder = tmp_path_factory.mktemp("data")
    script = [sys.executable, str(ROOT / "examples/fetch_real_data.py"), str(folder)]
    done = subprocess.run(script, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"the data sets of the worked examples cannot be fetched: {done.stderr.strip()}")
    return folder


@pytest.mark.slow
def test_worked_examples(data, monkeypatch, capsys):
    monkeypatch.chdir(data)
    printed, compared = "", 0
    for kind, block in _BLOCK.findall(REAL):
        if kind == "sh":
            printed = "".join(run(words, capsys) for words in commands(block))
            assert printed
        else:
            lines = block.splitlines()
            assert [line for line in lines if line not in printed.splitlines()] == []
            compared += len(lines)
    assert compared > 20
