"""The table of what the paper claims and whether it holds here, as CSV, Markdown, LaTeX and HTML."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence

from ctbnlab.evaluation.claims import Claim
from ctbnlab.presentation.paper_table_formats import latex_text
from ctbnlab.presentation.table_writers import html_page, html_row, html_table, markdown_table, markdown_text

TITLE = "What the paper claims, and whether it holds here"
HEAD = ("Claim", "In the paper", "Here", "Verdict", "Behind it")
NOTES = (
    "Cells of the paper's design, averaged as in the paper's tables.",
    "A claim holds if at most 1 cell in 20 contradicts it, mostly holds if at most 1 in 4 does.",
)


def rows(claims: Sequence[Claim]) -> list[list[str]]:
    """Return the cells of the table."""
    return [[claim.claim, claim.place, claim.here, claim.verdict, _behind(claim)] for claim in claims]


def _behind(claim: Claim) -> str:
    return f"cells.csv: {claim.metric} of {', '.join(claim.learners)}"


def to_csv(claims: Sequence[Claim]) -> str:
    """Return the table as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([HEAD, *rows(claims)])
    return out.getvalue()


def to_markdown(claims: Sequence[Claim]) -> str:
    """Return the table as Markdown."""
    body = [[markdown_text(cell) for cell in row] for row in rows(claims)]
    notes = "\n".join(f"{note}  " for note in NOTES)
    return f"## {TITLE}\n\n{markdown_table(HEAD, body)}\n\n{notes.rstrip()}\n"


def to_latex(claims: Sequence[Claim]) -> str:
    """Return the table as a LaTeX float; it needs the package booktabs."""
    widths = (0.24, 0.14, 0.31, 0.1, 0.13)
    bold = [rf"\textbf{{{name}}}" for name in HEAD]
    columns = "".join(rf"p{{{width}\linewidth}}" for width in widths)
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}[htbp]",
        r"  \centering\footnotesize\raggedright",
        rf"  \caption{{{latex_text(TITLE)}.}}",
        rf"  \begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"    \toprule",
        rf"    {' & '.join(bold)} \\",
        r"    \midrule",
        *(f"    {' & '.join(map(latex_text, row))} \\\\" for row in rows(claims)),
        r"    \bottomrule",
        r"  \end{tabular}",
        *(rf"  \par\smallskip {latex_text(note)}" for note in NOTES),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def html_figure(claims: Sequence[Claim]) -> str:
    """Return the table as an HTML element for `html_page`."""
    body = [html_row(row) for row in rows(claims)]
    return html_table(TITLE, [html_row(HEAD, "th")], [body], NOTES, css_class="text prose")


def to_html(claims: Sequence[Claim]) -> str:
    """Return the table as a self-contained page."""
    return html_page(TITLE, [html_figure(claims)])


FORMATS: dict[str, Callable[[Sequence[Claim]], str]] = {
    "csv": to_csv,
    "md": to_markdown,
    "tex": to_latex,
    "html": to_html,
}
