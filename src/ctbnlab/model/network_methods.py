"""Methods of a network that are short ways to rooms above: simulation, likelihood, questions, pictures.

They import those rooms when they are called, so that the model depends on none of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.inference.question import Query


class NetworkMethods:
    """What `Network` can do beyond describing itself."""

    def simulate(
        self: Any,
        trajectories: int = 1,
        duration: float | None = None,
        transitions: int | None = None,
        *,
        seed: int,
        initial: Mapping[str, str] | None = None,
        jobs: int = 1,
    ) -> Trajectories:
        """Return simulated trajectories, as `ctbnlab.simulate(network, …)` does.

        Example:
            >>> import ctbnlab
            >>> ctbnlab.gallery.get("eating").simulate(100, duration=10.0, seed=1)
            <Trajectories: 3 variables, 100 trajectories, 1,774 events, time 1000>
        """
        from ctbnlab.simulation.simulate import simulate

        return simulate(
            self,
            trajectories=trajectories,
            duration=duration,
            transitions=transitions,
            seed=seed,
            initial=initial,
            jobs=jobs,
        )

    def log_likelihood(self: Any, data: Any) -> float:
        """Return the log-likelihood of the transitions in data, given the initial states.

        The data are trajectories, a list of them, a DataFrame or the path of a file. The result is −∞ if a
        transition occurs whose rate is 0.

        Example:
            >>> import ctbnlab
            >>> network = ctbnlab.gallery.get("eating")
            >>> data = network.simulate(20, duration=50.0, seed=1)
            >>> round(network.log_likelihood(data), 1)
            -59.2
        """
        from ctbnlab.data.formats.reading import trajectories_of
        from ctbnlab.learning.parameters import log_likelihood

        states = {variable.name: variable.states for variable in self.variables}
        return math.fsum(log_likelihood(self, trajectories_of(data, states=states)))

    def query(self: Any, start: Mapping[str, Any] | None = None, **options: Any) -> Query:
        """Return a `Query` to this network, to be asked `at(times)`, `until(target)`, `long_run()`, ….

        Example:
            >>> import ctbnlab
            >>> network = ctbnlab.gallery.get("eating")
            >>> network.query({"Hungry": "yes"}).at(0.0).select(variable="Hungry", state="yes")
            [1.0]
        """
        from ctbnlab.inference.question import Query

        return Query(self, start, **options)

    def plot(self: Any, ax: Axes | None = None, *, true: Any = None, layout: str = "auto") -> Axes:
        """Draw the graph and return the axes.

        Args:
            ax: Where to draw; a new figure of the right size by default.
            true: The true network or graph; arcs are then coloured by whether they are right.
            layout: "auto", "circle" or "springs".
        """
        from ctbnlab.presentation.draw.on_axes import draw_on_axes

        return draw_on_axes(self, ax, true=true, layout=layout)

    def plot_cims(self: Any, *variables: str, ax: Axes | None = None) -> Axes:
        """Draw the conditional intensity matrices of some or all variables and return the axes."""
        from ctbnlab.presentation.draw.on_axes import draw_cims_on_axes

        return draw_cims_on_axes(self, variables, ax)

    def _repr_svg_(self: Any) -> str | None:
        from ctbnlab.presentation.notebook import svg_of

        return svg_of(self)

    def _repr_html_(self: Any) -> str:
        from ctbnlab.presentation.notebook import network_html

        return network_html(self)
