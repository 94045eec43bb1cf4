"""The one writer of Markdown tables and the one writer of HTML tables and pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from ctbnlab.errors import printable

# A bar that is not escaped yet.
_BAR = re.compile(r"(?<!\\)\|")
# Characters that Markdown, with the tables of GitHub, could take for markup.
# An underscore within a word is none, and a link needs its `://`, `www.` or `@`.
_MARKUP = re.compile(r"[\\`*{}\[\]<>|~$#&!@]|(?<!\w)_|_(?!\w)|(?<=:)//|(?<=www)\.", re.IGNORECASE)


def markdown_text(text: str) -> str:
    """Return a text, such as a name, so that Markdown shows it as it is, on one line."""
    return _MARKUP.sub(lambda found: "\\" + found[0], printable(text))


def markdown_table(head: Sequence[str], body: Iterable[Sequence[str]], *, padded: bool = True) -> str:
    """Return a Markdown table, by default padded so that it also reads well as plain text.

    Cells are Markdown; text of others goes through `markdown_text` first.
    """
    rows = [[_BAR.sub(r"\|", cell) for cell in row] for row in (head, *body)]
    widths = [max(3, *(len(row[i]) for row in rows)) if padded else 1 for i in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


# Half-transparent greys are readable on a light and on a dark background.
STYLE = """\
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 78em; padding: 0 1em; }
figure { margin: 0 0 2.5em; overflow-x: auto; }
figcaption { font-weight: 600; margin-bottom: .5em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2em .7em; text-align: center; white-space: nowrap; }
thead th { border-bottom: 1px solid #8888; font-weight: 600; }
thead tr:first-child th { border-top: 2px solid #888; }
tbody { border-bottom: 1px solid #8888; }
tbody:last-of-type { border-bottom: 2px solid #888; }
tbody th { text-align: right; }
tbody th.group { text-align: left; padding-top: .6em; }
.source, .published td { font-weight: 400; opacity: .7; font-style: italic; }
.differs { background: #e69f0040; }
.text th, .text td { text-align: left; }
.prose td { white-space: normal; vertical-align: top; min-width: 7em; max-width: 26em; }
small { display: block; }
.notes { font-size: .87em; opacity: .85; }"""


def html_table(
    caption: str,
    head: Iterable[str],
    groups: Iterable[Iterable[str]],
    notes: Sequence[str] = (),
    *,
    css_class: str = "",
) -> str:
    """Return a table with a caption and notes; `head` and each of `groups` are `<tr>` elements."""
    attribute = f' class="{css_class}"' if css_class else ""
    lines = ["<figure>", f"<figcaption>{escape(caption)}</figcaption>", f"<table{attribute}>"]
    lines += ["<thead>", *head, "</thead>"]
    for rows in groups:
        lines += ["<tbody>", *rows, "</tbody>"]
    lines.append("</table>")
    if notes:
        lines.append(f'<p class="notes">{"<br>".join(map(escape, notes))}</p>')
    return "\n".join([*lines, "</figure>"])


def html_row(cells: Iterable[str], tag: str = "td") -> str:
    """Return a plain row of text cells."""
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def html_page(title: str, tables: Sequence[str]) -> str:
    """Return a page with tables made by `html_table`; it needs no other file."""
    heading = f"<h1>{escape(title)}</h1>\n" if len(tables) > 1 else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n{heading}"
        + "\n".join(tables)
        + "\n</body>\n</html>\n"
    )
