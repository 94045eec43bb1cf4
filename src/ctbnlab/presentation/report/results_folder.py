"""The report on a folder of results: finds the files that the workflow wrote there, and reads them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from ctbnlab.presentation.report.embedded import picture_files

if TYPE_CHECKING:
    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.presentation.page.page_content import HowMade, HowToAsk

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
    patterns = ("*.json", "*.arrow", "*.parquet", "tables/*", "figures/*", *of_learners)
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
    """Return the page on one's own data; the first learner of the config is the one that it opens with."""
    from ctbnlab.learning.bootstrap_result import Bootstrap
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.presentation.page.data_page import data_page
    from ctbnlab.presentation.page.page_content import PageContent

    graphs: dict[str, LearnedGraph] = {}
    for folder in _learner_folders(root, list(config["learners"])):
        graph = LearnedGraph.read(folder / "graph.json")
        first = next(iter(graphs.items()), None)
        if first is not None and _own_names(graph) != _own_names(first[1]):
            message = f"has other variables than {first[0]}/graph.json"
            raise InputError(message, path=folder / "graph.json")
        graphs[folder.name] = graph
    if not graphs:
        raise InputError("has no learned graph: no LEARNER/graph.json", path=root)
    label, graph = next(iter(graphs.items()))
    resampled = root / label / "bootstrap.json"
    data = _data_of(root / "data.arrow", graph)
    source = (config.get("data") or {}).get("path") or "data"
    content = PageContent(
        title=config["experiment"],
        source=Path(str(source)).name,
        label=label,
        graph=graph if data is None else _measured(graph, data, root / label / "graph.json"),
        data=data,
        made=replace(_made(config, environment), asking=_asking(config["experiment"], label)),
        compared={name: other for name, other in graphs.items() if name != label},
        bootstrap=Bootstrap.read(resampled) if resampled.is_file() else None,
    )
    return data_page(content)


def _own_names(graph: LearnedGraph) -> tuple[str, ...]:
    """Return the names of a graph's variables, without clocks that learning robustly took in."""
    return tuple(name for name in graph.names if name not in graph.roles.clock_names)


def _data_of(path: Path, graph: LearnedGraph) -> Trajectories | None:
    """Return the data that a graph was learned from, with its clocks; None if they are not kept."""
    from ctbnlab.data import arrow_file
    from ctbnlab.data.prepare import with_roles_of

    if not path.is_file():
        return None
    data = with_roles_of(arrow_file.read(path), graph.roles)
    if data.variables != graph.variables:
        raise InputError("has other variables than the graph that was learned from it", path=path)
    # The period of an own clock is no variable: only its number is part of the roles.
    return data.with_roles(replace(data.roles, own_clock=graph.roles.own_clock))


def _measured(graph: LearnedGraph, data: Trajectories, path: Path) -> LearnedGraph:
    """Return a graph with the effects of its arcs, which one that was merged from parts may lack."""
    from ctbnlab.learning.effects import with_effects

    try:
        return with_effects(graph, data)
    except InputError as error:
        raise error.within(path) from None


def _made(config: Mapping[str, Any], environment: Mapping[str, Any]) -> HowMade:
    """Return how a workflow made its results."""
    from ctbnlab.presentation.page.page_content import HowMade
    from ctbnlab.presentation.report.run_record import citations, reproducing

    packages = environment.get("packages")
    versions = {key: environment.get(key) for key in ("ctbnlab", "python", "system", "revision")}
    versions |= packages if isinstance(packages, dict) else {}
    return HowMade(
        reproducing(config, environment),
        {key: str(value) for key, value in versions.items() if value is not None},
        citations(config, environment),
        json_text.dumps(config),
    )


def _asking(experiment: str, label: str) -> HowToAsk:
    from ctbnlab.presentation.page.page_content import HowToAsk

    graph, data = (f"results/{experiment}/{file}" for file in (f"{label}/graph.json", "data.arrow"))
    fit = shlex.join(["ctbnlab", "fit", graph, data, "--initial", "empirical", "-o", "network.json"])
    return HowToAsk((fit,), "network.json", data)


def _learner_folders(root: Path, labels: list[str]) -> list[Path]:
    """Return the folders with a learned graph in the order of the config; a sweep adds to its label."""

    def place(folder: Path) -> tuple[int, str]:
        ranks = [
            i for i, label in enumerate(labels) if folder.name == label or folder.name.startswith(f"{label}_")
        ]
        return (min(ranks, default=len(labels)), folder.name)

    return sorted((path.parent for path in root.glob("*/graph.json")), key=place)
