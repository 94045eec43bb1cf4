"""Given networks, data with a known truth and external commands: planned, checked, and run to the end."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

import ctbnlab
from ctbnlab.errors import InputError
from ctbnlab.evaluation.results_table import read_metrics
from ctbnlab.workflow.config import load
from ctbnlab.workflow.plan import WILDCARDS, Plan, load_plan
from ctbnlab.workflow.resources import JobResources
from ctbnlab.workflow.workload import BYTES_PER_EVENT
from tests.support.runs import ROOT, planned, snakemake

TARGET = "results/own/metrics.parquet"
SHELL = "sh learner.sh {data} {arcs} {threshold}"
# The file of a network whose name Snakemake would take for a wildcard.
ODD = "my {word} network.json"


def config(**changes):
    design = {
        "networks": {"eating": "eating", "mine": ODD},
        "data_sets": {
            "listed": {"path": "data.csv", "truth": "arcs.csv", "trajectories": [5, 20]},
            "known": {"path": "data.csv", "truth": ODD},
        },
        "trajectories": [10, 20],
        "duration": 20,
        "replicates": 2,
    }
    learners = {
        "ctss": {"algorithm": "ctss", "options": {"criterion": "score.py"}},
        "shell": {"command": SHELL, "sweep": {"threshold": [3, 5]}},
    }
    content = {"experiment": "own", "seed": 7, "design": design, "learners": learners, "baseline": "ctss"}
    return content | {"formats": ["png"], "nodes_per_job": 1} | changes


def prepare(folder: Path) -> None:
    """Write the user's files."""
    network = ctbnlab.generate(3, states=[2, 3, 2], density=0.5, seed=3)
    network.write(folder / ODD)
    data = ctbnlab.simulate(network, trajectories=20, duration=30.0, seed=1)
    ctbnlab.write(data, folder / "data.csv")
    arcs = "".join(f"{source},{target}\n" for source, target in network.arcs)
    (folder / "arcs.csv").write_text(f"from,to\n{arcs}")
    (folder / "learner.sh").write_bytes((ROOT / "examples/command_learner.sh").read_bytes())
    (folder / "score.py").write_bytes((ROOT / "examples/node_bic_score.py").read_bytes())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    return tmp_path


# ---- Planning ----


def test_paths_match_their_wildcards(folder):
    plan = Plan(load(config()))
    pattern = re.escape(plan.learner_folder)
    for name, constraint in WILDCARDS.items():
        pattern = pattern.replace(re.escape("{" + name + "}"), f"(?P<{name}>{constraint})")
    folders = plan.learner_folders()
    assert len(folders) == len(set(folders)) == 3 * (2 * 2 * 2 + 2 + 1) == plan.config.n_trials
    for path in folders:
        assert re.fullmatch(pattern, path), path
    assert "results/own/network~known/replicate~1/trajectories~all/ctss" in folders
    assert "results/own/network~eating/replicate~2/trajectories~10/shell_threshold=5" in folders


def test_a_command_is_one_job_whatever_the_packing(folder):
    plan = load_plan(config(nodes_per_job=1))
    place = {"network": "mine", "replicate": "1", "trajectories": "10"}
    assert plan.workload.n_parts(SimpleNamespace(**place, learner="shell_threshold=3")) == 1
    assert plan.workload.n_parts(SimpleNamespace(**place, learner="ctss")) == 3
    assert plan.learner_files(SimpleNamespace(**place, learner="shell_threshold=3")) == ["learner.sh"]
    assert plan.learner_files(SimpleNamespace(**place, learner="ctss")) == ["score.py"]


def test_seeds_of_given_networks_differ():
    plan = Plan(load(config()))
    places = [SimpleNamespace(network=n, replicate=r) for n in ("eating", "mine") for r in "12"]
    assert len({plan.seed(place, "trajectories") for place in places}) == 4


def test_the_recorded_config_can_be_read_again(folder):
    plan = load_plan(config())
    assert load(json.loads(plan.resolved())) == plan.config


def test_requests_follow_from_what_is_given(folder):
    design = {
        "networks": {"ring": "ring"},
        "data_sets": config()["design"]["data_sets"],
        "trajectories": [200],
    }
    plan = load_plan(config(design=design | {"duration": 500}))
    running = SimpleNamespace(in_cluster_job=True)
    ring = SimpleNamespace(network="ring", replicate="1", trajectories="200", learner="ctss")
    events = (
        ctbnlab.simulate(ctbnlab.gallery.get("ring"), trajectories=20, duration=500.0, seed=1).n_events * 10
    )
    assert 0.5 < JobResources(plan, running).data_mb(ring) * 1e6 / (events * BYTES_PER_EVENT) < 3
    known = SimpleNamespace(network="known", replicate="1", trajectories="all", learner="ctss")
    assert JobResources(plan, running).data_mb(known) == 1
    assert JobResources(plan, running).group(known) == "small_networks"


