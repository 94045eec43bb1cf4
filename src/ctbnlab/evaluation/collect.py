"""All rows of an experiment as one table, with ΔBIC % against the baseline learner."""

from __future__ import annotations

import json
from typing import Any

from ctbnlab.evaluation.metrics import delta_bic
from ctbnlab.io import json_text
from ctbnlab.workflow.plan import Plan

# A command line knows only text; these columns of a row come from there.
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("nodes", "scattered", "replicate", "trajectories", "threads"), int),
    **dict.fromkeys(("density", "duration"), float),
    "extension": {"true": True, "false": False}.__getitem__,
}


def collect(plan: Plan) -> list[dict[str, Any]]:
    """Read the rows of every run and learner of the plan."""
    rows: list[dict[str, Any]] = []
    baselines: dict[str, float] = {}
    for folder in plan.learner_folders():
        row = json_text.read(f"{folder}/metrics.json")
        row |= {name: read(row[name]) for name, read in _TYPES.items()}
        row["options"] = json.dumps(row["options"], sort_keys=True)
        rows.append(row)
        if row["learner"] == plan.config.baseline and row["bic"] is not None:
            baselines[folder.rpartition("/")[0]] = row["bic"]
    for folder, row in zip(plan.learner_folders(), rows, strict=True):
        baseline = baselines.get(folder.rpartition("/")[0])
        known = baseline is not None and row["bic"] is not None
        row["delta_bic_percent"] = delta_bic(baseline, row["bic"]) if known and baseline else None
    return rows
