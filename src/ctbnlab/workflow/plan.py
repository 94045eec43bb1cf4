"""The plan of an experiment: which files it produces, and the arguments of the command that makes each.

All logic behind the workflow's rules lives here, in plain Python that tests can reach; the rules only
state which file is made from which. The library does not import Snakemake: `wildcards` is any object
that has the parts of a path as attributes.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from ctbnlab import seeds
from ctbnlab.errors import InputError
from ctbnlab.evaluation.published.paper_values import PAPER_ALGORITHMS
from ctbnlab.learning import registry
from ctbnlab.learning.knowledge import Knowledge
from ctbnlab.learning.plugins import file_of, is_file
from ctbnlab.model.names import End, parse_arc
from ctbnlab.workflow.config import Config, DataSection, LearnerSection, load
from ctbnlab.workflow.design import Cell, Run, Trial, cells

RUN_PATTERN = "nodes~{nodes}/states~{states}/density~{density}/scattered~{scattered}/replicate~{replicate}"
WILDCARDS = {
    "nodes": r"\d+",
    "states": r"\d+(-\d+)*",
    "density": r"[\d.e-]+",
    "scattered": r"\d+",
    "replicate": r"\d+",
    "trajectories": r"\d+",
    "part": r"\d+",
    "learner": r"[A-Za-z0-9][A-Za-z0-9_.=,+-]*",
}


class Plan:
    """The files of one experiment and how each is made.

    `n_data_variables` is the number of variables in the user's own data, if the config names a data file.
    """

    def __init__(self, config: Config, n_data_variables: int | None = None):
        self.config = config
        self.root = f"results/{config.experiment}"
        self.learners = dict(_swept(config.learners))
        self._n_data_variables = n_data_variables

    # ---- The design: cells, networks, trials ----

    def cells(self) -> list[Cell]:
        """Return the design's cells in the order of their factors; none for the user's own data."""
        return [] if self.config.design is None else list(cells(self.config.design))

    def runs(self) -> list[Run]:
        """Return every network of the design."""
        return [Run(cell, r) for cell in self.cells() for r in range(1, cell.replicates + 1)]

    def trials(self) -> list[Trial]:
        """Return every learner on every network and number of trajectories: the rows of the results."""
        design = self.config.design
        return [
            Trial(run, trajectories, learner)
            for run in self.runs()
            for trajectories in ([] if design is None else design.trajectories)
            for learner in self.learners
        ]

    def seed(self, wildcards: Any, role: str) -> int:
        """Return the seed for drawing one network, or for simulating its trajectories."""
        network = RUN_PATTERN.format(**{name: getattr(wildcards, name) for name in _names(RUN_PATTERN)})
        return seeds.derive(self.config.seed, self.config.experiment, network, role)

    # ---- Paths, with Snakemake's wildcards ----

    @property
    def run_folder(self) -> str:
        """The folder of one network, or of the user's own data."""
        return f"{self.root}/{RUN_PATTERN}" if self.config.design is not None else self.root

    @property
    def learner_folder(self) -> str:
        """The folder of one trial, or of one learner on the user's own data."""
        if self.config.design is None:
            return f"{self.root}/{{learner}}"
        return f"{self.run_folder}/trajectories~{{trajectories}}/{{learner}}"

    def learner_folders(self) -> list[str]:
        """Return the folder of every trial, or of every learner on the user's own data."""
        if self.config.design is None:
            return [f"{self.root}/{learner}" for learner in self.learners]
        return [f"{self.root}/{trial.path}" for trial in self.trials()]

    def parts(self, wildcards: Any) -> list[str]:
        """Return the files written by the learning jobs of one graph, without their extension."""
        return [f"{self.learner_folder}/part-{part}" for part in range(1, self.n_parts(wildcards) + 1)]

    def figure_names(self) -> list[str]:
        """Return the names of the figures that this design has data for."""
        design = self.config.design
        if design is None:
            return []
        if len(design.scattered) > 1:
            return ["big_networks"]
        swept = [bool(entry.sweep) for entry in self.config.learners.values()]
        if all(swept):
            return ["sweep"]
        names = [
            "f1",
            "networks",
            "precision_recall",
            "areas",
            "curves_precision_recall",
            "curves_roc",
            "shd",
        ]
        if self.config.baseline is not None:
            # The paper's comparison and that of learners it does not have are two figures.
            paper = [entry.algorithm in PAPER_ALGORITHMS for entry in self.learners.values()]
            names += ["delta_bic"] * (sum(paper) > 1) + ["delta_bic_other"] * (not all(paper))
        names.append("time")
        if len(design.trajectories) > 1:
            names.append("trajectories")
        return names + ["sweep"] * any(swept)

    # ---- Arguments of each command ----

    def generate_arguments(self, wildcards: Any) -> str:
        """Return the options of `ctbnlab generate` for one network."""
        network = self.config.network
        options: dict[str, Any] = {
            "nodes": wildcards.nodes,
            "states": wildcards.states.replace("-", ","),
            "density": wildcards.density,
            "count": network.count,
            "connectivity": network.connectivity,
            "law": network.law,
            "low": network.low,
            "high": network.high,
        }
        if network.law == "additive":
            options["effect"] = network.effect
        if int(wildcards.scattered) > 1:
            options["scattered"] = wildcards.scattered
        return _arguments(options | {"seed": self.seed(wildcards, "network")})

    def simulate_arguments(self, wildcards: Any) -> str:
        """Return the options of `ctbnlab simulate`: enough trajectories for every trial on the network."""
        design = self.config.design
        assert design is not None
        return _arguments(
            {
                "trajectories": max(design.trajectories),
                "duration": design.duration,
                "seed": self.seed(wildcards, "trajectories"),
            }
        )

    def learn_arguments(self, wildcards: Any) -> str:
        """Return the options of `ctbnlab learn` for one job."""
        entry = self.learners[wildcards.learner]
        options: dict[str, Any] = {"learner": entry.algorithm}
        if hasattr(wildcards, "trajectories"):
            options["trajectories"] = wildcards.trajectories
        if self.config.time_limit is not None:
            options["time-limit"] = f"{self.config.time_limit:g}"
        text = _arguments(options)
        for name, value in entry.options.items():
            text += " " + shlex.join(_option("option", f"{name}={_option_text(value)}"))
        if self.config.data is not None:
            text += self._knowledge_arguments()
        return text

    def _knowledge_arguments(self) -> str:
        data = self.config.data
        assert data is not None
        words = [word for arc in data.require for word in _option("require", arc)]
        words += [word for arc in data.forbid for word in _option("forbid", arc)]
        if data.max_parents is not None:
            words += ["--max-parents", str(data.max_parents)]
        return " " + shlex.join(words) if words else ""

    def import_arguments(self) -> str:
        """Return the options of `ctbnlab convert` for the user's own data."""
        data = self.config.data
        assert data is not None
        options = {"from": data.format, "states": data.states, "ties": data.ties}
        return _arguments({name: value for name, value in options.items() if value is not None})

    def reference_arguments(self) -> str:
        """Return the option that selects the published values shown in tables and figures."""
        reference = self.config.reference
        return "" if reference is None else f"--reference {reference}"

    def figure_arguments(self) -> str:
        """Return the options of `ctbnlab figures`."""
        words = [word for name in self.figure_names() for word in ("--only", name)]
        words += ["--placeholders", "--formats", ",".join(self.config.formats)]
        return f"{self.reference_arguments()} {shlex.join(words)}"

    # ---- Learning jobs ----

    def n_variables(self, wildcards: Any) -> int:
        """Return the number of variables of one network, or of the user's own data."""
        if self._n_data_variables is not None:
            return self._n_data_variables
        return int(wildcards.nodes) * int(wildcards.scattered)

    def n_parts(self, wildcards: Any) -> int:
        """Return the number of jobs that learn one graph."""
        if self.config.nodes_per_job == "all":
            return 1
        return math.ceil(self.n_variables(wildcards) / self.config.nodes_per_job)

    def threads(self, wildcards: Any) -> int:
        """Return the number of threads of a learning job."""
        return self.learners[wildcards.learner].threads

    # ---- The user's own files, watched so that editing one repeats the jobs that depend on it ----

    def learner_files(self, wildcards: Any) -> list[str]:
        """Return the user's own files behind a learner that can be inputs of a rule."""
        return [path for path in self._files_of(wildcards.learner) if not _has_braces(path)]

    def learner_stamps(self, wildcards: Any) -> list[str]:
        """Return what to watch instead of the files behind a learner that cannot be inputs."""
        return [_stamp(path) for path in self._files_of(wildcards.learner) if _has_braces(path)]

    def _files_of(self, learner: str) -> list[str]:
        entry = self.learners[learner]
        names = [entry.algorithm, *(value for value in entry.options.values() if isinstance(value, str))]
        return [file_of(name) for name in names if is_file(name)]

    @property
    def data_path(self) -> str:
        """The file of the user's own data."""
        assert self.config.data is not None
        return self.config.data.path

    def data_inputs(self) -> list[str]:
        """Return the user's own data if they can be an input of a rule."""
        return [] if _has_braces(self.data_path) else [self.data_path]

    def data_stamps(self) -> list[str]:
        """Return what to watch instead of data that cannot be an input."""
        return [_stamp(self.data_path)] if _has_braces(self.data_path) else []

    # ---- Results ----

    def targets(self) -> list[str]:
        """Return every file that a full run of the workflow produces."""
        return [*self.results(), f"{self.root}/report.html"]

    def results(self) -> list[str]:
        """Return the files that the report shows."""
        files = [f"{self.root}/{name}" for name in ("config.json", "environment.json")]
        if self.config.design is not None:
            files += [f"{self.root}/metrics.parquet", f"{self.root}/tables"]
            files += [
                f"{self.root}/figures/{name}.{ending}"
                for name in (*self.figure_names(), "example", "heatmap")
                for ending in self.config.formats
            ]
        else:
            files += [f"{self.root}/arcs.{ending}" for ending in ("csv", "md", "html")]
            files += [
                f"{folder}/{name}"
                for folder in self.learner_folders()
                for name in ("network.json", *(f"graph.{ending}" for ending in self.config.formats))
            ]
        return files

    def shown_run(self) -> str:
        """Return the folder of the network in the heat map of arcs: the last, and largest."""
        return f"{self.root}/{self.runs()[-1].path}"

    def shown_learner(self) -> str:
        """Return the folder of the trial in the heat map of arcs."""
        return self.learner_folders()[-1]

    def resolved(self) -> str:
        """Return the whole config, defaults included, as JSON for the record kept with the results."""
        return json.dumps(self.config.model_dump(mode="json"), ensure_ascii=False)


