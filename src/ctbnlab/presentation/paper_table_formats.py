"""A table in the paper's arrangement as CSV, Markdown, LaTeX and HTML, each with its footnotes."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from ctbnlab.presentation.table_writers import html_page, html_table, markdown_table

if TYPE_CHECKING:
    from ctbnlab.presentation.paper_tables import Entry, Row, Table


def to_csv(table: Table) -> str:
    """Return the table as CSV with the entries as shown; cells.csv has the numbers."""
    names = [
        ", ".join(f"{h.lower()} {v}" for h, v in zip(table.headings, c, strict=True)) for c in table.columns
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["variables", "nodes", "source", *names])
    for title, rows in table.groups:
        for row in rows:
            writer.writerow(
                [title, row.network or row.nodes, row.source, *(entry.plain for entry in row.entries)]
            )
    return out.getvalue()


def to_markdown(table: Table) -> str:
    """Return the table as Markdown, one part for each number of states."""
    lines = [f"## {table.title}", ""]
    values = [" / ".join(column) for column in table.columns]
    head = [" / ".join(table.headings), *([""] if table.has_published else []), *values]
    for title, rows in table.groups:
        body = [_row_labels(table, row) + [entry.plain for entry in row.entries] for row in rows]
        lines += [f"### {title}", "", markdown_table(head, body), ""]
    return "\n".join([*lines, *(f"{note}  " for note in table.notes)]).rstrip() + "\n"


def _row_labels(table: Table, row: Row) -> list[str]:
    """Return the cells left of the entries: the number of nodes (once per pair of rows) and the source."""
    label = "" if row.source == "published" else row.label
    return [label, row.source] if table.has_published else [label]


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "†": r"$^{\dag}$",
    "§": r"$^{\S}$", "–": "--", "−": "$-$", "χ": r"$\chi$", "²": "$^2$", "Δ": r"$\Delta$", "α": r"$\alpha$",
}  # fmt: skip


def latex_text(text: str) -> str:
    """Return text with LaTeX's special characters escaped."""
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
        bold = rf"\textbf{{{heading}}}"
        parts = [bold] if left == 1 else [rf"\multicolumn{{2}}{{l}}{{{bold}}}"]
        for value, span in _spans(table.columns, level):
            parts.append(value if span == 1 else rf"\multicolumn{{{span}}}{{c}}{{{value}}}")
        lines.append(f"    {' & '.join(parts)} \\\\")
    for title, rows in table.groups:
        lines += [
            r"    \midrule",
            rf"    \multicolumn{{{left + width}}}{{@{{}}l}}{{\textbf{{{latex_text(title)}}}}} \\",
        ]
        for row in rows:
            shown = _row_labels(table, row) + [_latex_entry(entry) for entry in row.entries]
            if row.source == "published":
                shown[1:] = [rf"\textit{{{cell}}}" for cell in shown[1:]]
            lines.append(f"    {' & '.join(shown)} \\\\")
    lines += [r"    \bottomrule", r"  \end{tabular}"]
    lines += [rf"  \par\smallskip {latex_text(note)}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _latex_entry(entry: Entry) -> str:
    """Return an entry with its remark on a second line, so that it does not widen the column."""
    text = latex_text(entry.text + entry.marks)
    if not entry.remark:
        return text
    return rf"\shortstack{{{text} \\ \scriptsize {latex_text(entry.remark)}}}"


def _spans(columns: Sequence[Sequence[str]], level: int) -> list[tuple[str, int]]:
    """Return the values at one level of headings, each with the number of columns it spans."""
    runs = groupby(columns, key=lambda column: tuple(column[: level + 1]))
    return [(prefix[level], len(list(run))) for prefix, run in runs]


def to_html(table: Table) -> str:
    """Return the table as a self-contained page."""
    return html_page(table.title, [html_figure(table)])


def html_figure(table: Table) -> str:
    """Return the table as an HTML element for `html_page`."""
    left = 2 if table.has_published else 1
    head = []
    for level, heading in enumerate(table.headings):
        spans = "".join(f'<th colspan="{span}">{value}</th>' for value, span in _spans(table.columns, level))
        head.append(f'<tr><th colspan="{left}">{heading}</th>{spans}</tr>')
    width = left + len(table.columns)
    groups = [
        [
            f'<tr><th class="group" colspan="{width}">{escape(title)}</th></tr>',
            *(_html_row(table, row) for row in rows),
        ]
        for title, rows in table.groups
    ]
    return html_table(table.title, head, groups, table.notes)


def _html_row(table: Table, row: Row) -> str:
    nodes, *source = _row_labels(table, row)
    labels = f"<th>{nodes}</th>" + "".join(f'<td class="source">{text}</td>' for text in source)
    return f'<tr class="{row.source}">{labels}{"".join(map(_html_entry, row.entries))}</tr>'


def _html_entry(entry: Entry) -> str:
    marks = f"<sup>{entry.marks}</sup>" if entry.marks else ""
    remark = f"<small>{escape(entry.remark)}</small>" if entry.remark else ""
    css_class = ' class="differs"' if "†" in entry.marks else ""
    return f"<td{css_class}>{escape(entry.text)}{marks}{remark}</td>"


FORMATS: dict[str, Callable[[Table], str]] = {
    "csv": to_csv,
    "md": to_markdown,
    "tex": to_latex,
    "html": to_html,
}
