"""The plan of an experiment: which files it produces, and the arguments of the command that makes each.

All logic behind the workflow's rules lives here, in plain Python that tests can reach; the rules only
state which file is made from which. The library does not import Snakemake: `wildcards` is any object
that has the parts of a path as attributes.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from ctbnlab import seeds
from ctbnlab.evaluation.published.paper_values import PAPER_ALGORITHMS
from ctbnlab.learning.external import option_text
from ctbnlab.workflow import watching
from ctbnlab.workflow.config import Config, LearnerSection, load
from ctbnlab.workflow.design import Cell, GivenCell, Run, Trial, cells
from ctbnlab.workflow.given import GIVEN_PATTERN, Given, GivenFacts, facts_of
from ctbnlab.workflow.plan_checks import check_data, check_learners, learner_files
from ctbnlab.workflow.resampling import Resampling
from ctbnlab.workflow.sweeps import LABEL, swept
from ctbnlab.workflow.workload import Workload

RUN_PATTERN = "nodes~{nodes}/states~{states}/density~{density}/scattered~{scattered}/replicate~{replicate}"
WILDCARDS = {
    "nodes": r"\d+",
    "states": r"\d+(-\d+)*",
    "density": r"[\d.e-]+",
    "scattered": r"\d+",
    "replicate": r"\d+",
    "network": LABEL,
    "trajectories": r"\d+|all",
    "part": r"\d+",
    "batch": r"\d+",
    "learner": LABEL,
}


class Plan:
    """The files of one experiment and how each is made.

    `n_data_variables` is the number of variables in the user's own data, if the config names a data file;
    `given` has what is known of the networks and data sets that the design names.
    """

    def __init__(
        self,
        config: Config,
        n_data_variables: int | None = None,
        given: Mapping[str, GivenFacts] | None = None,
    ):
        self.config = config
        self.root = f"results/{config.experiment}"
        self.learners = dict(swept(config.learners))
        self.given = Given(config.design, self.root, given or {})
        self.resampling = Resampling(self)
        self._n_data_variables = n_data_variables
        self.workload = Workload(config, self.learners, self.cells(), self.given.facts, self.n_variables)

    # ---- The design: cells, networks, trials ----

    def cells(self) -> list[Cell | GivenCell]:
        """Return the design's cells in their order; none for the user's own data."""
        return [] if self.config.design is None else list(cells(self.config.design))

    def runs(self) -> list[Run]:
        """Return every network or data set of the design."""
        return [Run(cell, r) for cell in self.cells() for r in range(1, cell.replicates + 1)]

    def trials(self) -> list[Trial]:
        """Return every learner on every network and number of trajectories: the rows of the results."""
        design = self.config.design
        simulated = [] if design is None else design.trajectories
        return [
            Trial(run, trajectories, learner)
            for run in self.runs()
            for trajectories in (simulated if isinstance(run.cell, Cell) else run.cell.trajectories)
            for learner in self.learners
        ]

    def seed(self, wildcards: Any, role: str) -> int:
        """Return the seed for drawing one network, or for simulating its trajectories."""
        pattern = self.run_pattern
        network = pattern.format(**{name: getattr(wildcards, name) for name in _names(pattern)})
        return seeds.derive(self.config.seed, self.config.experiment, network, role)

    # ---- Paths, with Snakemake's wildcards ----

    @property
    def run_pattern(self) -> str:
        """The folder of one network of the design, relative to the experiment's."""
        design = self.config.design
        return RUN_PATTERN if design is None or design.is_random else GIVEN_PATTERN

    @property
    def run_folder(self) -> str:
        """The folder of one network, or of the user's own data."""
        return f"{self.root}/{self.run_pattern}" if self.config.design is not None else self.root

    @property
    def run_words(self) -> str:
        """What the messages of rules say about one network."""
        if self.run_pattern == GIVEN_PATTERN:
            return "{wildcards.network}, replicate {wildcards.replicate}"
        return (
            "{wildcards.nodes} nodes, {wildcards.states} states, density {wildcards.density}, "
            "replicate {wildcards.replicate}"
        )

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

    def made_last(self) -> str:
        """Return the file that is made whenever results are extended."""
        return f"{self.root}/{'arcs.csv' if self.config.design is None else 'metrics.parquet'}"

    def parts(self, wildcards: Any) -> list[str]:
        """Return the files written by the learning jobs of one graph, without their extension."""
        return [
            f"{self.learner_folder}/part-{part}" for part in range(1, self.workload.n_parts(wildcards) + 1)
        ]

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

    @property
    def shown_format(self) -> str:
        """The format in which a report shows each picture."""
        return next((ending for ending in ("svg", "png", "pdf") if ending in self.config.formats), "svg")

    @property
    def other_formats(self) -> list[str]:
        """The further formats of pictures."""
        return [ending for ending in self.config.formats if ending != self.shown_format]

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
        options = _arguments(
            {
                "trajectories": max(design.trajectories),
                "duration": design.duration,
                "seed": self.seed(wildcards, "trajectories"),
            }
        )
        return options if self.workload.stores_trajectories(wildcards) else f"{options} --on-demand"

    def learn_arguments(self, wildcards: Any) -> str:
        """Return the options of `ctbnlab learn` for one job."""
        entry = self.learners[wildcards.learner]
        options: dict[str, Any] = {"learner": entry.algorithm}
        if entry.command is not None:
            options = {"command": entry.command, "data-format": entry.data_format or "wide"}
        if getattr(wildcards, "trajectories", "all") != "all":
            options["trajectories"] = wildcards.trajectories
        if self.config.time_limit is not None:
            options["time-limit"] = f"{self.config.time_limit:g}"
        return self.learner_arguments(entry, options)

    def learner_arguments(self, entry: LearnerSection, options: Mapping[str, Any]) -> str:
        """Return these options, those of the learner, and what is known of the graph."""
        text = _arguments(options)
        for name, value in entry.options.items():
            text += " " + shlex.join(_option("option", f"{name}={option_text(value)}"))
        if self.config.data is not None:
            text += self._knowledge_arguments()
            text += " --robust" * (self.config.data.robust and entry.command is None)
        return text

    def checked_data(self) -> list[str]:
        """Return the data that merged graphs are checked against: the user's own, not simulated ones."""
        return [f"{self.root}/data.arrow"] if self.config.data is not None else []

    def merge_arguments(self) -> str:
        """Return the option of `ctbnlab merge` that has the model checked."""
        return "".join(f"--data {shlex.quote(path)}" for path in self.checked_data())

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
        return shlex.join(data.words())

    def evaluate_arguments(self, wildcards: Any) -> str:
        """Return the options of `ctbnlab evaluate` for one trial."""
        return "" if wildcards.trajectories == "all" else f"--trajectories {wildcards.trajectories}"

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
        if hasattr(wildcards, "network"):
            return self.given.facts[wildcards.network].n_variables
        return int(wildcards.nodes) * int(wildcards.scattered)

    def threads(self, wildcards: Any) -> int:
        """Return the number of threads of a learning job."""
        return self.learners[wildcards.learner].threads

    # ---- The user's own files, watched so that editing one repeats the jobs that depend on it ----

    def learner_files(self, wildcards: Any) -> list[str]:
        """Return the user's own files behind a learner that can be inputs of a rule."""
        return watching.inputs(self._files_of(wildcards.learner))

    def learner_stamps(self, wildcards: Any) -> list[str]:
        """Return what to watch instead of the files behind a learner that cannot be inputs."""
        return watching.stamps(self._files_of(wildcards.learner))

    def _files_of(self, learner: str) -> list[str]:
        return learner_files(self.learners[learner])

    @property
    def data_path(self) -> str:
        """The file of the user's own data."""
        assert self.config.data is not None
        return self.config.data.path

    @property
    def _data_files(self) -> list[str]:
        assert self.config.data is not None
        return self.config.data.files()

    def data_inputs(self) -> list[str]:
        """Return the user's own data if they can be an input of a rule."""
        return watching.inputs(self._data_files)

    def data_stamps(self) -> list[str]:
        """Return what to watch instead of data that cannot be an input."""
        return watching.stamps(self._data_files)

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
            files.append(f"{self.root}/data.arrow")
            files += [f"{self.root}/arcs.{ending}" for ending in ("csv", "md", "html")]
            files += [
                f"{folder}/{name}"
                for folder in self.learner_folders()
                for name in ("network.json", *(f"graph.{ending}" for ending in self.config.formats))
            ]
            files += self.resampling.results()
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
    """Return the plan for Snakemake's config; checks the learners and whatever files the config names."""
    config = load(content)
    plan = Plan(config)
    check_learners(config, plan.learners)
    if config.data is not None:
        return Plan(config, check_data(config.data))
    assert config.design is not None
    return Plan(config, given=facts_of(config.design))


def _names(pattern: str) -> list[str]:
    return [piece.partition("}")[0] for piece in pattern.split("{")[1:]]


def _arguments(options: Mapping[str, Any]) -> str:
    return shlex.join([word for name, value in options.items() for word in _option(name, str(value))])


def _option(name: str, value: str) -> list[str]:
    """Return the words of an option; a value that looks like an option itself is attached to its name."""
    return [f"--{name}={value}"] if value.startswith("-") else [f"--{name}", value]
