"""Which options of which learners take several values, and where each value stands on an axis."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from ctbnlab.evaluation import summary

MIN_RATIO = 10.0  # a numeric option that spans this factor or more has a logarithmic axis
MARGIN = 0.07  # of the length of an axis of numbers, on either side


@dataclass(frozen=True)
class Sweep:
    """One option and the cells of the learners in which it varies.

    The cells have the value's place in the column `x`, and as `learner` the series they belong to: the
    algorithm with those further options that vary. Values that are not numbers stand at 0, 1, …
    """

    option: str
    cells: pd.DataFrame
    names: tuple[str, ...] = ()  # of the values that are not numbers
    log: bool = False

    @property
    def step(self) -> float:
        """The space for a point: the smallest distance of two values, in decades on a logarithmic axis.

        At most a quarter of the axis, so that points beside the first and the last value stay within it.
        """
        places = np.array(sorted(set(self.cells["x"])))
        places = np.log10(places) if self.log else places
        nearest = float(np.diff(places).min())
        return nearest if self.names else min(nearest, float(places[-1] - places[0]) / 4)

    @property
    def limits(self) -> tuple[float, float]:
        """The limits of the axis."""
        low, high = self.cells["x"].min(), self.cells["x"].max()
        length = math.log10(high / low) if self.log else high - low
        margin = 0.5 if self.names else MARGIN * length
        return (low / 10**margin, high * 10**margin) if self.log else (low - margin, high + margin)

    @property
    def series(self) -> list[tuple[str, str]]:
        """The series as (name, algorithm)."""
        algorithm = dict(zip(self.cells["learner"], self.cells["algorithm"], strict=True))
        return [(label, algorithm[label]) for label in summary.learners(self.cells)]


def sweeps(cells: pd.DataFrame) -> list[Sweep]:
    """Return every option that takes several values in learners of one algorithm.

    If labels name options, as those of a config's `sweep` do, only these are meant: other learners may differ
    in several options at once, which no axis can show.
    """
    options = {text: json.loads(text) for text in set(cells["options"])}
    varying: dict[str, set[str]] = {}
    for algorithm, group in cells.groupby("algorithm"):
        learners = [options[text] for text in sorted(set(group["options"]))]
        for name in dict.fromkeys(key for learner in learners for key in learner):
            if len({json.dumps(learner.get(name)) for learner in learners}) > 1:
                varying.setdefault(name, set()).add(str(algorithm))
    labels = set(cells["learner"])
    named = {name: found for name, found in varying.items() if any(f"_{name}=" in label for label in labels)}
    chosen = named or varying
    made = [_sweep(cells[cells["algorithm"].isin(chosen[name])], name, options) for name in sorted(chosen)]
    return [sweep for sweep in made if sweep.cells["x"].nunique() > 1]


def _sweep(cells: pd.DataFrame, name: str, options: dict[str, dict[str, Any]]) -> Sweep:
    values = cells["options"].map(lambda text: options[text].get(name))
    numbers = sorted({value for value in values if _is_number(value)})
    series = _series_names(cells, name, options)
    if len(numbers) > 1:
        # A default that is not a number, such as none, has no place on the axis.
        shown = values.map(_is_number)
        placed = cells[shown].assign(x=values[shown].astype(float), learner=series[shown])
        log = numbers[0] > 0 and numbers[-1] / numbers[0] >= MIN_RATIO
        return Sweep(name, placed, log=log)
    names = sorted({_value_name(value) for value in values})
    places = values.map(_value_name).map(names.index)
    return Sweep(name, cells.assign(x=places.astype(float), learner=series), tuple(names))


def _series_names(cells: pd.DataFrame, name: str, options: dict[str, dict[str, Any]]) -> pd.Series[str]:
    """Return each cell's learner without the option: its algorithm, and the other options that vary."""
    names: dict[tuple[str, str], str] = {}
    for algorithm, group in cells.groupby("algorithm"):
        others = {
            text: {key: value for key, value in options[text].items() if key != name}
            for text in set(group["options"])
        }
        for text, own in others.items():
            varying = [
                key for key in sorted(own) if any(other.get(key) != own[key] for other in others.values())
            ]
            details = ", ".join(f"{key} = {_value_name(own[key])}" for key in varying)
            shown = summary.display_name(str(algorithm))
            names[str(algorithm), text] = shown + (f" ({details})" if details else "")
    keys = zip(cells["algorithm"], cells["options"], strict=True)
    return pd.Series([names[key] for key in keys], cells.index)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _value_name(value: Any) -> str:
    """Return a short name: of a file its name without folder and extension, otherwise the value."""
    if isinstance(value, str) and ".py" in value:
        file, _, name = value.partition(":")
        return PurePath(file).stem + (f":{name}" if name else "")
    if isinstance(value, str):
        return value
    return "none" if value is None else f"{value:g}" if _is_number(value) else json.dumps(value)
