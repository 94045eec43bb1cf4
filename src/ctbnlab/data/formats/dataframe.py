"""Trajectories from and to pandas DataFrames of the wide or long layout.

Labels of other types are converted to strings; a categorical column declares its states. Errors name rows
by number, counted from 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ctbnlab.data.formats import long, wide
from ctbnlab.data.formats.assemble import InMemory
from ctbnlab.data.formats.detect import layout_of
from ctbnlab.data.formats.labels import Labels
from ctbnlab.data.formats.request import Options, States, checked_states, declared_states
from ctbnlab.data.formats.source import Chunk, read_table, require_distinct_columns
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

_LAYOUTS = {"wide": wide, "long": long}


def from_dataframe(
    frame: pd.DataFrame,
    *,
    layout: str | None = None,
    states: States = None,
    ties: str = "error",
    unchanged: str = "drop",
    seed: int = 0,
) -> Trajectories:
    """Return the trajectories in a DataFrame; the layout is detected from its columns if not given."""
    source = FrameSource(frame)
    if layout is None:
        layout = layout_of(source.columns)
    declared = declared_states(states)
    if layout == "wide":
        declared = checked_states({**source.categories(), **declared})
    sink = InMemory()
    read_table(source, _layout(layout).read, sink, declared, Options(ties, unchanged, seed))
    return sink.result


def to_dataframe(data: Trajectories, layout: str = "wide") -> pd.DataFrame:
    """Return trajectories as a DataFrame; the states of the wide layout are categorical columns."""
    table = pa.Table.from_batches(list(_layout(layout).batches(data)))
    if layout == "long":
        table = table.cast(
            pa.schema([(field.name, _without_dictionary(field.type)) for field in table.schema])
        )
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _without_dictionary(arrow_type: Any) -> Any:
    return arrow_type.value_type if pa.types.is_dictionary(arrow_type) else arrow_type


def _layout(name: str) -> Any:
    if name not in _LAYOUTS:
        raise InputError(f"the layout of a DataFrame must be wide or long, not {name!r}")
    return _LAYOUTS[name]


class FrameSource:
    """A DataFrame as a table to read."""

    def __init__(self, frame: pd.DataFrame):
        self._frame = frame
        self.columns = [str(name) for name in frame.columns]
        if "time" not in self.columns:
            raise InputError(f"no 'time' column; found: {', '.join(self.columns)}")
        require_distinct_columns(self.columns)

    def place(self, row: int) -> str:
        """Return the number of a row, counted from 1."""
        return f"row {row + 1}"

    def categories(self) -> dict[str, tuple[str, ...]]:
        """Return the states declared by categorical columns."""
        return {
            name: tuple(str(label) for label in self._frame.iloc[:, k].cat.categories)
            for k, name in enumerate(self.columns)
            if name not in ("trajectory", "time") and hasattr(self._frame.iloc[:, k], "cat")
        }

    def chunks(self, trajectory: str) -> Iterator[Chunk]:
        """Yield all rows as one chunk."""
        columns = {name: self._frame.iloc[:, k] for k, name in enumerate(self.columns)}
        time = columns.pop("time")
        if time.dtype.kind not in "iufO":
            raise InputError(f"the 'time' column holds {time.dtype}, not numbers")
        try:
            values = time.to_numpy(np.float64, na_value=np.nan)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"the 'time' column holds values other than numbers ({error})") from None
        ids = columns.pop(trajectory, None)
        yield Chunk(
            0,
            None if ids is None else _labels(ids, trajectory),
            values,
            {name: _labels(column, name) for name, column in columns.items()},
        )


def _labels(column: Any, name: str) -> Labels:
    """Return a column as labels; None, NaN, NaT and pandas.NA are missing."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, values = column.cat.codes.to_numpy(), column.cat.categories
    else:
        try:
            codes, values = pd.factorize(column)
        except TypeError as error:
            raise InputError(f"column {name!r} holds values that cannot be labels ({error})") from None
    for value in values:
        if isinstance(value, bytes | bytearray | memoryview):
            raise InputError(f"column {name!r} holds bytes; decode them to text")
    return Labels(np.asarray(codes, np.int32), [str(value) for value in values])
