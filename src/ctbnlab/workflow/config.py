"""The workflow's config: one typed model, from which defaults, checks and the JSON schema come."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ctbnlab.errors import InputError

Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.=,+-]*$")]
Probability = Annotated[float, Field(gt=0, le=1)]
States = Annotated[int, Field(ge=2, le=255)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class CellException(_Section):
    """Cells of the design, chosen by their factors, that have their own replicates or are left out."""

    nodes: int | None = None
    """Cells with this number of nodes; any where not given."""
    states: States | list[States] | None = None
    """Cells with this number of states; any where not given."""
    density: Probability | None = None
    """Cells with this density; any where not given."""
    replicates: Annotated[int, Field(ge=1)] | None = None
    """How many networks these cells have instead."""
    skip: bool = False
    """Leave these cells out."""
    extension: bool = False
    """Mark these cells as not part of the paper's design."""


class DesignSection(_Section):
    """A full factorial design: every combination of the factors, several networks each."""

    nodes: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]
    """Numbers of nodes (of one part, where networks are scattered unions)."""
    states: Annotated[list[States | list[States]], Field(min_length=1)]
    """Numbers of states; a list within the list mixes cardinalities in one network, in turn."""
    density: Annotated[list[Probability], Field(min_length=1)]
    """Densities: the share of the n·(n−1) possible arcs."""
    trajectories: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)] = [300]
    """Numbers of trajectories; smaller ones are the first of the same data."""
    duration: Annotated[float, Field(gt=0)] = 100.0
    """How long each trajectory lasts."""
    replicates: Annotated[int, Field(ge=1)] = 10
    """How many networks each cell has."""
    scattered: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)] = [1]
    """Numbers of disjoint networks that are joined into one."""
    exceptions: list[CellException] = []
    """Cells with their own number of replicates, left out or marked; of several numbers the last counts."""


class NetworkSection(_Section):
    """How random networks are drawn."""

    count: Literal["exact", "probability"] = "exact"
    """Density as an exact number of arcs, or as each arc's probability."""
    connectivity: Literal["connected", "no-isolated", "none"] = "connected"
    """Connected networks, networks without an isolated node, or any."""
    law: Literal["uniform", "split", "log-uniform", "additive"] = "uniform"
    """How rates are drawn."""
    low: Annotated[float, Field(gt=0)] = 1.0
    """The smallest rate."""
    high: Annotated[float, Field(gt=0)] = 5.0
    """The largest rate."""
    effect: Annotated[float, Field(ge=0)] = 0.0
    """The size of a parent's effect on the log rate; of the additive law only."""


class LearnerSection(_Section):
    """One learner as the benchmark runs it."""

    algorithm: str
    """A learner's name (`ctbnlab learn --list`), or your own `file.py` or `file.py:Class`."""
    options: dict[str, str | int | float | bool | None] = {}
    """Its options."""
    sweep: dict[str, Annotated[list[str | int | float | bool], Field(min_length=1)]] = {}
    """Options with several values: one learner is run for each combination."""
    threads: Annotated[int, Field(ge=1)] = 1
    """How many nodes a job learns at a time."""


class DataSection(_Section):
    """Your own data instead of a design."""

    path: str
    """The file of trajectories, in any format that `ctbnlab convert` reads."""
    format: str | None = None
    """Its format, where name and content do not tell."""
    states: str | None = None
    """A JSON file with the variables' states, where some are never visited."""
    ties: Literal["error", "order", "jitter"] = "error"
    """What to do with variables that change at one instant."""
    require: list[str] = []
    """Arcs that are there, as `A->B`."""
    forbid: list[str] = []
    """Arcs that are not there, as `A->B`; `*` stands for every variable."""
    max_parents: Annotated[int, Field(ge=0)] | None = None
    """At most so many parents a variable."""


class KeepSection(_Section):
    """Large files that are removed once used, unless kept."""

    trajectories: bool = False
    """Keep each network's simulated trajectories."""
    parts: bool = False
    """Keep what each learning job wrote, beside the whole graph."""


