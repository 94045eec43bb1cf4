"""Extending or changing an experiment runs what is new and nothing else, with the shipped defaults."""

from __future__ import annotations

import json
import os
import time

import pytest

from tests.support.runs import ROOT, content, planned, snakemake, tiny

pytestmark = pytest.mark.slow  # each test runs Snakemake several times
# Jobs that summarise all rows; they run whenever a row is added or changed.
SUMMARY = {"metrics": 1, "tables": 1, "figures": 1, "environment": 1, "report_page": 1}
EXAMPLE = (ROOT / "examples/bivariate_learner.py").read_text()
LEARNERS = tiny()["learners"] | {"mine": {"algorithm": "mine.py"}}


@pytest.fixture(scope="module", params=["auto", False], ids=["stored", "on demand"])
def finished(request, tmp_path_factory):
    """A finished run with a user's learner, and its config."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "mine.py").write_text(EXAMPLE)
    config = tiny(learners=LEARNERS, nodes_per_job=1)
    if request.param != "auto":
        config["keep"] = {"trajectories": request.param}
    snakemake(folder, config)
    return folder, config


def of_one_learner(**more):
    """Return the jobs of one learner on the four networks of three nodes."""
    return {"learn": 12, "merge": 4, "evaluate": 4} | SUMMARY | more


def test_nothing_to_do(finished):
    assert planned(*finished) == {}


def test_adding_a_learner_runs_that_learner_only(finished):
    folder, config = finished
    more = config | {"learners": LEARNERS | {"ks": {"algorithm": "ctpc-ks"}}}
    assert planned(folder, more) == of_one_learner(config=1)


def test_changing_an_option_runs_that_learner_only(finished):
    folder, config = finished
    changed = LEARNERS | {"ctpc": {"algorithm": "ctpc-chi2", "options": {"alpha": 0.05}}}
    assert planned(folder, config | {"learners": changed}) == of_one_learner(config=1)


def test_editing_a_learner_s_file_runs_that_learner_only(finished):
    folder, config = finished
    path = folder / "mine.py"
    before = path.stat()
    path.write_text(EXAMPLE + "# edited\n")
    try:
        assert planned(folder, config) == of_one_learner(heatmap=1)
    finally:
        path.write_text(EXAMPLE)
    # A new time of change alone is no change.
    assert planned(folder, config) == {}
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_further_replicate_or_cell_repeats_nothing(finished):
    folder, config = finished
    design = config["design"]
    more = planned(folder, config | {"design": design | {"replicates": 3}})
    assert more == SUMMARY | {"config": 1, "network": 2, "trajectories": 2, "heatmap": 1} | {
        "learn": 18,
        "merge": 6,
        "evaluate": 6,
    }
    wider = planned(folder, config | {"design": design | {"density": [0.4, 0.6]}})
    assert (wider["network"], wider["trajectories"], wider["learn"]) == (4, 4, 36)


@pytest.mark.parametrize("change", [{"design": tiny()["design"] | {"duration": 21}}, {"seed": 8}])
def test_other_data_run_everything(finished, change):
    folder, config = finished
    jobs = planned(folder, config | change)
    assert (jobs["trajectories"], jobs["learn"], jobs["evaluate"]) == (4, 36, 12)


def test_what_is_added_is_the_same_as_from_the_start(finished, tmp_path):
    """Run the extension for real: results are those of one run, and the record shows both."""
    folder, config = finished
    more = config | {"learners": LEARNERS | {"ks": {"algorithm": "ctpc-ks"}}}
    del more["learners"]["mine"]
    before = {path: path.stat().st_mtime_ns for path in folder.glob("results/**/ctss/graph.json")}
    record = folder / "results/tiny/environment.json"
    made = record.stat().st_mtime_ns
    time.sleep(0.01)
    snakemake(folder, more)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert record.stat().st_mtime_ns > made
    assert sum(entry["rows"] for entry in json.loads(record.read_text())["rows"]) == 12
    snakemake(tmp_path, more, "results/tiny/metrics.parquet")
    extended = {name: value for name, value in content(folder).items() if "/mine/" not in name}
    assert extended == content(tmp_path)
