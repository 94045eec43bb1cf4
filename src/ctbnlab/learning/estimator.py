"""`fit(data)` in one call, with results as attributes that end in an underscore."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self, cast

if TYPE_CHECKING:
    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.learning.knowledge import Knowledge
    from ctbnlab.model.network import Network


class Estimator:
    """Gives a learner `fit`: `Ctpc(alpha=0.05).fit(data).graph_`.

    A learner's options are frozen; the results of `fit` are kept beside them and replaced by the next `fit`.
    """

    graph_: LearnedGraph
    seconds_: dict[str, float]
    _data: Trajectories

    def fit(self, data: Any, *, knowledge: Knowledge | None = None, jobs: int = 1) -> Self:
        """Learn a graph from trajectories, a DataFrame, or the path of a file."""
        from ctbnlab.learning.nodes import learn

        trajectories = _as_trajectories(data)
        learned = learn(trajectories, cast(Any, self), knowledge=knowledge, jobs=jobs)
        for name, value in (
            ("graph_", learned.graph),
            ("seconds_", learned.seconds),
            ("_data", trajectories),
        ):
            object.__setattr__(self, name, value)
        return self

    @property
    def log_(self) -> list[dict[str, Any]]:
        """One row per possible arc: kept or not, why, and the evidence."""
        return self.graph_.evidence

    @property
    def network_(self) -> Network:
        """The learned graph with its maximum-likelihood intensities."""
        from ctbnlab.learning.parameters import fit_parameters

        return fit_parameters(self._data, [node.parents for node in self.graph_.nodes]).network


def _as_trajectories(data: Any) -> Trajectories:
    from ctbnlab.data.trajectories import Trajectories

    if isinstance(data, Trajectories):
        return data
    if isinstance(data, str | os.PathLike):
        from ctbnlab.data.formats.reading import read

        return read(data)
    from ctbnlab.data.formats.dataframe import from_dataframe

    return from_dataframe(data)
