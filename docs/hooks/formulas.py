"""Formulas as MathML, which browsers render without scripts or network access.

The pages have them as LaTeX between dollar signs, which GitHub renders too.
"""

from __future__ import annotations

import html
import re
from typing import Any

import latex2mathml.converter

_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def on_page_content(content: str, **_: Any) -> str:
    """Replace the formulas that the Markdown extension has marked."""
    return _FORMULA.sub(_as_mathml, content)


def _as_mathml(match: re.Match[str]) -> str:
    display = "block" if match[2] == "[" else "inline"
    # The converter leaves no space between the name of a function and its argument.
    latex = re.sub(r"\\ln(?=\s*[^\s({])", r"\\ln\\,", html.unescape(match[3]).strip())
    return latex2mathml.converter.convert(latex, display=display)