def networks(**given):
    return config(design={"networks": given})


def data_set(**keys):
    return config(design={"data_sets": {"d": {"path": "data.csv", "truth": "arcs.csv"} | keys}})


def command(text, **options):
    return config(learners={"c": {"command": text, "options": options}}, baseline=None)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            networks(a="drugs"),
            "config: design.networks.a: drugs: is neither a file nor in the gallery, which",
        ),
        (
            networks(a="none.json"),
            "config: design.networks.a: none.json: is neither a file nor in the gallery",
        ),
        (networks(a="arcs.csv"), "config: design.networks.a: arcs.csv: line 1, column 1: is not JSON"),
        (networks(a="."), "config: design.networks.a: .: is a folder"),
        (data_set(path="none.csv"), "config: design.data_sets.d.path: none.csv: No such file or directory"),
        (data_set(truth="none.csv"), "config: design.data_sets.d.truth: none.csv: No such file or directory"),
        (data_set(truth="data.csv"), "config: design.data_sets.d.truth: data.csv: line 1: no column 'from'"),
        (data_set(format="long"), "config: design.data_sets.d.path: data.csv: "),
        (data_set(states="none.json"), "config: design.data_sets.d.states: none.json: no such file"),
        (command("none {data} {arcs}"), "config: learners.c: the program 'none' of the command is not found"),
        (command("sh {data}"), "config: learners.c: the command has no {arcs}"),
        (command("sh {data} {arcs}", a=1), "config: learners.c: the command has no {a} for the option 'a'"),
        (
            config(learners={"ctss": {"algorithm": "ctss", "options": {"criterion": "none.py"}}}),
            "config: learners.ctss: none.py: no such file",
        ),
    ],
)
def test_faults_are_reported_before_any_job_runs(folder, content, message):
    with pytest.raises(InputError) as caught:
        load_plan(content)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_truth_of_other_variables_is_refused(folder):
    ctbnlab.generate(2, states=2, density=0.5, seed=1).write("other.json")
    with pytest.raises(InputError) as caught:
        load_plan(data_set(truth="other.json"))
    assert str(caught.value) == (
        "config: design.data_sets.d.truth: other.json: lacks the variable 'X3', which data.csv has"
    )