def load_plan(content: Mapping[str, Any]) -> Plan:
    """Return the plan for Snakemake's config; checks the learners and counts the variables of a data file."""
    config = load(content)
    for label, entry in config.learners.items():
        try:
            registry.rehearse_loading(entry.algorithm, entry.options)
            registry.learner_class(entry.algorithm)
        except InputError as error:
            raise InputError(str(error), path="config", place=f"learners.{label}.algorithm") from None
    plan = Plan(config)
    for label, entry in plan.learners.items():
        try:
            registry.make(entry.algorithm, entry.options)
        except InputError as error:
            raise InputError(str(error), path="config", place=f"learners.{label}") from None
    if config.data is None:
        return plan
    from ctbnlab.data.formats.reading import variable_names

    names = variable_names(config.data.path, format=config.data.format)
    _check_knowledge(config.data, names)
    return Plan(config, len(names))


def _check_knowledge(data: DataSection, names: list[str]) -> None:
    """Refuse arcs of unknown variables and contradictions before any job runs."""
    arcs: dict[str, list[tuple[End, End]]] = {"require": [], "forbid": []}
    for key, found in arcs.items():
        for number, text in enumerate(getattr(data, key)):
            try:
                found.append(parse_arc(text))
            except InputError as error:
                raise InputError(str(error), path="config", place=f"data.{key}.{number}") from None
    try:
        Knowledge.from_arcs(arcs["require"], arcs["forbid"], data.max_parents).for_nodes(names)
    except InputError as error:
        raise InputError(str(error), path="config", place="data") from None


