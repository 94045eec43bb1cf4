"""The Markdown and HTML writers: aligned, escaped, and without other files."""

from __future__ import annotations

import re

import pytest

from ctbnlab.presentation.arc_table import effect_text, guarded
from ctbnlab.presentation.table_writers import html_page, html_row, html_table, markdown_table, markdown_text


@pytest.mark.parametrize(
    ("ratio", "low", "high", "shown"),
    [
        (2.1234, 1.8, 2.5, "rates ×2.12 (1.8–2.5)"),
        (1560.3, 728.4, 13449, "rates ×1,560 (728–13,400)"),
        (1.0, 0.001234, 4.5e7, "rates ×1 (0.00123–4.5e+07)"),
        ("inf", 1.0, "nan", "rates ×inf (1–nan)"),
    ],
)
def test_effects_in_words(ratio, low, high, shown):
    assert effect_text({"effect": {"rate_ratio": ratio, "low": low, "high": high}}) == shown
    assert effect_text({}) == ""


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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain name, X_1", "plain name, X_1"),
        ("a|b\\c", r"a\|b\\c"),
        ("*bold* _x_ `code`", r"\*bold\* \_x\_ \`code\`"),
        ("<b>&amp;[link](url)", r"\<b\>\&amp;\[link\](url)"),
        ("http://x.y www.x.y a@b.c", r"http:\//x.y www\.x.y a\@b.c"),
        ("two\nlines\x1b", "two\\\\nlines\\\\x1b"),
    ],
)
def test_markdown_shows_a_name_as_text(text, shown):
    assert markdown_text(text) == shown


def test_escaped_bars_are_not_escaped_twice():
    assert markdown_table(["a"], [[markdown_text("x|y")], ["x|y"]]).count(r"x\|y") == 2
    assert r"\\|" not in markdown_table(["a"], [[markdown_text("x|y")]])


def test_formulas_are_guarded_and_numbers_stay_numbers():
    texts = ["=1+1", "+A1", "-A1", "@x", "\tx", "\rx"]
    assert [guarded(text) for text in texts] == [f"'{text}" for text in texts]
    plain = ["x", "a=b", "", -1.5, 7, True, "-inf", "nan"]
    assert [guarded(value) for value in plain] == plain