# ---- The whole workflow ----


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run, its report included; the last test here changes its files."""
    folder = tmp_path_factory.mktemp("given")
    prepare(folder)
    content = config(nodes_per_job="all")
    content["design"] |= {"trajectories": [20]}
    snakemake(folder, content)
    return folder, content


def test_rows_are_about_networks_and_data_sets(finished):
    folder, _ = finished
    metrics = read_metrics(folder / TARGET)
    assert set(metrics["status"]) == {"done"}
    columns = ["network", "replicate", "trajectories", "nodes", "states", "duration", "scattered"]
    rows = metrics.loc[metrics["learner"] == "ctss", columns].to_numpy().tolist()
    assert rows == [
        ["eating", 1, 20, 3, "2", 20.0, 1],
        ["eating", 2, 20, 3, "2", 20.0, 1],
        ["known", 1, 20, 3, "2,3", 30.0, 1],
        ["listed", 1, 5, 3, "2,3", 30.0, 1],
        ["listed", 1, 20, 3, "2,3", 30.0, 1],
        ["mine", 1, 20, 3, "2,3", 20.0, 1],
        ["mine", 2, 20, 3, "2,3", 20.0, 1],
    ]
    arcs = len(ctbnlab.Network.read(folder / ODD).arcs)
    own = metrics[metrics["network"] != "eating"]
    assert set(own["n_true"]) == {arcs} and set(own["density"]) == {arcs / 6}
    timed = metrics.groupby("learner")[["algorithm", "timed"]].first().to_numpy().tolist()
    assert timed == [["ctss", "thread"], ["command", "process"], ["command", "process"]]
    assert metrics["cpu_seconds"].gt(0).all() and metrics["delta_bic_percent"].notna().all()
    # Different data from one network; the same data from two truths that agree.
    per_run = metrics[metrics["network"] == "mine"].groupby("replicate")["events"].first()
    assert per_run[1] != per_run[2]
    whole = metrics[metrics["network"].isin(["known", "listed"]) & (metrics["trajectories"] == 20)]
    assert whole.groupby("learner")["f1"].nunique().eq(1).all()


def test_rows_are_those_of_the_commands_run_by_hand(finished, monkeypatch):
    folder, _ = finished
    monkeypatch.chdir(folder)
    metrics = read_metrics(TARGET)
    data = ctbnlab.read("data.csv")
    truth = ctbnlab.Network.read(ODD)
    graph = ctbnlab.Ctss(criterion="score.py").fit(data).graph_
    comparison = ctbnlab.compare(truth.arcs, graph.arcs, truth.names).whole
    row = metrics[(metrics["network"] == "known") & (metrics["learner"] == "ctss")].iloc[0]
    assert (row["true_positives"], row["shd"], row["f1"]) == (
        comparison.true_positives,
        comparison.shd,
        comparison.f1,
    )


def test_tables_and_figures_are_made(finished):
    root = finished[0] / "results/own"
    table = (root / "tables/f1_ctss.md").read_text()
    assert [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| ")] == [
        "Trajectories", "eating", "known", "listed", "mine",
    ]  # fmt: skip
    for name in (
        "figures/f1.png",
        "figures/heatmap.png",
        "tables/f1_ctss.tex",
        "tables/f1_ctss.html",
        "report.html",
    ):
        assert (root / name).stat().st_size > 0, name


def test_an_edited_file_repeats_what_depends_on_it(finished):
    folder, content = finished
    assert planned(folder, content, "--", TARGET) == {}
    table = {"metrics": 1}

    def edited(name):
        path = folder / name
        before = path.read_bytes(), path.stat().st_mtime_ns
        path.write_bytes(before[0] + b"\n")
        jobs = planned(folder, content, "--", TARGET)
        path.write_bytes(before[0])
        os.utime(path, ns=(before[1], before[1]))
        return jobs

    assert edited("learner.sh") == table | {"learn": 14, "merge": 14, "evaluate": 14}
    assert edited("score.py") == table | {"learn": 7, "merge": 7, "evaluate": 7}
    assert edited("arcs.csv") == table | {"truth": 1, "evaluate": 6}
    # Two data sets: their truths are made for the variables of the data.
    both = {"data_set": 2, "truth": 2, "learn": 9, "merge": 9, "evaluate": 9}
    assert edited("data.csv") == table | both
    # The network of two simulated runs, and the truth of one data set.
    mine = {"truth": 3, "trajectories": 2, "learn": 6, "merge": 6, "evaluate": 9}
    assert edited(ODD) == table | mine
    assert planned(folder, content, "--", TARGET) == {}


def test_failures_of_a_command_are_rows(tmp_path):
    prepare(tmp_path)
    scripts = {
        "exits": "echo no such package >&2; exit 3",
        "silent": "true",
        "unknown": 'printf "from,to\\nX1,Z\\n" > "$2"',
        "hangs": "sleep 600",
    }
    learners = {}
    for name, text in scripts.items():
        (tmp_path / f"{name}.sh").write_text(text)
        learners[name] = {"command": f"sh {name}.sh {{data}} {{arcs}}"}
    content = config(learners=learners, baseline=None, time_limit=3)
    content["design"] = {"data_sets": {"known": {"path": "data.csv", "truth": ODD}}}
    snakemake(tmp_path, content, "results/own/tables")
    rows = read_metrics(tmp_path / TARGET).set_index("learner")
    assert rows["status"].to_dict() == {
        "exits": "failed",
        "hangs": "timed out",
        "silent": "failed",
        "unknown": "failed",
    }
    assert rows["reason"].to_dict() == {
        "exits": "exit status 3: no such package",
        "hangs": "exceeded the time limit of 3 s",
        "silent": "it did not write {arcs}: a CSV file with the header from,to",
        "unknown": "{arcs}: line 2: unknown variable 'Z'",
    }


def test_a_command_on_the_user_s_own_data(tmp_path):
    prepare(tmp_path)
    content = config(learners={"shell": {"command": SHELL, "options": {"threshold": 4}}}, baseline=None)
    content |= {"data": {"path": "data.csv"}, "design": None, "formats": ["svg"]}
    snakemake(tmp_path, content, "results/own/arcs.md", "results/own/shell/network.json")
    assert "→" in (tmp_path / "results/own/arcs.md").read_text()
