"""What a bootstrap found: its replicates, the arcs' frequencies and intervals, and its JSON file."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from ctbnlab.io.shown import counted, short_table
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.graph_json import member, objects
from ctbnlab.learning.rate_ratio import Contrast

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "ctbnlab.bootstrap"
VERSION = 1
# The interval of a rate ratio: 95% of the replicates are inside.
TAIL = 0.025
_WORDS = {"inf": math.inf, "nan": math.nan}


class Ratio(NamedTuple):
    """The rate ratio of an arc of the graph, from all data; None if its rates cannot be compared."""

    parent: int
    target: int
    contrast: Contrast | None
    value: float | None


class Replicate(NamedTuple):
    """One replicate: the arcs learned, and the rate ratio of each arc of the graph from all data."""

    number: int
    arcs: tuple[tuple[int, int], ...]
    ratios: tuple[float | None, ...]


class ArcRow(NamedTuple):
    """One possible arc: its frequency among the replicates, and the rate ratio with its 95% interval."""

    source: str
    target: str
    frequency: float
    kept: bool  # in the graph from all data
    contrast: str = ""
    rate_ratio: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, repr=False)
class Bootstrap:
    """The replicates of a bootstrap of `n`; batches hold some of them, and `merged` joins those."""

    n: int
    seed: int
    replacement: bool  # whether trajectories are drawn with replacement, instead of half of them
    graph: LearnedGraph  # from all data
    ratios: tuple[Ratio, ...]  # of the arcs of the graph, in their order
    replicates: tuple[Replicate, ...]

    @property
    def rows(self) -> list[ArcRow]:
        """One row for each pair of variables, by child and then by parent."""
        names = self.graph.names
        found = Counter(arc for replicate in self.replicates for arc in replicate.arcs)
        ratios = {(ratio.parent, ratio.target): k for k, ratio in enumerate(self.ratios)}
        rows = []
        for target, source in product(range(len(names)), repeat=2):
            if source != target:
                arc = (source, target)
                frequency = found[arc] / len(self.replicates)
                row = ArcRow(names[source], names[target], frequency, arc in ratios)
                rows.append(self._with_ratio(row, ratios[arc]) if arc in ratios else row)
        return rows

    def _with_ratio(self, row: ArcRow, k: int) -> ArcRow:
        ratio = self.ratios[k]
        if ratio.contrast is None:
            return row
        low, high = _interval([replicate.ratios[k] for replicate in self.replicates])
        return row._replace(contrast=self._words(ratio), rate_ratio=ratio.value, low=low, high=high)

    def _words(self, ratio: Ratio) -> str:
        """Return what is compared, as in `on → off: high against low`."""
        assert ratio.contrast is not None
        of_parent = self.graph.variables[ratio.parent].states
        of_target = self.graph.variables[ratio.target].states
        contrast = ratio.contrast
        return (
            f"{of_target[contrast.old]} → {of_target[contrast.new]}: "
            f"{of_parent[contrast.state]} against {of_parent[contrast.other]}"
        )

    @property
    def frequencies(self) -> pd.DataFrame:
        """A DataFrame with one row per pair of variables: from, to, frequency, kept and the rate ratio."""
        import pandas as pd

        frame = pd.DataFrame(self.rows, columns=list(ArcRow._fields))
        frame = frame.rename(columns={"source": "from", "target": "to"})
        numbers = ["rate_ratio", "low", "high"]
        frame[numbers] = frame[numbers].astype(float)
        return frame

    def to_dataframe(self) -> pd.DataFrame:
        """Return `frequencies`."""
        return self.frequencies

    to_pandas = to_dataframe

    def __repr__(self) -> str:
        sizes = (len(self.replicates), "replicate"), (len(self.graph.variables), "variable")
        arcs = counted(len(self.graph.arcs), "arc")
        return f"<Bootstrap: {', '.join(counted(*size) for size in sizes)}, {arcs} from all data>"

    def _repr_html_(self) -> str | None:
        def most_frequent() -> pd.DataFrame:
            return self.frequencies.sort_values("frequency", ascending=False, kind="stable")

        return short_table(most_frequent, repr(self))

    def to_json(self) -> dict[str, Any]:
        """Return the content of the bootstrap's JSON file."""
        names = self.graph.names
        return {
            "format": FORMAT,
            "version": VERSION,
            "n": self.n,
            "seed": self.seed,
            "replacement": self.replacement,
            "graph": self.graph.to_json(),
            "ratios": [
                {
                    "from": names[ratio.parent],
                    "to": names[ratio.target],
                    **({} if ratio.contrast is None else ratio.contrast._asdict()),
                    "rate_ratio": _written(ratio.value),
                }
                for ratio in self.ratios
            ],
            "replicates": [
                {
                    "number": replicate.number,
                    "from": [names[source] for source, _ in replicate.arcs],
                    "to": [names[target] for _, target in replicate.arcs],
                    "rate_ratios": [_written(value) for value in replicate.ratios],
                }
                for replicate in self.replicates
            ],
        }

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the bootstrap as JSON."""
        json_text.write(self.to_json(), path)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Bootstrap:
        """Read a bootstrap's JSON file."""
        try:
            return cls.from_json(json_text.read(path))
        except InputError as error:
            raise error.within(path) from None

    @classmethod
    def from_json(cls, content: Any) -> Bootstrap:
        """Read what `to_json` returns; report what is wrong with anything else."""
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise InputError("is not a bootstrap")
        version = content.get("version")
        if version != VERSION or isinstance(version, bool):
            raise InputError(f"has format version {version!r}; this ctbnlab reads version {VERSION}")
        graph = LearnedGraph.from_json(member(content, "graph", dict))
        index = {name: i for i, name in enumerate(graph.names)}
        ratios = tuple(_ratio(entry, graph, index) for entry in objects(content, "ratios"))
        if [ratio[:2] for ratio in ratios] != [(index[a], index[b]) for a, b in graph.arcs]:
            raise InputError("is a damaged bootstrap: its ratios are not those of the arcs of its graph")
        replicates = tuple(_replicate(entry, index, len(ratios)) for entry in objects(content, "replicates"))
        n = member(content, "n", int)
        numbers = [replicate.number for replicate in replicates]
        if not numbers or numbers != sorted(set(numbers)) or not 1 <= numbers[0] <= numbers[-1] <= n:
            raise InputError("is a damaged bootstrap: its replicates are not numbered in order from 1 to `n`")
        seed, replacement = member(content, "seed", int), member(content, "replacement", bool)
        return cls(n, seed, replacement, graph, ratios, replicates)


