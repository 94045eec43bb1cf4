"""The table of the paper's claims: the same cells in every format, escaped."""

from __future__ import annotations

import csv
import html
import io
import re

from ctbnlab.evaluation.claims import Claim
from ctbnlab.presentation import claims_table
from ctbnlab.presentation.overview import two_digits

CLAIMS = [
    Claim(
        "A is best | always",
        "abstract",
        "F1 of χ² higher in 3 of 4 cells",
        "mostly holds",
        "f1",
        ("a_b", "<c>"),
    ),
    Claim("50% & more", "figure 2", "no", "does not hold", "bic", ("a",)),
]
ROWS = claims_table.rows(CLAIMS)


def test_csv_reads_back():
    read = list(csv.reader(io.StringIO(claims_table.to_csv(CLAIMS))))
    assert read == [list(claims_table.HEAD), *ROWS]
    assert ROWS[0][-1] == "cells.csv: f1 of a_b, <c>"


def test_markdown_has_a_row_per_claim():
    lines = [line for line in claims_table.to_markdown(CLAIMS).splitlines() if line.startswith("|")]
    assert len(lines) == 4
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", lines[2])[1:-1]]
    assert [re.sub(r"\\(.)", r"\1", cell) for cell in cells] == ROWS[0]


def test_html_is_escaped_and_self_contained():
    text = claims_table.to_html(CLAIMS)
    cells = re.findall(r"<td>(.*?)</td>", text)
    assert [html.unescape(cell) for cell in cells] == [cell for row in ROWS for cell in row]
    assert "<c>" not in text
    assert not re.search(r"(src|href)=|@import|url\(", text)


def test_latex_is_balanced_and_escaped():
    text = claims_table.to_latex(CLAIMS)
    assert text.count("{") == text.count("}")
    assert r"50\% \& more & figure 2" in text
    rows = [line for line in text.splitlines() if line.endswith(r" \\")]
    assert [len(re.findall(r"(?<!\\)&", line)) for line in rows] == [4, 4, 4]


def test_ratios_have_two_digits():
    assert [two_digits(value) for value in (150_802, 4_718, 99.7, 0.0123)] == [
        "150,000",
        "4,700",
        "100",
        "0.012",
    ]
