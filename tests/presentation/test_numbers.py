"""Numbers on the terminal: no `-0`, no bound of 0, and never more than four digits off."""

from __future__ import annotations

import math
import re

from hypothesis import example, given, strategies as st

from ctbnlab.presentation.arc_table import effect_text, strength
from ctbnlab.presentation.terminal import below, number, significant

FINITE = st.floats(-1e300, 1e300)


def value_of(text):
    return float(text.replace(",", ""))


@given(FINITE)
@example(-0.0)
@example(9999.7)
@example(-9999.96)
@example(5e-324)
def test_numbers_are_short_close_and_without_the_sign_of_zero(value):
    text = number(value)
    assert not re.fullmatch(r"[-−]0(\.0*)?", text)
    assert math.isclose(value_of(text), value, rel_tol=1e-3)
    assert "e" not in text or not 0.001 <= abs(value) < 1e15
    assert significant(value, 6) != "-0" and math.isclose(
        value_of(significant(value, 6)), value, rel_tol=1e-5
    )


@given(st.floats(0, 1), st.none() | st.floats(0, 1))
@example(0.0, 0.0)
@example(-0.0, None)
@example(5e-324, 1.0)
def test_no_p_value_is_0(p, q):
    row = {"why": "dependent", "p_value": p, **({} if q is None else {"q_value": q})}
    text = strength(row)
    for bound in re.findall(r"[≤<] (\S+?)(?:,|$)", text):
        assert float(bound) > 0
    assert text.count("≤") + text.count("<") == 1 + (q is not None)
    assert below("p", 0.0) == "p < 1e-300"


@given(FINITE)
@example(-0.0)
def test_no_gain_is_minus_0(gain):
    assert strength({"why": "x", "gain": gain}) != "score gain -0"


@given(st.lists(st.floats(1e-300, 1e300), min_size=3, max_size=3))
def test_effects_have_three_numbers(values):
    ratio, low, high = values
    text = effect_text({"effect": {"rate_ratio": ratio, "low": low, "high": high}})
    assert text.startswith("rates ×") and not re.search(r"[×(–]-?0(\.0*)?[ –)]", text)
