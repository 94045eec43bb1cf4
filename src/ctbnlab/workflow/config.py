"""The workflow's config: one typed model that defines defaults, checks and the JSON schema."""

from __future__ import annotations

import difflib
import math
import reprlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ctbnlab._version import __version__
from ctbnlab.errors import InputError

Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.=,+-]*$")]
Probability = Annotated[float, Field(gt=0, le=1)]
States = Annotated[int, Field(ge=2, le=255)]


# A plan lists its runs, and Snakemake keeps a job for each in memory.
MAX_TRIALS = 1_000_000
FACTORS = ("nodes", "states", "density", "scattered", "trajectories")


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False)


class CellException(_Section):
    """Cells of the design that are treated differently, selected by their factors."""

    nodes: int | None = None
    """Select cells with this number of nodes; default: any."""
    states: States | list[States] | None = None
    """Select cells with this number of states; default: any."""
    density: Probability | None = None
    """Select cells with this density; default: any."""
    replicates: Annotated[int, Field(ge=1)] | None = None
    """Number of networks per selected cell, instead of the design's."""
    skip: bool = False
    """Leave the selected cells out."""
    extension: bool = False
    """Mark the selected cells as an extension of the paper's design."""


class DesignSection(_Section):
    """A full factorial design: several networks for every combination of the factors."""

    nodes: Annotated[list[Annotated[int, Field(ge=1, le=4096)]], Field(min_length=1)]
    """Numbers of nodes; with `scattered`, of each of the joined networks."""
    states: Annotated[list[States | list[States]], Field(min_length=1)]
    """Numbers of states per variable; a nested list is cycled over the variables of one network."""
    density: Annotated[list[Probability], Field(min_length=1)]
    """Densities: the fraction of the n·(n−1) possible arcs."""
    trajectories: Annotated[list[Annotated[int, Field(ge=1, le=10**9)]], Field(min_length=1)] = [300]
    """Numbers of trajectories; a smaller number takes the first ones of the same data."""
    duration: Annotated[float, Field(gt=0)] = 100.0
    """Duration of each trajectory."""
    replicates: Annotated[int, Field(ge=1)] = 10
    """Number of networks per cell."""
    scattered: Annotated[list[Annotated[int, Field(ge=1, le=65_535)]], Field(min_length=1)] = [1]
    """Numbers of independent networks joined into one, without arcs between them."""
    exceptions: list[CellException] = []
    """Cells with a different number of replicates, left out or marked; the last matching number applies."""

    def require_distinct_levels(self) -> None:
        """Refuse a level that appears twice: both would be the same files."""
        for name in FACTORS:
            levels = [
                f"{level:g}" if isinstance(level, float) else str(level) for level in getattr(self, name)
            ]
            for level in levels:
                if levels.count(level) > 1:
                    raise ValueError(f"design.{name}: {level} appears twice")


class NetworkSection(_Section):
    """How random networks are drawn."""

    count: Literal["exact", "probability"] = "exact"
    """Use the density as the exact fraction of arcs, or as the probability of each arc."""
    connectivity: Literal["connected", "no-isolated", "none"] = "connected"
    """Require connected networks, networks without isolated nodes, or nothing."""
    law: Literal["uniform", "split", "log-uniform", "additive"] = "uniform"
    """The distribution of the rates (see `ctbnlab generate --help`)."""
    low: Annotated[float, Field(gt=0)] = 1.0
    """Lower bound of the rates."""
    high: Annotated[float, Field(gt=0)] = 5.0
    """Upper bound of the rates."""
    effect: Annotated[float, Field(ge=0)] = 0.0
    """Largest effect of a parent on the log rate; for the additive law only."""


class LearnerSection(_Section):
    """A learner and its options."""

    algorithm: str
    """Name of a learner (see `ctbnlab learn --list`), or your own `file.py` or `file.py:Class`."""
    options: dict[str, str | int | float | bool | None] = {}
    """Options of the learner."""
    sweep: dict[str, Annotated[list[str | int | float | bool], Field(min_length=1)]] = {}
    """Options with several values each: every combination is run as a separate learner."""
    threads: Annotated[int, Field(ge=1, le=1024)] = 1
    """Number of threads per job; each learns one node at a time."""


class DataSection(_Section):
    """Your own data instead of a design."""

    path: str
    """File of trajectories, in any format that `ctbnlab convert` reads."""
    format: str | None = None
    """Format of the file; default: detected from its name and content."""
    states: str | None = None
    """JSON file that lists the states of each variable, for states that never occur in the data."""
    ties: Literal["error", "order", "jitter"] = "error"
    """How to handle variables that change at the same time: see `ctbnlab convert --help`."""
    require: list[str] = []
    """Arcs that must be in the graph, as `A->B`; `*` matches every variable; odd names are quoted."""
    forbid: list[str] = []
    """Arcs that must not be in the graph, written in the same way."""
    max_parents: Annotated[int, Field(ge=0)] | None = None
    """Maximum number of parents per variable."""


class KeepSection(_Section):
    """Large intermediate files to keep."""

    trajectories: bool | Literal["auto"] = "auto"
    """Store simulated trajectories, or simulate them for each job; `auto` stores up to 25 MB per network."""
    parts: bool = False
    """Keep the output of each learning job, in addition to the merged graph."""


