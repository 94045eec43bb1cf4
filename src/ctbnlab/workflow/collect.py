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
from ctbnlab.workflow.design import Run, Trial
from ctbnlab.workflow.plan import Plan


def collect(plan: Plan, folder: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return one row per trial of the plan, read from the metrics.json in its folder below `folder`."""
    if plan.config.design is None:
        raise InputError("has no `design`: metrics exist only for simulated networks")
    rows: list[tuple[Trial, dict[str, Any]]] = []
    baselines: dict[tuple[Run, int], float] = {}
    for trial in plan.trials():
        row = _measured(f"{os.fspath(folder)}/{trial.path}/metrics.json", design_columns(plan, trial))
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


def design_columns(plan: Plan, trial: Trial) -> dict[str, Any]:
    """Return the columns that identify a row: the factors of its cell, and the learner."""
    design = plan.config.design
    assert design is not None
    cell = trial.run.cell
    return {
        "experiment": plan.config.experiment,
        "nodes": cell.nodes * cell.scattered,
        "states": cell.states.replace("-", ","),
        "density": float(cell.density),
        "scattered": cell.scattered,
        "replicate": trial.run.replicate,
        "trajectories": trial.trajectories,
        "duration": design.duration,
        "extension": cell.extension,
        "learner": trial.learner,
        "threads": plan.learners[trial.learner].threads,
    }
