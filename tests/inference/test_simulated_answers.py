"""The simulating engine agrees with the exact one within its standard errors, and says when it cannot."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import ctbnlab
from ctbnlab import InputError, Query
from ctbnlab.inference import answering
from tests.support.role_networks import cohort, role_networks


def z_scores(network, ask, **options):
    """Return how many standard errors simulated answers are from exact ones; equal ones count as 0."""
    exact = ask(Query(network, **options))
    simulated = ask(Query(network, engine="simulation", samples=20_000, seed=3, **options))
    assert simulated.about["engine"] == "simulation"
    difference = np.subtract(simulated.values, exact.values)
    error = np.array(simulated.columns["standard_error"])
    assert np.abs(difference[error == 0]).max(initial=0) < 1e-3
    return difference[error > 0] / error[error > 0]


ASKED = {
    "states": lambda q: q.at([0.3, 1.0, 2.0]),
    "joint": lambda q: q.at([0.5], ["Eating", "Concentration"], joint=True),
    "filtering": lambda q: q.at([0.3, 0.8], filtering=True),
    "times and transitions": lambda q: q.expect(0.5, 2.0),
}
SCENARIOS = {
    "start": {"start": {"Eating": "yes", "Hungry": {"no": 0.3, "yes": 0.7}}},
    "held": {"do": ["0.7:Hungry=yes", "0.2..0.9:Barometer=2"]},
    "evidence": {"observe": ["1:JointPain=yes", "0.5..1.5:Drowsy=no", "0.4:Concentration=1"]},
    "soft": {"observe": [(0.6, "FullStomach", {"0": 0.1, "1": 0.6, "2": 0.3})], "do": {"Uptake": "yes"}},
    "change": {"observe": ["0..0.5:Eating=no", "0.5..1:Eating=yes"]},
}


CASES = [
    (asked, options)
    for asked in ASKED
    for options in SCENARIOS
    if asked != "times and transitions" or "observe" not in SCENARIOS[options]
]


@pytest.mark.parametrize(("asked", "options"), CASES)
def test_simulation_is_within_its_error(asked, options):
    z = z_scores(ctbnlab.gallery.get("drug"), ASKED[asked], **SCENARIOS[options])
    assert np.abs(z).max(initial=0) < 4.8
    assert np.sqrt((z**2).mean()) < 1.6


def test_first_passage_and_likelihood_are_within_their_error():
    network = ctbnlab.gallery.get("drug")
    goals = ["Drowsy=yes,JointPain=no", "Concentration=2"]
    ask = lambda q: q.until(goals, times=[0.5, 1.0, 3.0], quantiles=[])  # noqa: E731
    exact = ask(Query(network))
    simulated = ask(Query(network, engine="simulation", samples=20_000))
    known = [v for v, k in zip(exact.values, exact.columns["quantity"], strict=True) if k == "reached by"]
    z = np.subtract(simulated.values, known) / np.maximum(simulated.columns["standard_error"], 1e-9)
    assert np.abs(z).max() < 4.5
    z = z_scores(network, lambda q: q.likelihood(), observe=SCENARIOS["evidence"]["observe"])
    assert np.abs(z).max() < 4.5


@settings(max_examples=40, deadline=None)
@given(role_networks(max_variables=4))
def test_roles_are_honoured_alike_by_both_engines(network):
    z = z_scores(network, lambda q: q.at([0.4, 1.2]))
    assert np.abs(z).max(initial=0) < 5.5


def test_clocks_change_rates_and_terminal_events_end_trajectories():
    network = cohort()
    answer = Query(network).at([0.5, 2.0, 4.0])
    data = ctbnlab.simulate(network, trajectories=40_000, duration=4.0, seed=1)
    for t in (0.5, 2.0, 4.0):
        for name in ("E", "D", "T"):
            i = network.index(name)
            happened = (data.variable == i) & (data.time <= t)
            (p,) = answer.select(time=t, variable=name, state="yes")
            assert happened.sum() / 40_000 == pytest.approx(p, abs=4.5 * np.sqrt(0.25 / 40_000))
    # One-way event at rate 0.5 until 1, competing with the end at rate 0.3.
    (p,) = answer.select(time=0.5, variable="E", state="yes")
    assert p == pytest.approx(0.5 / 0.8 * -np.expm1(-0.8 * 0.5), abs=1e-9)
    ever = Query(network).until(["E=yes", "T=yes"]).select(quantity="ever reached")
    assert sum(ever) == pytest.approx(1)


def test_the_engine_is_chosen_by_size(monkeypatch):
    network = ctbnlab.generate(10, states=2, density=0.1, seed=1)
    assert Query(network).at(0.5).about["engine"] == "exact"
    monkeypatch.setattr(answering, "MAX_EXACT", 2**4)
    monkeypatch.setattr(answering, "DENSE_STATES", 2**4)
    mixed = Query(network, samples=500).at(0.5)
    assert mixed.about["engine"] in ("simulation", "exact and simulation")
    assert "standard_error" in mixed.columns
    monkeypatch.setattr(answering, "MAX_ASKED", 2**4)
    with pytest.raises(InputError, match="follows at most 16"):
        Query(network, engine="exact").at(0.5)
    with pytest.raises(InputError, match="needs times"):
        Query(network).until("X01=1,X05=1,X07=0,X09=1,X10=1")


def test_a_few_ancestors_in_a_large_network_are_exact():
    chain = ctbnlab.gallery.get("chain", nodes=200)
    name = chain.names[3]
    answer = Query(chain).at(1.0, [name])
    assert answer.about["engine"] == "exact"
    assert answer.about["variables"] == 4


def test_too_little_agreement_with_the_evidence_is_refused():
    network = ctbnlab.gallery.get("eating")
    rare = ["1:Eating=yes", "1.0001:Eating=no", "1.0002:Eating=yes", "1.0003:Eating=no"]
    with pytest.raises(InputError, match=r"simulated cop"):
        Query(network, observe=rare, engine="simulation", samples=500).at(2.0)


def test_copies_do_not_depend_on_threads():
    network = ctbnlab.gallery.get("drug")
    one = Query(network, engine="simulation", samples=5000).at([1.0])
    assert Query(network, engine="simulation", samples=5000, jobs=3).at([1.0]).values == one.values