class Config(_Section):
    """An experiment: a design or data, and the learners to run on it."""

    experiment: Label
    """The experiment's name: results stand in results/<experiment>/."""
    seed: Annotated[int, Field(ge=0)] = 1
    """The root seed from which every random number derives."""
    design: DesignSection | None = None
    """The simulated design; this or `data`."""
    data: DataSection | None = None
    """Your own data; this or `design`."""
    network: NetworkSection = NetworkSection()
    """How random networks are drawn."""
    learners: Annotated[dict[Label, LearnerSection], Field(min_length=1)]
    """The learners, by the label they have in paths, tables and figures."""
    baseline: Label | None = None
    """The learner whose BIC is the reference of ΔBIC %."""
    reference: Literal["main", "tests", "big"] | None = None
    """The paper's experiment whose published values stand beside ours."""
    nodes_per_job: Annotated[int, Field(ge=1)] | Literal["all"] = 1
    """How many nodes one learning job does; any packing gives the same graphs."""
    time_limit: Annotated[float, Field(gt=0)] | None = None
    """Seconds after which a learning job is ended and recorded as timed out."""
    keep: KeepSection = KeepSection()
    """Large files to keep."""
    formats: list[Literal["png", "pdf", "svg"]] = ["png", "pdf", "svg"]
    """The figures' formats."""

    @model_validator(mode="after")
    def _consistent(self) -> Config:
        if (self.design is None) == (self.data is None):
            raise ValueError("give either `design` or `data`")
        if self.baseline is not None and self.baseline not in self.learners:
            raise ValueError(f"the baseline {self.baseline!r} is none of the learners")
        if self.network.low > self.network.high:
            raise ValueError("network: low must not be above high")
        if self.design is not None and 1 in self.design.nodes and self.network.connectivity == "no-isolated":
            raise ValueError("a network of 1 node is always isolated: connectivity must be `none`")
        return self


def parse(config: str) -> tuple[Mapping[str, Any], str]:
    """Return a config's content and where it comes from: a YAML or JSON file, or JSON text itself."""
    import yaml

    is_text = config.lstrip().startswith("{")
    source = "config" if is_text else config
    try:
        content = yaml.safe_load(config if is_text else Path(config).read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"is not valid YAML ({' '.join(str(error).split())})", path=source) from None
    if not isinstance(content, Mapping):
        raise InputError("is no mapping of keys to values", path=source)
    return content, source


def load(content: Mapping[str, Any], source: str = "config") -> Config:
    """Return the config that a mapping describes, or say in one line what is wrong where."""
    try:
        return Config.model_validate(dict(content))
    except ValidationError as error:
        # A misspelt key often leaves another one missing: the former is what to mend.
        first = min(error.errors(), key=lambda entry: entry["type"] != "extra_forbidden")
        place = ".".join(_place(first["loc"], content))
        raise InputError(_message(first), path=source, place=place or None) from None


def _place(location: tuple[int | str, ...], content: Any) -> list[str]:
    """Return the path of an error within the config; pydantic's own marks of a type are left out."""
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
        return "this key is missing"
    if error["type"] != "extra_forbidden":
        text = str(error["msg"]).removeprefix("Value error, ")
        return text if error["type"] == "value_error" else f"{text}, not {error['input']!r}"
    keys = {name for section in sections() for name in section.model_fields}
    near = difflib.get_close_matches(str(error["loc"][-1]), sorted(keys), n=1)
    return "there is no such key" + (f"; did you mean {near[0]!r}?" if near else "")


def sections() -> list[type[BaseModel]]:
    """Return the sections of a config, in the order in which they are defined above."""
    return list(_Section.__subclasses__())


def json_schema() -> dict[str, Any]:
    """Return the config's JSON schema, as committed in workflow/schemas/."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Config.model_json_schema()}
