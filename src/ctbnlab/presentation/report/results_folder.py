"""The report on a folder of results: finds the files that the workflow wrote there, and reads them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from ctbnlab.presentation.report.embedded import picture_files

_ALL_TABLES = "tables.html"  # repeats the others
_CLAIMS = "claims.html"


def report_on_folder(folder: str | os.PathLike[str], config: Mapping[str, Any]) -> str:
    """Return the page; `config` is the content of the folder's config.json, checked."""
    root = Path(folder)
    environment = json_text.read(root / "environment.json")
    if not isinstance(environment, dict):
        raise InputError("is not a record of an environment", path=root / "environment.json")
    if config.get("data") is not None:
        return _own_data(root, config, environment)
    return _experiment(root, config, environment)


def files_of(folder: str | os.PathLike[str]) -> list[str]:
    """Return the files that a report on this folder is made from."""
    root = Path(folder)
    of_learners = ("*/graph.*", "*/network.json", "*/bootstrap.json")
    patterns = ("*.json", "*.parquet", "tables/*", "figures/*", *of_learners)
    return [str(path) for pattern in patterns for path in sorted(root.glob(pattern)) if path.is_file()]


def _experiment(root: Path, config: Mapping[str, Any], environment: Mapping[str, Any]) -> str:
    from ctbnlab.evaluation.results_table import read_metrics
    from ctbnlab.presentation.report.experiment_report import ExperimentResults, experiment_report

    metrics, claims = root / "metrics.parquet", root / "tables" / _CLAIMS
    results = ExperimentResults(
        config=config,
        environment=environment,
        metrics=read_metrics(metrics),
        figures=picture_files(root / "figures"),
        tables=[
            path
            for path in sorted((root / "tables").glob("*.html"))
            if path.name not in (_ALL_TABLES, _CLAIMS)
        ],
        claims=claims if claims.is_file() else None,
    )
    try:
        return experiment_report(results)
    except InputError as error:
        raise error.within(metrics) from None


def _own_data(root: Path, config: Mapping[str, Any], environment: Mapping[str, Any]) -> str:
    from ctbnlab.learning.bootstrap_result import Bootstrap
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.model.network import Network
    from ctbnlab.presentation.report.own_data_report import LearnerResult, OwnDataResults, own_data_report

    learners: list[LearnerResult] = []
    for folder in _learner_folders(root, list(config["learners"])):
        graph = LearnedGraph.read(folder / "graph.json")
        if learners and graph.variables != learners[0].graph.variables:
            message = f"has other variables than {learners[0].label}/graph.json"
            raise InputError(message, path=folder / "graph.json")
        network = folder / "network.json"
        rates = Network.read(network) if network.is_file() else None
        bootstrap = folder / "bootstrap.json"
        resampled = Bootstrap.read(bootstrap) if bootstrap.is_file() else None
        picture = picture_files(folder, "graph").get("graph")
        learners.append(LearnerResult(folder.name, graph, rates, picture, resampled))
    if not learners:
        raise InputError("has no learned graph: no LEARNER/graph.json", path=root)
    return own_data_report(OwnDataResults(config, environment, learners))


def _learner_folders(root: Path, labels: list[str]) -> list[Path]:
    """Return the folders with a learned graph in the order of the config; a sweep adds to its label."""

    def place(folder: Path) -> tuple[int, str]:
        ranks = [
            i for i, label in enumerate(labels) if folder.name == label or folder.name.startswith(f"{label}_")
        ]
        return (min(ranks, default=len(labels)), folder.name)

    return sorted((path.parent for path in root.glob("*/graph.json")), key=place)
