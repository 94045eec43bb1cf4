"""The plan: which files an experiment makes, and with which arguments each is made.

Everything that the workflow's rules need to know is here, in plain Python that tests reach; the rules
themselves only say which file comes from which. The library does not know Snakemake: `wildcards` is any
object with the path's parts as attributes.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from ctbnlab import seeds
from ctbnlab.errors import InputError
from ctbnlab.learning import registry
from ctbnlab.learning.plugins import file_of, is_file
from ctbnlab.workflow.config import Config, LearnerSection, load

CELL = "nodes~{nodes}/states~{states}/density~{density}/scattered~{scattered}/replicate~{replicate}"
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


@dataclass(frozen=True)
class Cell:
    """One combination of the design's factors, as it stands in paths."""

    nodes: int
    states: str  # "3", or "2-3-4" for mixed cardinalities
    density: str
    scattered: int
    replicates: int
    extension: bool

    @property
    def key(self) -> str:
        """The cell's part of a seed's key: what it is, not where it stands in the design."""
        return f"nodes~{self.nodes}/states~{self.states}/density~{self.density}/scattered~{self.scattered}"


@dataclass(frozen=True)
class Run:
    """One network of the design: a cell's replicate."""

    cell: Cell
    replicate: int

    @property
    def path(self) -> str:
        """The run's folder under the experiment's."""
        return f"{self.cell.key}/replicate~{self.replicate}"


