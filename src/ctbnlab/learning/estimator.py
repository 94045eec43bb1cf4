"""`fit(data)` in one call, with results as attributes that end in an underscore."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, Unpack, cast

from ctbnlab.errors import InputError, NotFittedError
from ctbnlab.learning.search_protocol import SearchProtocol

if TYPE_CHECKING:
    import pandas as pd

    from ctbnlab.data.formats.asking import Asked
    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.learning.contract import Check
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.learning.knowledge import GivenArc, Knowledge
    from ctbnlab.learning.nodes import Learned
    from ctbnlab.model.network import Network


class Estimator(SearchProtocol):
    """Gives a learner `fit`: `Ctpc(alpha=0.05).fit(data).graph_`.

    A learner's options are frozen; the results of `fit` are kept beside them and replaced by the next `fit`.
    Options are also read and set as in scikit-learn, so that its `clone`, `cross_val_score` and
    `GridSearchCV` take a learner and trajectories.

    Example:
        >>> import ctbnlab
        >>> data = ctbnlab.gallery.get("eating").simulate(50, duration=50.0, seed=1)
        >>> learner = ctbnlab.Ctss().fit(data, forbid=["*->Hungry"])
        >>> learner.graph_.arcs
        [('Hungry', 'Eating'), ('Eating', 'Full')]
    """

    graph_: LearnedGraph
    seconds_: dict[str, float]
    _data: Trajectories
    _reading: Asked

    def __getattr__(self, name: str) -> Any:
        """Explain why a result is missing; `hasattr` is False before `fit`."""
        is_result = name in ("_data", "_reading") or (name.endswith("_") and not name.startswith("_"))
        if is_result and "graph_" not in vars(self):
            raise NotFittedError(f"this {type(self).__name__} has no {name} yet; call fit first")
        found = getattr(type(self), name, None)
        if isinstance(found, property) and found.fget is not None:
            return found.fget(self)  # raises again what it raised: the true reason
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def fit(
        self,
        data: Any,
        y: None = None,  # noqa: ARG002
        *,
        forbid: Iterable[GivenArc] = (),
        require: Iterable[GivenArc] = (),
        max_parents: int | None = None,
        knowledge: Knowledge | None = None,
        jobs: int = 1,
        robust: bool = False,
        **reading: Unpack[Asked],
    ) -> Self:
        """Learn a graph from trajectories, a list of them, a DataFrame, or the path of a file.

        Args:
            data: What to learn from.
            y: Not used; scikit-learn passes it.
            forbid: Arcs that may not be in the graph: pairs of names or texts such as `"A->B"`. `*` stands
                for every variable.
            require: Arcs that must be in the graph.
            max_parents: The largest number of parents of a variable, required ones included.
            knowledge: The three together, as an object.
            jobs: The number of threads; the graph does not depend on it.
            robust: Take in what the model checks ask for, such as clocks, and learn again.
            **reading: Options of `ctbnlab.read`, such as `id="patient"` or `ties="order"`.
        """
        from ctbnlab.data.formats.reading import trajectories_of
        from ctbnlab.learning.knowledge import Knowledge
        from ctbnlab.learning.nodes import learn

        if knowledge is not None and (forbid or require or max_parents is not None):
            raise InputError("give forbid, require and max_parents, or knowledge, not both")
        known = knowledge or Knowledge.from_arcs(require, forbid, max_parents)
        trajectories = trajectories_of(data, **reading)

        def learn_once(data: Trajectories) -> Learned:
            return learn(data, cast(Any, self), knowledge=known, jobs=jobs)

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
            ("_reading", reading),
        ):
            object.__setattr__(self, name, value)
        return self

    def score(self, data: Any, y: None = None) -> float:  # noqa: ARG002
        """Return the mean log-likelihood per event of other data under the learned graph; higher is better.

        The rates are those of the data given to `fit`, with a weak prior, so that a score is always finite.
        Differences between scores do not depend on the unit of time.

        Args:
            data: Trajectories of the same variables, or anything else that `fit` takes.
            y: Not used; scikit-learn passes it.
        """
        from ctbnlab.data.formats.reading import ROLES, trajectories_of
        from ctbnlab.data.prepare import with_roles_of
        from ctbnlab.learning.held_out import mean_log_likelihood

        graph, roles = self.graph_, self._data.roles
        added = {clock.name for clock in roles.clocks if clock.kind != "column"}
        states = {name: states for name, states in graph.variables if name not in added}
        reading = {key: value for key, value in self._reading.items() if key not in ROLES}
        held_out = trajectories_of(data, states=states, **cast(Any, reading))
        if roles:
            held_out = with_roles_of(held_out, roles)
        return mean_log_likelihood(self._data, graph, held_out)

    @property
    def log_(self) -> pd.DataFrame:
        """A DataFrame with one row per possible arc: kept or not, why, and the evidence."""
        return self.graph_.to_dataframe()

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

        return fit_parameters(self._data, self.graph_).network
