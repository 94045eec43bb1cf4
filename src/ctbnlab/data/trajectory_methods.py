"""Methods of trajectories for people: items and slices, DataFrames, files, timelines, what a notebook shows.

They import what they need when they are called: opening data stays light.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.io.shown import counted

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ctbnlab.data.trajectories import Trajectories

_Which = int | str | slice | Sequence[int] | NDArray[Any]


class TrajectoryMethods:
    """What `Trajectories` can do beyond holding events."""

    def __getitem__(self: Any, which: _Which) -> Trajectories:
        """Return one trajectory, by position or id, or several, by slice, positions or mask.

        Example:
            >>> import ctbnlab
            >>> data = ctbnlab.gallery.get("eating").simulate(10, duration=5.0, seed=1)
            >>> len(data), len(data[0]), len(data[:4]), data["7"].ids
            (10, 1, 4, ['7'])
        """
        chosen: Any = which
        if isinstance(which, str):
            found = [k for k, label in enumerate(self.ids) if label == which]
            if not found:
                raise KeyError(f"no trajectory has the id {which!r}")
            chosen = found
        elif not isinstance(which, slice) and np.ndim(which) == 0:
            place = operator.index(which)  # type: ignore[arg-type]
            if not -len(self) <= place < len(self):
                raise IndexError(f"there are {len(self)} trajectories; {place} is out of range")
            chosen = [place % len(self)]
        subset: Trajectories = self.subset(chosen)
        return subset

    def __iter__(self: Any) -> Iterator[Trajectories]:
        return (self[place] for place in range(len(self)))

    def __reduce__(self: Any) -> tuple[Any, ...]:
        """Pickle the columns; they are checked again when they are loaded."""
        data = self.compact()
        names = ("begin", "stop", "start", "end", "initial", "time", "variable", "old", "new")
        columns = {name: np.asarray(getattr(data, name)) for name in names}
        columns |= {"ties": data.tied, "gaps": data.gaps, "roles": data.roles}
        return _restored, (type(self), data.variables, list(data.ids), columns)

    def to_dataframe(self, layout: str = "wide") -> pd.DataFrame:
        """Return a DataFrame: "wide" with a row per change, or "long" with a row per change of a variable.

        Example:
            >>> import ctbnlab
            >>> data = ctbnlab.gallery.get("eating").simulate(10, duration=5.0, seed=1)
            >>> ctbnlab.read(data.to_dataframe()).equals(data)
            True
        """
        from ctbnlab.data.formats.dataframe import to_dataframe

        return to_dataframe(self, layout)  # type: ignore[arg-type]

    to_pandas = to_dataframe

    def head(self: Any, n: int = 5) -> pd.DataFrame:
        """Return the first `n` rows of `to_dataframe()`.

        Example:
            >>> import ctbnlab
            >>> data = ctbnlab.gallery.get("eating").simulate(10, duration=5.0, seed=1)
            >>> data.head(2).columns.tolist()
            ['trajectory', 'time', 'Eating', 'Full', 'Hungry']
        """
        if n < 0:
            raise InputError(f"the number of rows must be at least 0, not {n}")
        rows = np.cumsum(self.stop - self.begin + 2)  # the start, the changes and the end of each
        enough = int(np.searchsorted(rows, n)) + 1
        first: Trajectories = self[:enough]
        # Changes at one instant share a row, so that a few trajectories more may be needed.
        while len(table := first.to_dataframe()) < n and len(first) < len(self):
            first = self[: 2 * len(first)]
        return table.head(n)

    def describe(self: Any) -> pd.DataFrame:
        """Return a DataFrame with a row per variable: states, role, transitions and time per transition.

        Example:
            >>> import ctbnlab
            >>> ctbnlab.gallery.get("eating").simulate(10, duration=5.0, seed=1).describe()["states"].tolist()
            [2, 2, 2]
        """
        import pandas as pd

        moves = transition_counts(self)
        return pd.DataFrame(
            {
                "states": [len(variable.states) for variable in self.variables],
                "role": [self.roles.role_of(name) or "" for name in self.names],
                "transitions": moves,
                "time_per_transition": np.divide(
                    self.total_time, moves, out=np.full(len(moves), np.inf), where=moves > 0
                ),
            },
            index=pd.Index(self.names, name="variable"),
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file in the format of its ending, as `ctbnlab.write(data, path)` does."""
        from ctbnlab.data.formats.writing import write

        write(self, path)  # type: ignore[arg-type]

    def plot(
        self: Any,
        trajectories: int | Sequence[int] | None = None,
        variables: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the timelines of a few trajectories, a row per variable, and return the axes.

        Args:
            trajectories: How many of the first ones, or the positions of those to draw.
            variables: The variables to draw, all by default.
            ax: Where to draw; a new figure of the right size by default.
        """
        from ctbnlab.presentation.draw.timelines import draw_timelines

        return draw_timelines(self, trajectories, variables, ax)

    def __repr__(self: Any) -> str:
        return (
            f"<Trajectories: {counted(self.n_variables, 'variable')}, "
            f"{counted(self.n_trajectories, 'trajectory', 'trajectories')}, "
            f"{counted(self.n_events, 'event')}, time {self.total_time:g}>"
        )

    def _repr_html_(self: Any) -> str:
        from ctbnlab.presentation.notebook import trajectories_html

        return trajectories_html(self)


def transition_counts(data: Trajectories) -> NDArray[np.int64]:
    """Return the number of transitions of each variable."""
    data = data.compact()
    return np.bincount(data.variable[data.is_transition()], minlength=data.n_variables)


def _restored(
    kind: type[Trajectories],
    variables: Any,
    ids: list[str],
    columns: dict[str, Any],
) -> Trajectories:
    return kind.from_columns(variables, ids, **columns)
