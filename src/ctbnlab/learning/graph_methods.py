"""Methods of a learned graph for people: a table, a picture, what a notebook shows.

They import rooms above when they are called, so that learning depends on none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctbnlab.errors import InputError
from ctbnlab.io.shown import counted

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_FIRST = ("from", "to", "kept", "why", "probability", "gain", "p_value", "q_value", "statistic")


class GraphMethods:
    """What `LearnedGraph` can do beyond holding its arcs."""

    def parents_of(self: Any, name: str) -> tuple[str, ...]:
        """Return the names of a variable's parents."""
        parents: dict[str, tuple[str, ...]] = self.parents
        if name not in parents:
            if name in self.names:
                raise InputError(f"the parents of {name!r} were not learned")
            raise InputError(f"unknown variable {name!r}; the variables are {', '.join(self.names)}")
        return parents[name]

    def children_of(self: Any, name: str) -> tuple[str, ...]:
        """Return the names of the variables that have this one as a parent."""
        if name not in self.names:
            raise InputError(f"unknown variable {name!r}; the variables are {', '.join(self.names)}")
        return tuple(child for child, parents in self.parents.items() if name in parents)

    def to_dataframe(self: Any) -> pd.DataFrame:
        """Return a DataFrame with one row per possible arc: from, to, kept, why, and the evidence.

        The columns `rate_ratio`, `low` and `high` are the effect of an arc, if it is known.

        Example:
            >>> import ctbnlab
            >>> data = ctbnlab.gallery.get("eating").simulate(50, duration=50.0, seed=1)
            >>> table = ctbnlab.EmpiricalBayes().fit(data).graph_.to_dataframe()
            >>> table.loc[table["kept"], ["from", "to"]].values.tolist()
            [['Hungry', 'Eating'], ['Eating', 'Full'], ['Full', 'Hungry']]
        """
        import pandas as pd

        rows = [
            {**{key: value for key, value in row.items() if key != "effect"}, **row.get("effect", {})}
            for row in self.evidence
        ]
        found = dict.fromkeys(key for row in rows for key in row)
        columns = [*_FIRST[:4], *(key for key in _FIRST[4:] if key in found)]
        columns += [key for key in found if key not in columns]
        table = pd.DataFrame(rows, columns=columns)
        numbers = [key for key in columns if key not in (*_FIRST[:4], "separating_set")]
        table[numbers] = table[numbers].astype(float)
        return table

    to_pandas = to_dataframe

    def plot(
        self: Any, ax: Axes | None = None, *, true: Any = None, layout: str = "auto", width: str = "evidence"
    ) -> Axes:
        """Draw the graph and return the axes.

        Args:
            ax: Where to draw; a new figure of the right size by default.
            true: The true network or graph; arcs are then coloured by whether they are right.
            layout: "auto", "circle" or "springs".
            width: What wider arcs show: the strength of the "evidence" or the "effect".
        """
        from ctbnlab.presentation.draw.on_axes import draw_on_axes

        return draw_on_axes(self, ax, true=true, layout=layout, width=width)

    def __repr__(self: Any) -> str:
        learner = self.learner.get("name", "")
        by = f", learned by {learner}" if learner else ""
        failed = f", {len(self.failures)} not learned" if self.failures else ""
        size = f"{counted(len(self.variables), 'variable')}, {counted(len(self.arcs), 'arc')}"
        return f"<LearnedGraph: {size}{by}{failed}>"

    def _repr_svg_(self: Any) -> str | None:
        from ctbnlab.presentation.notebook import svg_of

        return svg_of(self)

    def _repr_html_(self: Any) -> str:
        from ctbnlab.presentation.notebook import graph_html

        return graph_html(self)