def merged(parts: Sequence[Bootstrap]) -> Bootstrap:
    """Join batches into a whole; refuse batches of different bootstraps, repeated and missing replicates."""
    if not parts:
        raise InputError("no batches to merge")
    first = parts[0]
    for part in parts:
        if replace(part, replicates=()) != replace(first, replicates=()):
            raise InputError("the batches are of different bootstraps: data, learner, seed or number differ")
    replicates = sorted(entry for part in parts for entry in part.replicates)
    counts = Counter(entry.number for entry in replicates)
    twice = [number for number, times in counts.items() if times > 1]
    if twice:
        raise InputError(f"replicate {twice[0]} is in two batches")
    if len(counts) < first.n:
        raise InputError(f"{len(counts)} of {first.n} replicates: merge all batches")
    return replace(first, replicates=tuple(replicates))


def _interval(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Return the 2.5% and 97.5% percentiles of the ratios that are defined; infinite ones count."""
    known = [value for value in values if value is not None and not math.isnan(value)]
    if not known:
        return None, None
    # Steps, not lines between two values: one of them may be infinite.
    low, high = np.quantile(known, [TAIL, 1 - TAIL], method="inverted_cdf")
    return float(low), float(high)


def _written(value: float | None) -> float | str | None:
    return value if value is None or math.isfinite(value) else str(value)


def _read(value: Any) -> float | None:
    if isinstance(value, str) and value in _WORDS:
        return _WORDS[value]
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or value < 0):
        raise InputError(f"is a damaged bootstrap: {value!r} is not a rate ratio")
    return None if value is None else float(value)


def _indices(entry: Mapping[str, Any], key: str, index: Mapping[str, int]) -> list[int]:
    found = member(entry, key, list)
    for name in found:
        if not isinstance(name, str) or name not in index:
            raise InputError(f"is a damaged bootstrap: {name!r} is not a variable of its graph")
    return [index[name] for name in found]


def _ratio(entry: Mapping[str, Any], graph: LearnedGraph, index: Mapping[str, int]) -> Ratio:
    (parent,), (target,) = ([*_indices({key: [entry.get(key)]}, key, index)] for key in ("from", "to"))
    contrast = None
    if "state" in entry:
        contrast = Contrast(*(member(entry, key, int) for key in Contrast._fields))
        of_parent, of_target = (len(graph.variables[i].states) for i in (parent, target))
        for state, states in zip(contrast, (of_parent, of_parent, of_target, of_target), strict=True):
            if not 0 <= state < states:
                raise InputError(f"is a damaged bootstrap: there is no state number {state}")
    return Ratio(parent, target, contrast, _read(entry.get("rate_ratio")))


def _replicate(entry: Mapping[str, Any], index: Mapping[str, int], n_ratios: int) -> Replicate:
    sources, targets = _indices(entry, "from", index), _indices(entry, "to", index)
    ratios = tuple(map(_read, member(entry, "rate_ratios", list)))
    if len(sources) != len(targets) or len(ratios) != n_ratios:
        raise InputError("is a damaged bootstrap: the lists of a replicate have different lengths")
    return Replicate(member(entry, "number", int), tuple(zip(sources, targets, strict=True)), ratios)
