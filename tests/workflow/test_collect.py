"""Collecting an experiment: the design's columns come from the plan, the measurements from the files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctbnlab.cli.main import main
from ctbnlab.evaluation.metrics import delta_bic
from ctbnlab.evaluation.results_table import SCHEMA, read_metrics
from ctbnlab.workflow.collect import collect
from ctbnlab.workflow.config import load
from ctbnlab.workflow.plan import Plan

CONFIG = {
    "experiment": "x",
    "design": {
        "nodes": [2, 20],
        "states": [2, [2, 3]],
        "density": [0.1, 0.25],
        "scattered": [1, 5],
        "trajectories": [10, 300],
        "duration": 50,
        "replicates": 2,
        "exceptions": [
            {"states": [2, 3], "extension": True},
            {"nodes": 20, "replicates": 1},
            {"nodes": 2, "density": 0.25, "skip": True},
        ],
    },
    "learners": {
        "ctss": {"algorithm": "ctss", "threads": 4},
        "ctpc": {"algorithm": "ctpc-chi2", "sweep": {"alpha": [0.01, 0.1]}},
    },
    "baseline": "ctss",
}
COUNTS = ("n_learned", "true_positives", "false_positives", "false_negatives", "true_negatives")


def measured(bic):
    """Return the content of a metrics.json."""
    row = {"algorithm": "a", "options": {"b": 1, "a": None}, "status": "done", "reason": None}
    return row | {"n_true": 3, "events": 1000, "version": "0", "bic": bic} | dict.fromkeys(COUNTS, 1)


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """A plan whose measurements are on disk, each with another BIC."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(json.dumps(CONFIG))
    plan = Plan(load(CONFIG))
    for number, folder in enumerate(plan.learner_folders()):
        Path(folder).mkdir(parents=True)
        Path(folder, "metrics.json").write_text(json.dumps(measured(-100.0 - number)))
    return plan


def columns_of_path(folder):
    """Return the design's columns as the folder's name has them."""
    values = dict(part.split("~") for part in folder.split("/") if "~" in part)
    whole = ("nodes", "scattered", "replicate", "trajectories")
    row = values | {name: int(values[name]) for name in whole} | {"density": float(values["density"])}
    row["states"] = row["states"].replace("-", ",")
    row["nodes"] *= row["scattered"]
    return row | {"experiment": folder.split("/")[1], "learner": folder.rpartition("/")[2]}


def test_rows_have_the_columns_of_the_plan(plan):
    folders = plan.learner_folders()
    rows = collect(plan, plan.root)
    assert len(rows) == len(folders) == 96
    for number, (folder, row) in enumerate(zip(folders, rows, strict=True)):
        expected = columns_of_path(folder) | {"duration": 50.0, "extension": "2-3" in folder}
        expected["threads"] = 4 if folder.endswith("ctss") else 1
        assert {name: row[name] for name in expected} == expected
        assert {name: type(row[name]) for name in expected} == {
            name: type(value) for name, value in expected.items()
        }
        assert row["bic"] == -100.0 - number
        assert row["options"] == '{"a": null, "b": 1}'


def test_delta_bic_is_relative_to_the_baseline_on_the_same_data(plan):
    rows = collect(plan, plan.root)
    for first in range(0, len(rows), 3):
        baseline = rows[first]["bic"]
        assert rows[first]["learner"] == "ctss"
        for row in rows[first : first + 3]:
            assert row["delta_bic_percent"] == delta_bic(baseline, row["bic"])


def test_delta_bic_is_missing_without_a_baseline(plan):
    path = Path(plan.learner_folders()[0], "metrics.json")
    path.write_text(json.dumps(measured(None) | {"status": "failed", "reason": "oops"}))
    assert [row["delta_bic_percent"] for row in collect(plan, plan.root)[:3]] == [None, None, None]
    assert all(row["delta_bic_percent"] is not None for row in collect(plan, plan.root)[3:])


def test_the_command_writes_the_table(plan, capsys):
    assert main(["collect", "config.yaml", "-o", "metrics.parquet"]) == 0
    assert capsys.readouterr() == ("", "Collected 96 rows: 96 done\n")
    metrics = read_metrics("metrics.parquet")
    assert list(metrics.columns) == SCHEMA.names
    assert sorted(metrics["bic"]) == sorted(row["bic"] for row in collect(plan, plan.root))


def test_a_recorded_config_stands_for_its_folder(plan, tmp_path):
    """As a module with a prefix, the experiment is not in results/."""
    Path("results/x/config.json").write_text(json.dumps(CONFIG))
    (tmp_path / "sub").mkdir()
    Path("results").rename("sub/moved")
    assert main(["collect", "sub/moved/x/config.json", "-o", "metrics.parquet"]) == 0
    assert len(read_metrics("metrics.parquet")) == 96


def test_a_missing_file_is_named(plan, capsys):
    path = Path(plan.learner_folders()[5], "metrics.json")
    path.unlink()
    assert main(["collect", "config.yaml", "-o", "metrics.parquet"]) == 2
    assert capsys.readouterr().err == f"ctbnlab: {path}: No such file or directory\n"


def test_the_user_s_own_data_have_no_metrics(tmp_path, capsys):
    config = {"experiment": "x", "data": {"path": "data.csv"}, "learners": CONFIG["learners"]}
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    assert main(["collect", str(path), "-o", str(tmp_path / "metrics.parquet")]) == 2
    assert capsys.readouterr().err.startswith(f"ctbnlab: {path}: has no `design`")
