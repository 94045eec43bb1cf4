"""Folders of results as the workflow leaves them, made quickly, for tests of the report."""

from __future__ import annotations

import json
from pathlib import Path

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.evaluation.results_table import read_metrics, write_metrics
from ctbnlab.presentation.figures.catalogue import write_figures
from ctbnlab.presentation.paper_tables import write_tables
from ctbnlab.workflow.config import load
from tests.support.synthetic_metrics import row

REVISION = "0123456789abcdef0123456789abcdef01234567"
ENVIRONMENT = {
    "ctbnlab": "9.9.9",
    "python": "3.99.0",
    "packages": {"numpy": "2.99"},
    "system": "Linux",
    "revision": f"{REVISION} with changes",
}
DESIGN = {
    "experiment": "synthetic",
    "design": {"nodes": [5, 10], "states": [2], "density": [0.1], "replicates": 2},
    "learners": {
        "ctss": {"algorithm": "ctss"},
        "ctpc-chi2": {"algorithm": "ctpc-chi2", "options": {"alpha": 0.05}},
    },
    "reference": "main",
}
# Everything that some layer could take for markup, or that moves the text around it.
ODD_NAMES = (
    "</script><script>alert(1)</script>",
    "\"quotes\" & 'more'",
    "😀 emoji",
    "שלום RTL \u202e",
    "a\tb",
)


def rows(failed_reason="ValueError: <b>no</b> such thing"):
    """Return rows of two learners on four networks, of which one failed."""
    found = [
        row(learner=learner, nodes=nodes, replicate=replicate, false_negatives=replicate)
        for learner in ("ctss", "ctpc-chi2")
        for nodes in (5, 10)
        for replicate in (1, 2)
    ]
    for number, entry in enumerate(found):
        if (entry["learner"], entry["nodes"], entry["replicate"]) == ("ctss", 10, 2):
            keys = {key: entry[key] for key in row(status="failed")}
            found[number] = keys | {"status": "failed", "reason": failed_reason}
    return found


def write_record(folder: Path, config, environment=None) -> None:
    """Write config.json, defaults included, and environment.json."""
    resolved = load(config).model_dump(mode="json")
    (folder / "config.json").write_text(json.dumps(resolved), encoding="utf-8")
    (folder / "environment.json").write_text(json.dumps(environment or ENVIRONMENT), encoding="utf-8")


def experiment_folder(
    folder: Path, config=None, formats=("svg", "png"), figures=("f1", "shd", "time")
) -> Path:
    """Make the folder of a small experiment that is compared with the paper."""
    folder.mkdir(parents=True, exist_ok=True)
    config = config or DESIGN
    write_record(folder, config)
    write_metrics(rows(), folder / "metrics.parquet")
    metrics = read_metrics(folder / "metrics.parquet")
    write_tables(metrics, config.get("reference"), folder / "tables")
    write_figures(metrics, config.get("reference"), folder / "figures", formats, figures)
    return folder


def own_data_folder(folder: Path, names=("Eating", "Full", "Hungry"), learners=("ctss", "ctpc-chi2")) -> Path:
    """Make the folder of learners on the user's own data, with these names of variables."""
    folder.mkdir(parents=True, exist_ok=True)
    n = len(names)
    parents = {names[i]: [names[i - 1]] for i in range(n)}
    cims = {each: [[[-1.0, 1.0], [5.0, -5.0]], [[-5.0, 5.0], [1.0, -1.0]]] for each in names}
    network = ctbnlab.Network.build([(each, ("off", "on")) for each in names], parents, cims)
    data = ctbnlab.simulate(network, trajectories=20, duration=20.0, seed=1)
    ctbnlab.write(data, folder / "data.arrow")
    config = {
        "experiment": "mine",
        "data": {"path": "my data.csv"},
        "learners": {each: {"algorithm": each} for each in learners},
    }
    write_record(folder, config)
    for learner in learners:
        made = folder / learner
        made.mkdir()
        for line in (
            ["learn", folder / "data.arrow", "--learner", learner, "-o", made / "graph.json"],
            ["fit", made / "graph.json", folder / "data.arrow", "-o", made / "network.json"],
            ["plot", made / "graph.json", "-o", made / "graph.svg"],
        ):
            assert main(list(map(str, line))) == 0
    return folder


def page_of(folder: Path) -> str:
    """Return the report on a folder."""
    target = folder / "report.html"
    assert main(["report", str(folder), "-o", str(target)]) == 0
    return target.read_text(encoding="utf-8")
