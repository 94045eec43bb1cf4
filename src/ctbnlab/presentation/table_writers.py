"""A table as CSV, Markdown, LaTeX and HTML; each stands alone with its footnotes."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctbnlab.presentation.paper_tables import Entry, Row, Table


def to_csv(table: Table) -> str:
    """Return the table as CSV: what is shown, not the numbers (those are in cells.csv)."""
    names = [
        ", ".join(f"{h.lower()} {v}" for h, v in zip(table.headings, c, strict=True)) for c in table.columns
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["variables", "nodes", "source", *names])
    for title, rows in table.groups:
        for row in rows:
            writer.writerow([title, row.nodes, row.source, *(entry.plain for entry in row.entries)])
    return out.getvalue()


def to_markdown(table: Table) -> str:
    """Return the table as Markdown, one part for each number of states."""
    lines = [f"## {table.title}", ""]
    values = [" / ".join(column) for column in table.columns]
    head = [" / ".join(table.headings), *([""] if table.has_published else []), *values]
    for title, rows in table.groups:
        body = [_first_columns(table, row) + [entry.plain for entry in row.entries] for row in rows]
        lines += [f"### {title}", "", *markdown_rows(head, body), ""]
    return "\n".join([*lines, *(f"{note}  " for note in table.notes)]).rstrip() + "\n"


def _first_columns(table: Table, row: Row) -> list[str]:
    """Return what stands left of the entries: the nodes (once for ours and published), and whose line."""
    nodes = "" if row.source == "published" else f"{row.nodes} nodes"
    return [nodes, row.source] if table.has_published else [nodes]


def markdown_rows(head: Sequence[str], body: Iterable[Sequence[str]]) -> list[str]:
    """Return a Markdown table with columns padded, so that it reads well as text too."""
    rows = [[cell.replace("|", "\\|") for cell in row] for row in (head, *body)]
    widths = [max(3, *(len(row[i]) for row in rows)) for i in range(len(head))]
    padded = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return [padded[0], rule, *padded[1:]]


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "†": r"$^{\dag}$",
    "§": r"$^{\S}$", "–": "--", "−": "$-$", "χ": r"$\chi$", "²": "$^2$", "Δ": r"$\Delta$", "α": r"$\alpha$",
}  # fmt: skip


def latex_text(text: str) -> str:
    """Return text with what LaTeX would take amiss escaped."""
    return "".join(_LATEX.get(character, character) for character in text)


def to_latex(table: Table) -> str:
    """Return the table as a LaTeX float; it needs the package booktabs."""
    width = len(table.columns)
    left = 2 if table.has_published else 1
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}[htbp]",
        r"  \centering\footnotesize\setlength{\tabcolsep}{3.5pt}",
        rf"  \caption{{{latex_text(table.title)}.}}",
        rf"  \begin{{tabular}}{{@{{}}{'rl'[:left]}{'c' * width}@{{}}}}",
        r"    \toprule",
    ]
    for level, heading in enumerate(table.headings):
        parts = (
            [rf"\textbf{{{heading}}}"] if left == 1 else [rf"\multicolumn{{2}}{{l}}{{\textbf{{{heading}}}}}"]
        )
        for value, span in _spans(table.columns, level):
            parts.append(value if span == 1 else rf"\multicolumn{{{span}}}{{c}}{{{value}}}")
        lines.append(f"    {' & '.join(parts)} \\\\")
    for title, rows in table.groups:
        lines += [
            r"    \midrule",
            rf"    \multicolumn{{{left + width}}}{{@{{}}l}}{{\textbf{{{latex_text(title)}}}}} \\",
        ]
        for row in rows:
            shown = _first_columns(table, row) + [_latex_entry(entry) for entry in row.entries]
            if row.source == "published":
                shown[1:] = [rf"\textit{{{cell}}}" for cell in shown[1:]]
            lines.append(f"    {' & '.join(shown)} \\\\")
    lines += [r"    \bottomrule", r"  \end{tabular}"]
    lines += [rf"  \par\smallskip {latex_text(note)}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _latex_entry(entry: Entry) -> str:
    """Return an entry with its remark on a line below, where it does not widen the column."""
    text = latex_text(entry.text + entry.marks)
    if not entry.remark:
        return text
    return rf"\shortstack{{{text} \\ \scriptsize {latex_text(entry.remark)}}}"


def _spans(columns: Sequence[Sequence[str]], level: int) -> list[tuple[str, int]]:
    """Return the values of one level of headings, each with how many columns it stands over."""
    runs = groupby(columns, key=lambda column: tuple(column[: level + 1]))
    return [(prefix[level], len(list(run))) for prefix, run in runs]


# Greys half-transparent over whatever background there is: readable on light and on dark.
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
small { display: block; }
.notes { font-size: .87em; opacity: .85; }"""


def to_html(table: Table) -> str:
    """Return the table as a page of its own."""
    return html_page([table], table.title)


def html_page(tables: Sequence[Table], title: str) -> str:
    """Return several tables as one page that needs nothing else."""
    heading = f"<h1>{html.escape(title)}</h1>\n" if len(tables) > 1 else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n{heading}"
        + "\n".join(_html_figure(table) for table in tables)
        + "\n</body>\n</html>\n"
    )


def _html_figure(table: Table) -> str:
    left = 2 if table.has_published else 1
    lines = ["<figure>", f"<figcaption>{html.escape(table.title)}</figcaption>", "<table>", "<thead>"]
    for level, heading in enumerate(table.headings):
        spans = "".join(f'<th colspan="{span}">{value}</th>' for value, span in _spans(table.columns, level))
        lines.append(f'<tr><th colspan="{left}">{heading}</th>{spans}</tr>')
    lines.append("</thead>")
    for title, rows in table.groups:
        group = f'<tr><th class="group" colspan="{left + len(table.columns)}">{html.escape(title)}</th></tr>'
        lines += ["<tbody>", group, *(_html_row(table, row) for row in rows), "</tbody>"]
    notes = "<br>".join(html.escape(note) for note in table.notes)
    return "\n".join([*lines, "</table>", f'<p class="notes">{notes}</p>', "</figure>"])


def _html_row(table: Table, row: Row) -> str:
    first = _first_columns(table, row)
    cells = f"<th>{first[0]}</th>" + "".join(f'<td class="source">{text}</td>' for text in first[1:])
    return f'<tr class="{row.source}">{cells}{"".join(map(_html_entry, row.entries))}</tr>'


def _html_entry(entry: Entry) -> str:
    marks = f"<sup>{entry.marks}</sup>" if entry.marks else ""
    remark = f"<small>{html.escape(entry.remark)}</small>" if entry.remark else ""
    kind = ' class="differs"' if "†" in entry.marks else ""
    return f"<td{kind}>{html.escape(entry.text)}{marks}{remark}</td>"


FORMATS: dict[str, Callable[[Table], str]] = {
    "csv": to_csv,
    "md": to_markdown,
    "tex": to_latex,
    "html": to_html,
}
