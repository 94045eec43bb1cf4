"""An answer: a table with one value per row, and how it was found."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from ctbnlab.io.files import is_stream, replacing, require_writable
from ctbnlab.io.shown import counted, short_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

FORMAT = "ctbnlab.answer"
VERSION = 1
ENDINGS = (".csv", ".json")


@dataclass(frozen=True, repr=False)
class Answer:
    """A table in columns. `value` names the column of answers; `about` says how they were found.

    `about["engine"]` is "exact", with a bound on the `error` and the number of `joint_states`, or
    "simulation", with the number of `samples`; the table then has a column `standard_error`. With a posterior
    of the rates there are columns `low` and `high`, with a comparison `without` and `difference`.
    """

    question: str
    value: str
    columns: Mapping[str, Sequence[Any]]
    about: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.columns[self.value])

    @property
    def values(self) -> list[float]:
        """The column of answers."""
        return list(self.columns[self.value])

    def rows(self) -> list[dict[str, Any]]:
        """Return the table as a list of rows."""
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]

    def select(self, **where: Any) -> list[float]:
        """Return the answers of the rows in which the named columns have these values."""
        return [
            row[self.value]
            for row in self.rows()
            if all(row[name] == wanted for name, wanted in where.items())
        ]

    def with_columns(self, added: Mapping[str, Sequence[Any]], about: Mapping[str, Any]) -> Answer:
        """Return the answer with more columns and facts."""
        return Answer(self.question, self.value, {**self.columns, **added}, {**self.about, **about})

    def to_dataframe(self) -> pd.DataFrame:
        """Return the table as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame({name: list(column) for name, column in self.columns.items()})

    to_pandas = to_dataframe

    def plot(self, kind: str = "curves") -> Figure:
        """Draw the answer, as `ctbnlab.plot_answer(answer)` does, and return the figure."""
        from ctbnlab.presentation.answer_plot import plot_answer

        return plot_answer(self, kind=kind)

    def to_csv(self) -> str:
        """Return the table as CSV."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(zip(*self.columns.values(), strict=True))
        return text.getvalue()

    def to_json(self) -> str:
        """Return the table and how it was found as JSON; infinite numbers are null."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "question": self.question,
            "value": self.value,
            "about": dict(self.about),
            "rows": [{name: _finite(value) for name, value in row.items()} for row in self.rows()],
        }
        return json_text.dumps(content)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a .csv or .json file."""
        ending = checked_ending(path)
        with replacing(path) as temporary:
            temporary.write_text(self.to_json() if ending == ".json" else self.to_csv(), encoding="utf-8")

    def __repr__(self) -> str:
        parts = [self.question, counted(len(self), "row"), self.about.get("engine")]
        return f"<Answer: {', '.join(filter(None, parts))}>"

    def _repr_html_(self) -> str | None:
        return short_table(self.to_dataframe, repr(self))


def checked_ending(path: str | os.PathLike[str]) -> str:
    """Return the extension that names the format; streams get CSV."""
    ending = Path(path).suffix.lower()
    if ending in ENDINGS:
        return ending
    if is_stream(require_writable(path)):
        return ".csv"
    raise InputError("unknown extension: use .csv or .json", path=path)


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
