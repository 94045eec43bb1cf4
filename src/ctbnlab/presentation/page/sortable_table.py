"""Tables that a page's script sorts, filters and writes as CSV; without it they are plain tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ctbnlab.presentation.report.markup import Html, element, scrolling


class Cell(NamedTuple):
    """What a cell shows, and the value to sort by and to write: a number or a text."""

    shown: object
    value: float | str | None = None
    mark: str | None = None  # a class

    def html(self, tag: str = "td", **attributes: str | None) -> Html:
        """Return the element."""
        value = self.value
        if isinstance(value, float):
            value = repr(value) if math.isfinite(value) else ("inf" if value > 0 else "")
        numeric = isinstance(self.value, float | int)
        classes = " ".join(filter(None, ("number" if numeric else None, self.mark))) or None
        written = None if value is None else str(value)
        return element(tag, self.shown, data_value=written, class_=classes, **attributes)


def sortable_table(
    id: str,
    head: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    label: str,
    file: str,
    filters: bool = True,
    numeric: Sequence[int] = (),
) -> Html:
    """Return a table with an input that filters its rows, and a link to its content as the CSV file `file`.

    The first cell of a row is its heading; the columns in `numeric` are aligned to the right.
    """
    headings = (
        element("th", title, scope="col", class_="number" if i in numeric else None)
        for i, title in enumerate(head)
    )
    body = (element("tr", row[0].html("th", scope="row"), *(cell.html() for cell in row[1:])) for row in rows)
    table = element(
        "table",
        element("thead", element("tr", *headings)),
        element("tbody", *body),
        class_="plain sortable",
        id=id,
        data_file=file,
    )
    tools = element("div", class_="tools", data_tools_of=id, data_filters="yes" if filters else None)
    return Html(tools + scrolling(table, label))
