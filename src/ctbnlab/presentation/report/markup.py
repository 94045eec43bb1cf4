"""HTML that is escaped by construction: whatever is not `Html` already is text, and shown as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from ctbnlab.errors import printable

_VOID = ("br", "img", "meta", "link", "input")
_SHORT = 24  # characters of a cell that stays on one line


class Html(str):
    """Markup that may stand on a page; any other text is escaped before it gets there."""

    __slots__ = ()


def text(content: object) -> Html:
    """Return any text as markup that shows it; control characters are shown as escapes."""
    return content if isinstance(content, Html) else Html(escape(printable(str(content))))


def joined(parts: Iterable[object], separator: str = "") -> Html:
    """Return several pieces, text or markup, as one; the separator is text."""
    return Html(text(separator).join(text(part) for part in parts))


def element(tag: str, *children: object, **attributes: str | None) -> Html:
    """Return an element; `class_` is the attribute class, and `aria_label` is aria-label.

    An attribute that is None is left out.
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{text(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag in _VOID:
        return Html(f"<{tag}{written}>")
    return Html(f"<{tag}{written}>{joined(children)}</{tag}>")


def name(label: object) -> Html:
    """Return a name from the data or the config, isolated so that a right-to-left one moves nothing else."""
    return element("bdi", label)


def paragraph(*children: object, class_: str | None = None) -> Html:
    """Return a paragraph."""
    return element("p", *children, class_=class_)


def code_block(content: str) -> Html:
    """Return text in lines, such as commands or JSON, as it was written."""
    lines = Html("\n").join(text(line) for line in content.splitlines())
    return element("pre", element("code", Html(lines)), tabindex="0")


def folded(title: object, *children: object, unfolded: bool = False) -> Html:
    """Return content under a title that shows and hides it; it is hidden at first unless `unfolded`."""
    shown = Html("<details open>" if unfolded else "<details>")
    return Html(f"{shown}{element('summary', title)}{joined(children)}</details>")


def plain_table(
    head: Sequence[object], body: Iterable[Sequence[object]], *, label: str, numeric: Sequence[int] = ()
) -> Html:
    """Return a table with one row of headings; `label` names it for readers who cannot see it.

    The first cell of a row is its heading. Columns in `numeric` are aligned to the right.
    """
    headings = (
        element("th", cell, scope="col", class_="number" if i in numeric else None)
        for i, cell in enumerate(head)
    )
    rows = (
        element(
            "tr",
            element("th", row[0], scope="row", class_=_kind(row[0])),
            *(element("td", cell, class_=_kind(cell, i in numeric)) for i, cell in enumerate(row[1:], 1)),
        )
        for row in body
    )
    table = element(
        "table", element("thead", element("tr", *headings)), element("tbody", *rows), class_="plain"
    )
    return scrolling(table, label)


def _kind(cell: object, numeric: bool = False) -> str | None:
    """Return the class of a cell: numbers, and text that is short enough for one line."""
    if numeric:
        return "number"
    return "short" if len(re.sub("<[^>]*>", "", text(cell))) <= _SHORT else None


def facts_table(rows: Iterable[tuple[object, object]], *, label: str) -> Html:
    """Return a table of two columns without headings: what is known, and its value."""
    body = (element("tr", element("th", what, scope="row"), element("td", value)) for what, value in rows)
    return scrolling(element("table", element("tbody", *body), class_="plain facts"), label)


def scrolling(content: Html, label: str) -> Html:
    """Return content that scrolls sideways on its own if it is wider than the page, by keyboard too."""
    return element("div", content, class_="wide", role="region", aria_label=label, tabindex="0")


def number_tiles(tiles: Mapping[str, str]) -> Html:
    """Return a few numbers with what they count, in large print."""
    return element(
        "dl",
        *(element("div", element("dt", what), element("dd", number)) for what, number in tiles.items()),
        class_="tiles",
    )


def anchor(title: str) -> str:
    """Return the id of a section from its title."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "section"
