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
from ctbnlab.workflow.data_keys import ReadingKeys

Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.=,+-]*$")]
Probability = Annotated[float, Field(gt=0, le=1)]
States = Annotated[int, Field(ge=2, le=255)]


# A plan lists its runs, and Snakemake keeps a job for each in memory.
MAX_TRIALS = 1_000_000
FACTORS = ("nodes", "states", "density", "scattered", "trajectories")
# The factors of random networks; none has a default.
RANDOM = ("nodes", "states", "density")


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


class DataSetSection(ReadingKeys, _Section):
    """Your own data with a known truth, on which learners are scored."""

    truth: str
    """The true graph: the JSON file of a network or a learned graph, or a CSV file of arcs, `from,to`."""
    trajectories: Annotated[list[Annotated[int, Field(ge=1, le=10**9)]], Field(min_length=1)] | None = None
    """Numbers of trajectories to learn from, the first ones of the file; default: all."""


class DesignSection(_Section):
    """Random networks for every combination of factors; or given networks, and data with a known truth."""

    nodes: list[Annotated[int, Field(ge=1, le=4096)]] = []
    """Numbers of nodes; with `scattered`, of each of the joined networks."""
    states: list[States | list[States]] = []
    """Numbers of states per variable; a nested list is cycled over the variables of one network."""
    density: list[Probability] = []
    """Densities: the fraction of the n·(n−1) possible arcs."""
    networks: dict[Label, str] = {}
    """Given networks, by label: a name of the gallery (see `ctbnlab gallery`) or a network's JSON file."""
    data_sets: dict[Label, DataSetSection] = {}
    """Data with a known truth, by label."""
    trajectories: Annotated[list[Annotated[int, Field(ge=1, le=10**9)]], Field(min_length=1)] = [300]
    """Numbers of trajectories to simulate; a smaller number takes the first ones of the same data."""
    duration: Annotated[float, Field(gt=0)] = 100.0
    """Duration of each simulated trajectory."""
    replicates: Annotated[int, Field(ge=1)] = 10
    """Number of random networks per cell, or of data sets simulated from each given network."""
    scattered: Annotated[list[Annotated[int, Field(ge=1, le=65_535)]], Field(min_length=1)] = [1]
    """Numbers of independent networks joined into one, without arcs between them."""
    exceptions: list[CellException] = []
    """Cells with a different number of replicates, left out or marked; the last matching number applies."""

    @property
    def is_random(self) -> bool:
        """Whether the networks are drawn at random, rather than given."""
        return not self.networks and not self.data_sets

    def require_consistent(self) -> None:
        """Refuse random and given networks in one design, and levels that would be the same files."""
        if self.is_random:
            self._require_factors()
        else:
            self._require_no_factors()
        for name in FACTORS:
            _require_distinct(getattr(self, name), f"design.{name}")
        for label, data_set in self.data_sets.items():
            _require_distinct(data_set.trajectories or [], f"design.data_sets.{label}.trajectories")
            if label in self.networks:
                raise ValueError(f"design.data_sets: the label {label!r} is also that of a network")

    def _require_factors(self) -> None:
        if not any(getattr(self, name) for name in RANDOM):
            raise ValueError("design: set `nodes`, `states` and `density`, or `networks` or `data_sets`")
        for name in RANDOM:
            if not getattr(self, name):
                raise ValueError(f"design.{name}: required key is missing")

    def _require_no_factors(self) -> None:
        # Values, not keys: the config recorded with the results has every default.
        defaults = {name: DesignSection.model_fields[name].default for name in ("scattered", "exceptions")}
        for name, default in ({key: [] for key in RANDOM} | defaults).items():
            if getattr(self, name) != default:
                raise ValueError(
                    f"design.{name}: is for random networks; set either `nodes`, `states` and `density`, or "
                    "`networks` and `data_sets`"
                )

    @property
    def n_data(self) -> int:
        """The number of data sets to learn from, smaller ones from the same trajectories included."""
        if not self.is_random:
            own = sum(len(data_set.trajectories or [None]) for data_set in self.data_sets.values())
            return own + len(self.networks) * self.replicates * len(self.trajectories)
        replicates = max([self.replicates, *(entry.replicates or 0 for entry in self.exceptions)])
        return replicates * math.prod(len(getattr(self, name)) for name in FACTORS)


