"""Trajectories from DataFrames of any layout, and to pandas DataFrames of the wide or long layout.

Labels of other types are converted to strings; a categorical column declares its states. Errors name rows
by number, counted from 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ctbnlab.data.formats.arrow_table import from_frame
from ctbnlab.data.formats.asking import Asked
from ctbnlab.data.formats.assemble import InMemory
from ctbnlab.data.formats.cell_values import BadValue, Values, first_value, is_date, numbers as as_numbers
from ctbnlab.data.formats.detect import layout_of, requested_kind
from ctbnlab.data.formats.labels import Labels
from ctbnlab.data.formats.layouts import long, wide
from ctbnlab.data.formats.request import Options, Report, States, declared_states
from ctbnlab.data.formats.source import (
    SAMPLE_ROWS,
    Chunk,
    Declared,
    Source,
    read_table,
    require_distinct_columns,
)
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

_VALUES = Values()
_LAYOUTS = {"wide": wide, "long": long}


def from_dataframe(frame: Any, *, states: States = None, **asked: Unpack[Asked]) -> Trajectories:
    """Return the trajectories in a DataFrame: `ctbnlab.read(frame, …)` by another name."""
    from ctbnlab.data.formats.reading import read

    return read(frame, states=states, **asked)


def load_frame(
    frame: Any, format: str | None, states: States, options: Options
) -> tuple[Trajectories, Report]:
    """Read a DataFrame; the layout is detected from its columns if not given."""
    from ctbnlab.data.formats.reading import layout_reader, wanted_format

    layout = wanted_format(format, options.layout)
    if layout in ("csv", "parquet", "arrow", "pyctbn"):
        raise InputError(f"a DataFrame has no format {layout!r}; name its layout, such as wide or long")
    requested_kind(layout)
    source = frame_source(frame)
    sink = InMemory()
    read = layout_reader(layout or layout_of(source.columns, options))
    report = read_table(source, read, sink, declared_states(states), options)
    return sink.result, report


def frame_source(frame: Any) -> Source:
    """Return a DataFrame of pandas, or of any library that speaks Arrow, as a table to read."""
    if hasattr(frame, "iloc"):
        return FrameSource(frame)
    if isinstance(frame, pa.Table) or hasattr(frame, "__arrow_c_stream__"):
        return from_frame(frame)
    raise InputError(f"expected a DataFrame or the path of a file, not {type(frame).__name__}")


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
    """A pandas DataFrame as a table to read; a categorical column declares its states."""

    def __init__(self, frame: pd.DataFrame):
        self._frame = frame
        self.columns = [str(name) for name in frame.columns]
        require_distinct_columns(self.columns)
        self._columns = {name: frame.iloc[:, k] for k, name in enumerate(self.columns)}
        self.labelled = frozenset(name for name in self.columns if hasattr(self._columns[name], "cat"))

    def place(self, row: int) -> str:
        """Return the number of a row, counted from 1."""
        return f"row {row + 1}"

    def declared(self) -> Declared:
        """Return the states declared by categorical columns."""
        return {
            name: tuple(str(label) for label in self._columns[name].cat.categories)
            for name in self.columns
            if name in self.labelled and not set(self.columns) >= {"variable", "state"}
        }

    def sample(self, rows: int = SAMPLE_ROWS) -> dict[str, Labels]:
        """Return the first rows of every column as labels."""
        return {name: _labels(column.iloc[:rows], name) for name, column in self._columns.items()}

    def chunks(
        self, numbers: Sequence[str], labels: Sequence[str], values: Values = _VALUES
    ) -> Iterator[Chunk]:
        """Yield all rows as one chunk."""
        yield Chunk(
            np.arange(len(self._frame)),
            {name: self._numbers(name, values) for name in numbers},
            {name: _labels(self._columns[name], name) for name in labels},
        )

    def _numbers(self, name: str, values: Values) -> NDArray[np.float64]:
        column = self._columns[name]
        if column.dtype.kind in "iuf":
            result: NDArray[np.float64] = column.to_numpy(np.float64, na_value=np.nan)
            return result
        first = first_value(_labels(column.dropna().iloc[:SAMPLE_ROWS], name), values)
        date = first is not None and is_date(first)
        try:
            if column.dtype.kind == "O" and not date:
                found: NDArray[np.float64] = column.to_numpy(np.float64, na_value=np.nan)
                return found
            return as_numbers(pa.Array.from_pandas(column), name, values, date)
        except BadValue as bad:
            raise InputError(bad.fault, place=self.place(bad.row)) from None
        except (TypeError, ValueError, OverflowError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"the {name!r} column holds values other than numbers ({error})") from None


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