class Plan:
    """The files of one experiment and how each is made."""

    def __init__(self, config: Config, variables: int | None = None):
        self.config = config
        self.root = f"results/{config.experiment}"
        self.learners = dict(_swept(config.learners))
        self._variables = variables  # of a user's own data
        self._extensions = {(str(c.nodes), c.states, c.density) for c in self.cells() if c.extension}

    # The design

    def cells(self) -> Iterator[Cell]:
        """Yield the design's cells in the order of their factors."""
        design = self.config.design
        if design is None:
            return
        for nodes, states, density, scattered in product(
            design.nodes, design.states, design.density, design.scattered
        ):
            replicates, extension, skip = design.replicates, False, False
            for entry in design.exceptions:
                wanted = (entry.nodes, entry.states, entry.density)
                if all(w is None or w == v for w, v in zip(wanted, (nodes, states, density), strict=True)):
                    replicates = entry.replicates or replicates
                    skip, extension = skip or entry.skip, extension or entry.extension
            if not skip:
                yield Cell(nodes, _states_text(states), f"{density:g}", scattered, replicates, extension)

    def runs(self) -> list[Run]:
        """Return every network of the design."""
        return [Run(cell, r) for cell in self.cells() for r in range(1, cell.replicates + 1)]

    def seed(self, wildcards: Any, role: str) -> int:
        """Return the seed of one network or of its trajectories."""
        cell = CELL.format(**{name: getattr(wildcards, name) for name in _names(CELL)})
        return seeds.derive(self.config.seed, self.config.experiment, cell, role)

    # Paths, with the wildcards of Snakemake

    @property
    def run_folder(self) -> str:
        """The folder of one network, or of a user's own data."""
        return f"{self.root}/{CELL}" if self.config.design is not None else self.root

    @property
    def learner_folder(self) -> str:
        """The folder of one learner on one network's first so many trajectories."""
        if self.config.design is None:
            return f"{self.root}/{{learner}}"
        return f"{self.run_folder}/trajectories~{{trajectories}}/{{learner}}"

    def learner_folders(self) -> list[str]:
        """Return the folder of every learner on every network and number of trajectories."""
        design = self.config.design
        if design is None:
            return [f"{self.root}/{learner}" for learner in self.learners]
        return [
            f"{self.root}/{run.path}/trajectories~{trajectories}/{learner}"
            for run in self.runs()
            for trajectories in design.trajectories
            for learner in self.learners
        ]

    def parts(self, wildcards: Any) -> list[str]:
        """Return the files of a graph's learning jobs, without their ending."""
        return [f"{self.learner_folder}/part-{part}" for part in range(1, self.n_parts(wildcards) + 1)]

    def figure_names(self) -> list[str]:
        """Return the figures that this experiment has data for."""
        design = self.config.design
        if design is None:
            return []
        if len(design.scattered) > 1:
            return ["big_networks"]
        if any("alpha" in entry.sweep for entry in self.config.learners.values()):
            return ["significance"]
        names = ["f1", "networks", "precision_recall", "shd", "time"]
        if self.config.baseline is not None:
            names.insert(2, "delta_bic")
        if len(design.trajectories) > 1:
            names.append("trajectories")
        return names

    # The arguments of each step

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
        """Return the options of `ctbnlab simulate`: as many trajectories as any learner sees."""
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
            text += " " + shlex.join(["--option", f"{name}={_option_text(value)}"])
        if self.config.data is not None:
            text += self._knowledge_arguments()
        return text

    def _knowledge_arguments(self) -> str:
        data = self.config.data
        assert data is not None
        words = [word for arc in data.require for word in ("--require", arc)]
        words += [word for arc in data.forbid for word in ("--forbid", arc)]
        if data.max_parents is not None:
            words += ["--max-parents", str(data.max_parents)]
        return " " + shlex.join(words) if words else ""

    def import_arguments(self) -> str:
        """Return the options of `ctbnlab convert` for a user's own data."""
        data = self.config.data
        assert data is not None
        options = {"from": data.format, "states": data.states, "ties": data.ties}
        return _arguments({name: value for name, value in options.items() if value is not None})

    # Jobs

    def n_variables(self, wildcards: Any) -> int:
        """Return how many variables a run has."""
        if self._variables is not None:
            return self._variables
        return int(wildcards.nodes) * int(wildcards.scattered)

    def n_parts(self, wildcards: Any) -> int:
        """Return into how many jobs a graph's nodes are packed."""
        if self.config.nodes_per_job == "all":
            return 1
        return math.ceil(self.n_variables(wildcards) / self.config.nodes_per_job)

    def threads(self, wildcards: Any) -> int:
        """Return how many threads a learning job uses."""
        return self.learners[wildcards.learner].threads

    def learner_files(self, wildcards: Any) -> list[str]:
        """Return the user's own files behind a learner, so that editing one runs that learner again."""
        entry = self.learners[wildcards.learner]
        names = [entry.algorithm, *(value for value in entry.options.values() if isinstance(value, str))]
        return [file_of(name) for name in names if is_file(name)]

    def about_arguments(self, wildcards: Any) -> str:
        """Return the columns of a row of results that say which run and learner it is of."""
        design = self.config.design
        assert design is not None
        extension = (wildcards.nodes, wildcards.states, wildcards.density) in self._extensions
        columns = {
            "experiment": self.config.experiment,
            "nodes": self.n_variables(wildcards),
            "states": wildcards.states.replace("-", ","),
            "density": wildcards.density,
            "scattered": wildcards.scattered,
            "replicate": wildcards.replicate,
            "trajectories": wildcards.trajectories,
            "duration": design.duration,
            "extension": str(extension).lower(),
            "learner": wildcards.learner,
            "threads": self.threads(wildcards),
        }
        words = [word for name, value in columns.items() for word in ("--about", f"{name}={value}")]
        return f"--trajectories {wildcards.trajectories} {shlex.join(words)}"

    def reference_arguments(self) -> str:
        """Return which of the paper's experiments stands beside ours in tables and figures."""
        reference = self.config.reference
        return "" if reference is None else f"--reference {reference}"

    def figure_arguments(self) -> str:
        """Return the options of `ctbnlab figures`."""
        words = [word for name in self.figure_names() for word in ("--only", name)]
        words += ["--placeholders", "--formats", ",".join(self.config.formats)]
        return f"{self.reference_arguments()} {shlex.join(words)}"

    # The whole

    def targets(self) -> list[str]:
        """Return everything that one call of the workflow makes."""
        return [*self.results(), f"{self.root}/report.html"]

    def results(self) -> list[str]:
        """Return what the report shows."""
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
        """Return the folder of the network whose arcs are drawn one by one: the last, and largest."""
        return f"{self.root}/{self.runs()[-1].path}"

    def shown_learner(self) -> str:
        """Return the folder of the learner whose arcs are drawn one by one."""
        return self.learner_folders()[-1]

    def resolved(self) -> str:
        """Return the whole config, defaults included, as JSON for the record beside the results."""
        return json.dumps(self.config.model_dump(mode="json"), ensure_ascii=False)


def plan_of(content: Mapping[str, Any]) -> Plan:
    """Return the plan of a config as Snakemake has it; a user's own data are opened to count variables."""
    config = load(content)
    for label, entry in config.learners.items():
        try:
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

    return Plan(config, len(variable_names(config.data.path, format=config.data.format)))


def _swept(learners: Mapping[str, LearnerSection]) -> Iterator[tuple[str, LearnerSection]]:
    """Yield each learner, and where it has a sweep one for each combination of the swept values."""
    for label, entry in learners.items():
        for values in product(*entry.sweep.values()):
            chosen = dict(zip(entry.sweep, values, strict=True))
            suffix = "".join(f"_{name}={_option_text(value)}" for name, value in chosen.items())
            yield label + suffix, entry.model_copy(update={"options": {**entry.options, **chosen}})


def _option_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _states_text(states: int | list[int]) -> str:
    return str(states) if isinstance(states, int) else "-".join(map(str, states))


def _names(pattern: str) -> list[str]:
    return [piece.partition("}")[0] for piece in pattern.split("{")[1:]]


def _arguments(options: Mapping[str, Any]) -> str:
    return shlex.join([word for name, value in options.items() for word in (f"--{name}", str(value))])
