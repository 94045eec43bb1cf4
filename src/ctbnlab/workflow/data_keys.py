"""The keys of a config that say how a user's own file is read: the options of `ctbnlab convert`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ctbnlab.data.formats.asking import Asked
from ctbnlab.model.names import quoted


class ReadingKeys(BaseModel):
    """How a file of trajectories is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False)

    path: str
    """File of trajectories, in any format that `ctbnlab convert` reads."""
    format: str | None = None
    """Format of the file; default: detected from its name and content."""
    layout: str | None = None
    """What the rows of a table mean, such as `wide` or `long`; default: detected from its columns."""
    states: str | None = None
    """JSON file that lists the states of each variable, for states that never occur in the data."""
    id: str | None = None
    """Column that identifies trajectories; default: recognised by its name."""
    time: str | None = None
    """Column of times or dates; default: recognised by its name."""
    variables: list[str] | None = None
    """Variables to use; default: all."""
    start: str | float | None = None
    """Column of starts of intervals or of observation, in layouts that have one, or a number."""
    end: str | float | None = None
    """Column of ends of intervals or of observation, in layouts that have one, or a number."""
    event: str | None = None
    """Column of events, in layouts that have one."""
    birth: str | None = None
    """Column of births, for the clock `age`."""
    rules: str | None = None
    """File of rules for an event log: the states that events lead to."""
    people: str | None = None
    """File of a second table, with one row per trajectory."""
    na: list[str] | None = None
    """Texts that stand for missing values; default: `NA`, `NaN`, `null`, `.` and the like."""
    missing: Literal["gap", "hold", "error"] = "gap"
    """What a missing state means: a gap until the next value, the last value, or an error."""
    unit: Literal["second", "minute", "hour", "day", "week", "month", "year"] = "day"
    """Unit of time that dates are converted to."""
    decimal: Literal[".", ","] = "."
    """Decimal point of numbers."""
    cut: dict[str, str | list[float]] = {}
    """Variables to cut, with boundaries as `[40, 60]`, or `quartiles`, `q5` and the like."""
    labels: list[str] = []
    """Variables whose numbers are states as they are."""
    ties: Literal["together", "order", "jitter", "error"] = "together"
    """How to handle variables that change at the same time: see `ctbnlab convert --help`."""
    static: list[str] = []
    """Variables that never change: they can be parents, never children."""
    terminal: list[str] = []
    """Variables whose first change ends the trajectory: never parents."""
    clock: list[str] = []
    """Clocks of the rates: `entry`, `calendar`, `age`, `since:VARIABLE`, `own`, `auto` or a variable."""
    periods: Annotated[int, Field(ge=2, le=200)] | None = None
    """Number of periods of a clock; default: by the number of events."""
    tiers: str | None = None
    """Groups of variables, causes first, as `sex,arm > disease > death`."""

    def keywords(self) -> Asked:
        """Return the keys that differ from their defaults, as keywords of `ctbnlab.read`."""
        given: Asked = {  # type: ignore[assignment]
            name: getattr(self, name)
            for name in Asked.__annotations__
            if name in ReadingKeys.model_fields
            and getattr(self, name) != ReadingKeys.model_fields[name].default
        }
        return given

    def words(self) -> list[str]:
        """Return them as options of `ctbnlab convert`."""
        found: dict[str, Any] = {"from": self.format, "states": self.states, **self.keywords()}
        words: list[str] = []
        for name, value in found.items():
            if value is None:
                continue
            if name == "clock":
                texts = value
            elif name == "cut":
                texts = [f"{variable}:{_cut(cut)}" for variable, cut in value.items()]
            elif isinstance(value, list):
                texts = [",".join(quoted(entry) for entry in value)]
            else:
                texts = [value]
            words += [f"--{name}={text}" for text in texts]
        return words

    def files(self) -> list[str]:
        """Return the user's files that are read."""
        return [path for path in (self.path, self.states, self.rules, self.people) if path is not None]


def _cut(cut: str | list[float]) -> str:
    return cut if isinstance(cut, str) else ",".join(f"{value:g}" for value in cut)
