"""The workflow end to end, on tiny experiments: results, reruns, failures and resumption."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from ctbnlab.evaluation.results_table import COLUMNS, read_metrics
from tests.support.runs import ROOT, base_command, content, planned, snakemake, tiny

LEARNERS = Path(__file__).parent / "learners"
# A learner that the system kills once, in one of its jobs.
UNLUCKY = """
import os
import signal
from dataclasses import dataclass
from pathlib import Path

from ctbnlab import NodeResult


@dataclass(frozen=True)
class Unlucky:
    def learn_node(self, statistics, knowledge):
        if statistics.target == 1 and not Path("marker").exists():
            Path("marker").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return NodeResult(statistics.target, (), ())
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run, for tests that do not change it."""
    folder = tmp_path_factory.mktemp("finished")
    snakemake(folder, tiny())
    return folder


def test_a_run_makes_tables_figures_and_report(finished):
    root = finished / "results/tiny"
    names = ["config.json", "environment.json", "metrics.parquet", "report.html", "tables/summary.md"]
    names += [f"figures/{name}.png" for name in ("f1", "delta_bic", "precision_recall", "shd", "time")]
    names += [f"figures/{name}.png" for name in ("areas", "curves_precision_recall", "curves_roc")]
    names += ["figures/example.png", "figures/heatmap.png"]
    for name in names:
        assert (root / name).stat().st_size > 0, name
    metrics = read_metrics(root / "metrics.parquet")
    assert len(metrics) == 8
    assert set(metrics["status"]) == {"done"}
    assert metrics["delta_bic_percent"].notna().all()
    assert metrics["roc_auc"].notna().all()
    assert metrics["cpu_seconds"].gt(0).all()


def test_metrics_have_the_columns_of_the_design(finished):
    metrics = read_metrics(finished / "results/tiny/metrics.parquet")
    assert tuple(metrics.columns) == COLUMNS
    factors = ["nodes", "states", "density", "trajectories", "duration", "scattered", "replicate"]
    rows = metrics[["experiment", *factors, "extension", "learner", "threads"]].to_dict("records")
    assert rows == [
        {
            "experiment": "tiny",
            "nodes": 3,
            "states": states,
            "density": 0.4,
            "trajectories": 20,
            "duration": 20.0,
            "scattered": 1,
            "replicate": replicate,
            "extension": False,
            "learner": learner,
            "threads": 1,
        }
        for states in ("2", "3")
        for replicate in (1, 2)
        for learner in ("ctpc", "ctss")
    ]
    (row, *_) = finished.glob("results/**/metrics.json")
    assert not set(json.loads(row.read_text())) & {"experiment", *factors, "extension", "learner", "threads"}


def test_a_second_call_does_nothing(finished):
    assert planned(finished, tiny()) == {}


def test_results_do_not_depend_on_cores_or_packing(finished, tmp_path):
    expected = content(finished)
    snakemake(tmp_path / "one", tiny(), "results/tiny/metrics.parquet", cores=1)
    assert content(tmp_path / "one") == expected
    snakemake(tmp_path / "packed", tiny(nodes_per_job="all"), "results/tiny/metrics.parquet")
    assert content(tmp_path / "packed") == expected


def test_failures_are_rows_and_the_run_continues(tmp_path):
    faults = {name: {"algorithm": str(LEARNERS / f"{name}.py")} for name in ("raises", "invalid", "skips")}
    faults |= {name: {"algorithm": str(LEARNERS / f"{name}.py")} for name in ("hangs", "crashes")}
    learners = {"ctss": {"algorithm": "ctss"}, **faults}
    config = tiny(learners=learners, time_limit=10, nodes_per_job="all", baseline="ctss")
    config["design"] |= {"states": [2], "replicates": 1}
    snakemake(tmp_path, config, "results/tiny/tables", "results/tiny/figures/delta_bic_other.png")
    metrics = read_metrics(tmp_path / "results/tiny/metrics.parquet").set_index("learner")
    assert metrics["status"].to_dict() == {
        "ctss": "done",
        "raises": "failed",
        "invalid": "failed",
        "skips": "skipped",
        "hangs": "timed out",
        "crashes": "failed",
    }
    assert "ZeroDivisionError: an error of the learner" in metrics.loc["raises", "reason"]
    assert "not distinct other variables" in metrics.loc["invalid", "reason"]
    assert metrics.loc["skips", "reason"] == "not for this node"
    assert "time limit of 10 s" in metrics.loc["hangs", "reason"]
    assert metrics.loc["crashes", "reason"] == "killed by SIGSEGV"
    summary = (tmp_path / "results/tiny/tables/summary.md").read_text()
    assert "timed out" in summary


def test_a_kill_from_outside_is_no_result_and_is_repeated_alone(tmp_path):
    (tmp_path / "unlucky.py").write_text(UNLUCKY)
    config = tiny(learners={"ctss": {"algorithm": "ctss"}, "unlucky": {"algorithm": "unlucky.py"}})
    config["design"] |= {"states": [2], "replicates": 1}
    target = "results/tiny/metrics.parquet"
    result = snakemake(tmp_path, config, "--", target, check=False)
    assert result.returncode
    (log,) = (path for path in tmp_path.glob("results/**/unlucky/logs/*.log") if path.stat().st_size > 100)
    assert log.read_text() == (
        "ctbnlab: learning was killed by SIGKILL; nothing was recorded: run the same command again, with "
        "fewer cores if memory ran out\n"
    )
    assert planned(tmp_path, config, "--", target) == {"learn": 1, "merge": 1, "evaluate": 1, "metrics": 1}
    snakemake(tmp_path, config, "--", target)
    assert set(read_metrics(tmp_path / target)["status"]) == {"done"}


def test_a_user_s_learner(tmp_path):
    learners = {
        "mine": {"algorithm": str(ROOT / "examples/bivariate_learner.py"), "options": {"penalty": 6.0}}
    }
    config = tiny(learners=learners, baseline=None)
    config["design"] |= {"states": [2], "replicates": 1}
    snakemake(tmp_path, config, "results/tiny/metrics.parquet")
    metrics = read_metrics(tmp_path / "results/tiny/metrics.parquet")
    assert metrics["status"].tolist() == ["done"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"desing": {}}, "config: desing: unknown key; did you mean 'design'?"),
        ({"seed": "x"}, "config: seed: Input should be a valid integer"),
        ({"design": {"nodes": [3], "states": [2], "density": [1.5]}}, "config: design.density.0: "),
        (
            {"learners": {"a": {"algorithm": "ctpc"}}, "baseline": None},
            "unknown learner 'ctpc'; did you mean",
        ),
        (
            {"learners": {"a": {"algorithm": "ctss", "options": {"taau": 1}}}, "baseline": None},
            "config: learners.a: the learner ctss has no option 'taau'; did you mean 'tau'?",
        ),
    ],
)
def test_a_bad_config_is_one_clear_line(tmp_path, changes, message):
    result = snakemake(tmp_path, tiny(**changes), "--dry-run", check=False)
    assert result.returncode
    assert message in result.stderr + result.stdout
    assert "Traceback" not in result.stderr + result.stdout
    assert not (tmp_path / "results").exists()


def test_snakemake_s_own_report_shows_each_figure_and_table_once(finished, tmp_path):
    page = tmp_path / "page.html"
    snakemake(finished, tiny(), "--report", page)
    start = re.search(r'<script id="results">\s*var results = ', page.read_text()).end()
    shown, _ = json.JSONDecoder().raw_decode(page.read_text(), start)
    labels = [tuple(sorted((entry["labels"] or {}).items())) for entry in shown.values()]
    figures = [label for label in labels if label and label[0][0] == "figure"]
    assert len(figures) == len(set(figures)) == 11 and (("figure", "F1 score"),) in figures
    tables = [label for label in labels if label and label[0][0] == "table"]
    assert len(tables) == len(set(tables)) == 16 and (("table", "f1_ctss"),) in tables
    assert all(entry["caption"] for path, entry in shown.items() if not path.endswith(".json"))


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_configs_can_be_planned(path):
    command = [*base_command()[:-1], str(path), "--cores", "2", "--dry-run", "--quiet", "all"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def assert_bootstrap_of_one_job(folder, root):
    """Check the files of a bootstrap against those of one command."""
    options = "--learner ctss -n 5 --require Eating->Full --forbid Full->Eating --table f.csv -o b.json"
    command = [sys.executable, "-m", "ctbnlab", "bootstrap", "results/mine/data.arrow", *options.split()]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    for made, expected in (("bootstrap.json", "b.json"), ("frequencies.csv", "f.csv")):
        assert (root / "ctss" / made).read_bytes() == (folder / expected).read_bytes()
    assert (root / "ctpc/frequencies.svg").stat().st_size > 0
    assert not list(root.glob("*/bootstrap-*.json"))
    assert "is the share of 5 samples" in (root / "report.html").read_text()


def test_the_user_s_own_data(tmp_path):
    (tmp_path / "data.csv").write_bytes((ROOT / "config/my_data.csv").read_bytes())
    config = {
        "experiment": "mine",
        "data": {"path": "data.csv", "forbid": ["Full->Eating"], "require": ["Eating->Full"]},
        "learners": {"ctpc": {"algorithm": "ctpc-chi2"}, "ctss": {"algorithm": "ctss"}},
        "bootstrap": {"replicates": 5, "batches": 2},
        "formats": ["svg"],
    }
    snakemake(tmp_path, config)
    root = tmp_path / "results/mine"
    assert_bootstrap_of_one_job(tmp_path, root)
    arcs = (root / "arcs.md").read_text()
    assert "Eating → Full" in arcs
    assert "Full → Eating" not in arcs
    for name in ("arcs.html", "arcs.csv", "ctss/network.json", "ctpc/graph.svg", "report.html"):
        assert (root / name).stat().st_size > 0, name
    assert json.loads((root / "ctss/graph.json").read_text())["checks"]
    assert "Result of each check" in (root / "report.html").read_text()


@pytest.mark.slow
def test_a_killed_run_resumes_to_the_same_results(finished, tmp_path):
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(tiny()))
    moments = random.Random(3)
    for _ in range(3):
        command = [*base_command(), "--cores", "2"]
        with subprocess.Popen(
            command,
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as run:
            time.sleep(moments.uniform(4, 12))
            os.killpg(run.pid, signal.SIGKILL)
        unlock = [*base_command(), "--unlock"]
        subprocess.run(unlock, cwd=tmp_path, capture_output=True, check=True)
    snakemake(tmp_path, tiny())
    assert content(tmp_path) == content(finished)


def test_a_damaged_file_is_named_and_not_used(tmp_path):
    config = tiny(learners={"ctss": {"algorithm": "ctss"}})
    config["design"] |= {"states": [2], "replicates": 1}
    again = ("--forcerun", "learn", "--", "results/tiny/metrics.parquet")
    snakemake(tmp_path, config, "results/tiny/metrics.parquet")
    expected = content(tmp_path)
    (data,) = tmp_path.glob("results/**/data.arrow")
    data.write_bytes(data.read_bytes()[:-100])
    result = snakemake(tmp_path, config, *again, check=False)
    assert result.returncode
    (log,) = tmp_path.glob("results/**/logs/part-1.log")
    assert "data.arrow: is truncated or not an Arrow file" in log.read_text()
    snakemake(tmp_path, config, "--forcerun", "trajectories", *again[1:])
    assert content(tmp_path) == expected


def replica(content):
    """Return a shipped config made small: every learner and kind of cell, few and short trajectories."""
    config = copy.deepcopy(content) | {"formats": ["png"], "time_limit": 60}
    if "design" in config:
        design = config["design"]
        smallest = {"nodes": [3], "density": [0.4], "exceptions": []} if "nodes" in design else {}
        numbers = list(range(2, 2 + len(design["trajectories"])))
        design |= smallest | {"trajectories": numbers, "duration": 5, "replicates": 1}
        design |= {"scattered": design["scattered"][:2]} if "scattered" in design else {}
    return config


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_configs_run_to_the_end(tmp_path, path):
    (tmp_path / "config").symlink_to(ROOT / "config")
    config = replica(yaml.safe_load(path.read_text()))
    snakemake(tmp_path, config)
    root = tmp_path / "results" / config["experiment"]
    assert (root / "report.html").stat().st_size > 10_000
    if "design" in config:
        metrics = read_metrics(root / "metrics.parquet")
        assert set(metrics["status"]) == {"done"}
        assert (root / "tables/summary.md").exists()
