"""`fit(data)` in one call, with results as attributes that end in an underscore."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, cast

if TYPE_CHECKING:
    import pandas as pd

    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.learning.contract import Check
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.learning.knowledge import Knowledge
    from ctbnlab.learning.nodes import Learned
    from ctbnlab.model.network import Network


class Estimator:
    """Gives a learner `fit`: `Ctpc(alpha=0.05).fit(data).graph_`.

    A learner's options are frozen; the results of `fit` are kept beside them and replaced by the next `fit`.
    """

    graph_: LearnedGraph
    seconds_: dict[str, float]
    _data: Trajectories

    def fit(
        self, data: Any, *, knowledge: Knowledge | None = None, jobs: int = 1, robust: bool = False
    ) -> Self:
        """Learn a graph from trajectories, a DataFrame, or the path of a file.

        `robust` takes in what the model checks ask for, such as clocks, and learns again.
        """
        from ctbnlab.learning.nodes import learn

        trajectories = _as_trajectories(data)

        def learn_once(data: Trajectories) -> Learned:
            return learn(data, cast(Any, self), knowledge=knowledge, jobs=jobs)

        if robust:
            from ctbnlab.learning.robust import learn_robustly

            result = learn_robustly(trajectories, learn_once)
            learned, trajectories = result.learned, result.data
        else:
            learned = learn_once(trajectories)
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
    def probabilities_(self) -> pd.DataFrame:
        """The probability of each arc, parents in rows and children in columns; NaN where none is known."""
        import pandas as pd

        names = list(self.graph_.names)
        table = pd.DataFrame(float("nan"), index=names, columns=names)
        for node in self.graph_.nodes:
            for entry in node.evidence:
                if entry.probability is not None:
                    table.iloc[entry.candidate, node.target] = entry.probability
        return table.rename_axis(index="parent", columns="child")

    @property
    def checks_(self) -> tuple[Check, ...]:
        """What the model checks come to, for each variable and for the data as a whole."""
        if self.graph_.checks is None:
            from ctbnlab.learning.checks import model_checks

            checked = replace(self.graph_, checks=model_checks(self._data, self.graph_))
            object.__setattr__(self, "graph_", checked)
        return self.graph_.checks or ()

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
