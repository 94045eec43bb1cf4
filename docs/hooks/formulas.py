"""Formulas as MathML, made at every build: browsers draw it without a script or a network.

In the pages formulas are LaTeX between dollars, which forges such as GitHub draw as well.
"""

from __future__ import annotations

import html
import re
from typing import Any

import latex2mathml.converter

_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def on_page_content(content: str, **_: Any) -> str:
    """Replace what the Markdown extension has marked as formulas."""
    return _FORMULA.sub(_as_mathml, content)


def _as_mathml(match: re.Match[str]) -> str:
    display = "block" if match[2] == "[" else "inline"
    # MathML as the converter writes it has no space between a function's name and what it is taken of.
    latex = re.sub(r"\\ln(?=\s*[^\s({])", r"\\ln\\,", html.unescape(match[3]).strip())
    return latex2mathml.converter.convert(latex, display=display)