def _swept(learners: Mapping[str, LearnerSection]) -> Iterator[tuple[str, LearnerSection]]:
    """Yield each learner; one with a sweep yields a learner per combination of the swept values."""
    seen: set[str] = set()
    for label, entry in learners.items():
        for values in product(*entry.sweep.values()):
            chosen = dict(zip(entry.sweep, values, strict=True))
            suffix = "".join(f"_{name}={_option_text(value)}" for name, value in chosen.items())
            if not re.fullmatch(WILDCARDS["learner"], label + suffix) or label + suffix in seen:
                fault = "appears twice" if label + suffix in seen else "cannot be the name of a folder"
                message = f"the label {label + suffix!r} {fault}; run these values as separate learners"
                raise InputError(message, path="config", place=f"learners.{label}.sweep")
            seen.add(label + suffix)
            yield label + suffix, entry.model_copy(update={"options": {**entry.options, **chosen}})


def _has_braces(path: str) -> bool:
    """Return whether Snakemake would take a part of a path for a wildcard; it knows no way to escape one."""
    return "{" in path or "}" in path


def _stamp(path: str) -> str:
    """Return the size and the time of change of a file."""
    status = Path(path).stat()
    return f"{status.st_size} {status.st_mtime_ns}"


def _option_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _names(pattern: str) -> list[str]:
    return [piece.partition("}")[0] for piece in pattern.split("{")[1:]]


def _arguments(options: Mapping[str, Any]) -> str:
    return shlex.join([word for name, value in options.items() for word in _option(name, str(value))])


def _option(name: str, value: str) -> list[str]:
    """Return the words of an option; a value that looks like an option itself is attached to its name."""
    return [f"--{name}={value}"] if value.startswith("-") else [f"--{name}", value]
