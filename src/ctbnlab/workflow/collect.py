"""All rows of an experiment as one table: the design's columns, the measurements, and ΔBIC %."""

from __future__ import annotations

import json
import os
from typing import Any

from ctbnlab.errors import InputError
from ctbnlab.evaluation.metrics import delta_bic
from ctbnlab.evaluation.results_table import row_fault
from ctbnlab.io import json_text
from ctbnlab.io.bounded import SMALL
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.truth import read_true_graph
from ctbnlab.workflow.design import Cell, Run, Trial
from ctbnlab.workflow.plan import Plan


def collect(plan: Plan, folder: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return one row per trial of the plan, read from the metrics.json in its folder below `folder`."""
    if plan.config.design is None:
        raise InputError("has no `design`: metrics exist only where the truth is known")
    rows: list[tuple[Trial, dict[str, Any]]] = []
    baselines: dict[tuple[Run, int | None], float] = {}
    networks: dict[Run, dict[str, Any]] = {}
    for trial in plan.trials():
        if trial.run not in networks:
            networks[trial.run] = network_columns(plan, trial.run, os.fspath(folder))
        columns = networks[trial.run] | trial_columns(plan, trial)
        row = _measured(f"{os.fspath(folder)}/{trial.path}/metrics.json", columns)
        rows.append((trial, row))
        if trial.learner == plan.config.baseline and row["bic"] is not None:
            baselines[trial.run, trial.trajectories] = row["bic"]
    for trial, row in rows:
        baseline = baselines.get((trial.run, trial.trajectories))
        known = baseline is not None and row["bic"] is not None
        row["delta_bic_percent"] = delta_bic(baseline, row["bic"]) if known and baseline else None
    return [row for _, row in rows]


def _measured(path: str, design: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the design and the metrics in a file, checked."""
    content = json_text.read(path, SMALL)
    if not isinstance(content, dict) or not isinstance(content.get("options"), dict):
        raise InputError("is not a file of metrics, as `ctbnlab evaluate` writes it", path=path)
    row = content | design
    row["options"] = json.dumps(row["options"], sort_keys=True)
    row.setdefault("bic", None)
    if fault := row_fault(row):
        raise InputError(f"is not a file of metrics: it {fault}", path=path)
    return row


def network_columns(plan: Plan, run: Run, folder: str) -> dict[str, Any]:
    """Return the columns about a network: the factors of its cell, or the same of a given one."""
    cell, design = run.cell, plan.config.design
    assert design is not None
    common = {"experiment": plan.config.experiment, "replicate": run.replicate, "duration": design.duration}
    if not isinstance(cell, Cell):
        return common | {"network": cell.label} | _given_columns(f"{folder}/{run.path}/network.json")
    return common | {
        "network": None,
        "nodes": cell.nodes * cell.scattered,
        "states": cell.states.replace("-", ","),
        "density": float(cell.density),
        "scattered": cell.scattered,
        "extension": cell.extension,
    }


def _given_columns(path: str) -> dict[str, Any]:
    """Return the columns that follow from a true network or graph, and from the data of the latter."""
    truth = read_true_graph(path)
    n = len(truth.variables)
    columns = {
        "nodes": n,
        "states": ",".join(map(str, sorted({len(variable.states) for variable in truth.variables}))),
        "density": len(truth.arcs) / (n * (n - 1)) if n > 1 else 0.0,
        "scattered": 1,
        "extension": False,
    }
    if isinstance(truth, LearnedGraph):
        number = int(truth.data["trajectories"])
        columns |= {"trajectories": number, "duration": float(truth.data["time"]) / number}
    return columns


def trial_columns(plan: Plan, trial: Trial) -> dict[str, Any]:
    """Return the columns about a learner, and the number of trajectories unless that is all of a data set."""
    entry = plan.learners[trial.learner]
    columns = {
        "learner": trial.learner,
        "threads": entry.threads,
        "timed": "thread" if entry.command is None else "process",
    }
    return columns if trial.trajectories is None else columns | {"trajectories": trial.trajectories}