def _require_distinct(levels: list[Any], place: str) -> None:
    texts = [f"{level:g}" if isinstance(level, float) else str(level) for level in levels]
    for text in texts:
        if texts.count(text) > 1:
            raise ValueError(f"{place}: {text} appears twice")


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
    """A learner and its options: either an `algorithm` or a `command`."""

    algorithm: str | None = None
    """Name of a learner (see `ctbnlab learn --list`), or your own `file.py` or `file.py:Class`."""
    command: str | None = None
    """External command that reads `{data}` and writes a list of arcs to `{arcs}`; `{name}` is an option."""
    data_format: Literal["wide", "long", "pyagrum", "pyctbn", "parquet", "arrow"] | None = None
    """Format of `{data}`; default: wide CSV."""
    options: dict[str, str | int | float | bool | None] = {}
    """Options of the learner; the values of a command's placeholders."""
    sweep: dict[str, Annotated[list[str | int | float | bool], Field(min_length=1)]] = {}
    """Options with several values each: every combination is run as a separate learner."""
    threads: Annotated[int, Field(ge=1, le=1024)] = 1
    """Number of threads per job; each learns one node at a time; `{threads}` in a command."""

    def require_consistent(self, label: str) -> None:
        """Refuse a learner that is both an algorithm and a command, or neither."""
        if self.algorithm is None and self.command is None:
            raise ValueError(f"learners.{label}: set either `algorithm` or `command`")
        if self.algorithm is not None and self.command is not None:
            raise ValueError(f"learners.{label}: set either `algorithm` or `command`, not both")
        if self.data_format is not None and self.command is None:
            raise ValueError(f"learners.{label}.data_format: is for a `command` only")


class DataSection(ReadingKeys, _Section):
    """Your own data instead of a design."""

    require: list[str] = []
    """Arcs that must be in the graph, as `A->B`; `*` matches every variable; odd names are quoted."""
    forbid: list[str] = []
    """Arcs that must not be in the graph, written in the same way."""
    max_parents: Annotated[int, Field(ge=0)] | None = None
    """Maximum number of parents per variable."""
    robust: bool = False
    """Where the model does not hold, take in clocks and learn again; a graph is then learned by one job."""


class BootstrapSection(_Section):
    """Learning again from resampled trajectories of your own data, for each learner that is no command."""

    replicates: Annotated[int, Field(ge=1, le=1_000_000)] = 200
    """Number of replicates."""
    replacement: bool = False
    """Draw as many trajectories as there are, with replacement, instead of half of them without."""
    batches: Annotated[int, Field(ge=1)] = 10
    """Number of jobs that share the replicates, which does not change the result."""


class KeepSection(_Section):
    """Large intermediate files to keep."""

    trajectories: bool | Literal["auto"] = "auto"
    """Store simulated trajectories, or simulate them for each job; `auto` stores up to 25 MB per network."""
    parts: bool = False
    """Keep the output of each learning job, in addition to the merged graph."""


class Config(_Section):
    """An experiment: a design with a known truth or your own data, and the learners to run on it."""

    experiment: Label
    """Name of the experiment; results are written to `results/<experiment>/`."""
    seed: Annotated[int, Field(ge=0)] = 1
    """Root seed; every random number derives from it."""
    design: DesignSection | None = None
    """The networks or data sets with a known truth; set either this or `data`."""
    data: DataSection | None = None
    """Your own data; set either this or `design`."""
    bootstrap: BootstrapSection | None = None
    """How often arcs are found in resampled trajectories; for `data` only, default: not computed."""
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
        if self.bootstrap is not None:
            if self.data is None:
                raise ValueError("bootstrap: is for your own `data` only")
            if self.bootstrap.batches > self.bootstrap.replicates:
                raise ValueError("bootstrap.batches: must not exceed the number of replicates")
        if self.baseline is not None and self.baseline not in self.learners:
            raise ValueError(f"baseline: {self.baseline!r} is not one of the learners")
        if self.network.low > self.network.high:
            raise ValueError("network: low must not exceed high")
        if self.design is not None and 1 in self.design.nodes and self.network.connectivity == "no-isolated":
            raise ValueError(
                "network: a single node is always isolated; use connectivity `connected` or `none`"
            )
        for label, learner in self.learners.items():
            learner.require_consistent(label)
        if self.design is not None:
            self.design.require_consistent()
        if self.n_trials > MAX_TRIALS:
            raise ValueError(
                f"describes {self.n_trials:,} runs of learners; at most {MAX_TRIALS:,} are planned"
            )
        return self

    @property
    def n_trials(self) -> int:
        """The number of runs of learners, before cells are left out; counted without listing them."""
        learners = sum(math.prod(map(len, entry.sweep.values())) for entry in self.learners.values())
        return learners if self.design is None else learners * self.design.n_data


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
