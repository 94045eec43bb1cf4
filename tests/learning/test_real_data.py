"""Data that break the paper's assumptions: few false arcs, and the true ones found, on seeds used only here.

The data and methods are those of benchmarks/real_data.py, which measures the same on more networks.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study():
    """Return the benchmark's module with another seed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        module = import_module("real_data")
        patch.setattr(module, "seed", 90_417)
        yield module
    for name in ("real_data", "measuring"):
        sys.modules.pop(name, None)


def counts(study, cases, *methods):
    """Return the rows of some methods on the same data."""
    return list(study.rows("test", "case", cases, *methods))


@pytest.mark.parametrize("shape", [0.5, 0.7, 1.5, 3.0])
def test_a_clock_of_time_since_entry_removes_the_false_arcs_of_weibull_onsets(study, shape):
    null = (study.onsets(shape, 1.0, 2000, k) for k in range(10))
    without, entry, auto = counts(study, null, study.NO_CLOCK, study.entry(), study.AUTO)
    assert without["false_per_node"] > 2
    assert entry["false_per_node"] <= 0.05 and auto["false_per_node"] <= 0.05
    assert auto["with_clock"] == 10
    effect = (study.onsets(shape, 1.5, 2000, k) for k in range(10))
    entry, auto = counts(study, effect, study.entry(), study.AUTO)
    assert entry["found"] >= 9 and auto["found"] >= 9
    assert entry["false_per_node"] <= 0.05


def test_exponential_onsets_lose_nothing_by_a_clock_and_auto_takes_none(study):
    for ratio in (1.0, 1.5):
        cases = (study.onsets(1.0, ratio, 2000, k) for k in range(10))
        without, entry, auto = counts(study, cases, study.NO_CLOCK, study.entry(), study.AUTO)
        assert entry["lost"] == auto["lost"] == 0
        assert max(row["false_per_node"] for row in (without, entry, auto)) <= 0.05
        assert auto["with_clock"] == 0


def test_more_people_need_more_periods_and_get_them(study):
    cases = (study.onsets(3.0, 1.0, 20_000, k) for k in range(3))
    by_default, eight = counts(study, cases, study.entry(), study.entry(8))
    assert eight["false_per_node"] > 0.5 and by_default["false_per_node"] <= 0.05


def test_own_clocks_remove_the_false_arcs_of_gamma_waiting_times(study):
    without = with_clock = lost = found = 0.0
    for shape in (2, 5):
        cases = (study.semi_markov(shape, k) for k in range(4))
        first, second = counts(study, cases, study.NO_CLOCK, study.own())
        without += first["false_per_node"]
        with_clock += second["false_per_node"]
        lost += second["lost"]
        found += first["found"]
    assert without > 0.2 and with_clock <= without / 5
    assert found > 30 and lost == 0


def test_visits_give_no_false_arcs(study):
    together, order = study.Method("together"), study.Method("order", change=study.in_order)
    recurring = (study.recurring(5.0, 0.0, k) for k in range(6))
    (found,) = counts(study, recurring, together)
    assert found["false_per_node"] == 0
    found, in_order = counts(study, (study.visited(k, False) for k in range(6)), together, order)
    assert found["false_per_node"] == 0 and in_order["false_per_node"] > 0.5
    terminal = study.Method("together", {"terminal": ("death",)})
    (found,) = counts(study, (study.visited(k, True) for k in range(6)), terminal)
    assert found["false_per_node"] == 0


def test_gaps_cost_no_more_than_the_time_that_is_hidden(study):
    gaps = study.Method("gaps", change=lambda data: study.hide(data, 0.3, 5.0, seed=data.n_events))
    cases = (study.complete(0.25, k) for k in range(6))
    matching, hidden = counts(study, cases, study.first_share(0.34), gaps)
    assert hidden["false_per_node"] == 0 and matching["true"] > 60
    assert hidden["found"] >= matching["found"] - 1