class Config(_Section):
    """An experiment: a simulated design or your own data, and the learners to run on it."""

    experiment: Label
    """Name of the experiment; results are written to `results/<experiment>/`."""
    seed: Annotated[int, Field(ge=0)] = 1
    """Root seed; every random number derives from it."""
    design: DesignSection | None = None
    """The simulated design; set either this or `data`."""
    data: DataSection | None = None
    """Your own data; set either this or `design`."""
    network: NetworkSection = NetworkSection()
    """How random networks are drawn."""
    learners: Annotated[dict[Label, LearnerSection], Field(min_length=1)]
    """The learners, by the labels used in paths, tables and figures."""
    baseline: Label | None = None
    """Label of the learner whose BIC is the reference for ΔBIC %."""
    reference: Literal["main", "tests", "big"] | None = None
    """Experiment of the paper whose published values are shown next to the results."""
    nodes_per_job: Annotated[int, Field(ge=1)] | Literal["auto", "all"] = "auto"
    """Number of nodes per learning job, which does not change the graphs; `auto`: enough for 5 seconds."""
    time_limit: Annotated[float, Field(gt=0)] | None = None
    """Time limit of a learning job in seconds; a job that exceeds it is recorded as timed out."""
    container: str = f"docker://ghcr.io/ctbnlab/ctbnlab:{__version__}"
    """Image in which jobs run with `--sdm apptainer`: an address, or a file made with envs/apptainer.def."""
    keep: KeepSection = KeepSection()
    """Large intermediate files to keep."""
    formats: list[Literal["png", "pdf", "svg"]] = ["png", "pdf", "svg"]
    """File formats of the figures."""

    @model_validator(mode="after")
    def _consistent(self) -> Config:
        if self.design is None and self.data is None:
            raise ValueError("set either `design` or `data`")
        if self.design is not None and self.data is not None:
            raise ValueError("set either `design` or `data`, not both")
        if self.baseline is not None and self.baseline not in self.learners:
            raise ValueError(f"baseline: {self.baseline!r} is not one of the learners")
        if self.network.low > self.network.high:
            raise ValueError("network: low must not exceed high")
        if self.design is not None and 1 in self.design.nodes and self.network.connectivity == "no-isolated":
            raise ValueError(
                "network: a single node is always isolated; use connectivity `connected` or `none`"
            )
        if self.design is not None:
            self.design.require_distinct_levels()
        if self.n_trials > MAX_TRIALS:
            raise ValueError(
                f"describes {self.n_trials:,} runs of learners; at most {MAX_TRIALS:,} are planned"
            )
        return self

    @property
    def n_trials(self) -> int:
        """The number of runs of learners, before cells are left out; counted without listing them."""
        learners = sum(math.prod(map(len, entry.sweep.values())) for entry in self.learners.values())
        design = self.design
        if design is None:
            return learners
        factors: list[list[Any]] = [getattr(design, name) for name in FACTORS]
        replicates = max([design.replicates, *(entry.replicates or 0 for entry in design.exceptions)])
        return learners * replicates * math.prod(map(len, factors))


def parse(config: str) -> tuple[Mapping[str, Any], str]:
    """Return the content of a YAML or JSON file, or of JSON text, and the source to name in messages."""
    from ctbnlab.workflow import yaml_text

    is_text = config.lstrip().startswith("{")
    source = "config" if is_text else config
    content = yaml_text.parse(config, source) if is_text else yaml_text.read(config)
    if not isinstance(content, Mapping):
        raise InputError("is not a mapping of keys to values", path=source)
    return content, source


def load(content: Mapping[str, Any], source: str = "config") -> Config:
    """Return the config that a mapping describes; an error names the key and what is wrong with it."""
    from ctbnlab.workflow.yaml_text import require_plain

    require_plain(content, source)
    try:
        return Config.model_validate(dict(content))
    except ValidationError as error:
        # A misspelt key often makes another one missing: report the misspelt one.
        first = min(error.errors(), key=lambda entry: entry["type"] != "extra_forbidden")
        place = ".".join(_place(first["loc"], content))
        raise InputError(_message(first), path=source, place=place or None) from None


def _place(location: tuple[int | str, ...], content: Any) -> list[str]:
    """Return the keys that lead to an error, without the type names that pydantic puts between them."""
    path = []
    for part in location:
        inside = isinstance(content, Mapping) and part in content
        if inside or (isinstance(content, list) and isinstance(part, int)):
            content = content[part]
        elif part != location[-1] or not isinstance(content, Mapping):
            continue
        path.append(str(part))
    return path


def _message(error: Any) -> str:
    if error["type"] == "missing":
        return "required key is missing"
    if error["type"] != "extra_forbidden":
        text = str(error["msg"]).removeprefix("Value error, ")
        if error["type"] == "value_error":
            return text
        # YAML reads 010, 1e3, yes and 2026-01-01 as numbers, truth values and dates.
        quotes = "; put it in quotes" if error["type"] == "string_type" else ""
        return f"{text}, not {reprlib.repr(error['input'])}{quotes}"
    keys = {name for section in sections() for name in section.model_fields}
    near = difflib.get_close_matches(str(error["loc"][-1]), sorted(keys), n=1)
    return "unknown key" + (f"; did you mean {near[0]!r}?" if near else "")


def sections() -> list[type[BaseModel]]:
    """Return the sections of a config, in the order in which they are defined above."""
    return list(_Section.__subclasses__())


def json_schema() -> dict[str, Any]:
    """Return the config's JSON schema, as committed in workflow/schemas/."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Config.model_json_schema()}
