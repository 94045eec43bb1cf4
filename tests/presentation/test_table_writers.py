"""The Markdown and HTML writers: aligned, escaped, and without other files."""

from __future__ import annotations

import re

from ctbnlab.presentation.table_writers import html_page, html_row, html_table, markdown_table


def test_markdown_columns_are_aligned_and_pipes_escaped():
    assert markdown_table(["a", "long name"], [["x|y", "1"], ["", "2"]]).splitlines() == [
        "| a    | long name |",
        "|------|-----------|",
        "| x\\|y | 1         |",
        "|      | 2         |",
    ]


def test_html_is_escaped_and_self_contained():
    table = html_table("A & B", [html_row(["<a>"], "th")], [[html_row(["1 < 2"])]], ["note <1>"])
    assert "<figcaption>A &amp; B</figcaption>" in table
    assert "<tr><th>&lt;a&gt;</th></tr>" in table
    assert "<tbody>\n<tr><td>1 &lt; 2</td></tr>\n</tbody>" in table
    assert '<p class="notes">note &lt;1&gt;</p>' in table
    page = html_page("Title", [table, table])
    assert page.count("<table>") == 2
    assert "<h1>Title</h1>" in page
    assert not re.search(r"(src|href)=|@import|url\(", page)
