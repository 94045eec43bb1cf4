"""Intervals from the posterior of rates, sensitivities, and answers as tables and files."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest

import ctbnlab
from ctbnlab import InputError, Query
from ctbnlab.inference.rate_draws import RateDraws, read_rows
from tests.support.small_networks import network_of


def decay(rate: float) -> ctbnlab.Network:
    return network_of([2], [()], [[[[0, rate], [0, 0]]]]).with_initial({"X0": "0"})


def posterior(moves: int, time: float) -> list[dict]:
    error = math.sqrt(moves + 0.5) / time
    row = {"variable": "X0", "parents": "", "from": "0", "to": "1", "transitions": moves, "time": time}
    return [{**row, "rate": moves / time, "standard_error": error}]


def test_bounds_are_those_of_the_gamma_posterior():
    from scipy import stats

    query = Query(decay(0.5), posterior=posterior(10, 20.0), draws=1500, level=0.9)
    answer = query.at(1.0)
    gamma = stats.gamma(10.5, scale=1 / 20)
    low, high = np.exp(-gamma.ppf([0.95, 0.05]))
    assert answer.columns["low"][0] == pytest.approx(low, abs=0.015)
    assert answer.columns["high"][0] == pytest.approx(high, abs=0.015)
    assert answer.about["draws"] == 1500


def test_a_table_with_a_prior_keeps_its_mean_and_error():
    row = posterior(10, 20.0)[0] | {"rate": 0.7, "standard_error": 0.1}
    draws = RateDraws(decay(0.5), [row])
    rng = np.random.default_rng(1)
    rates = [draws.draw(rng).cims[0].table()[0, 0, 1] for _ in range(4000)]
    assert np.mean(rates) == pytest.approx(0.7, abs=0.006)
    assert np.std(rates) == pytest.approx(0.1, abs=0.005)


def test_tables_of_fit_are_read_in_every_format(tmp_path):
    network = ctbnlab.generate(3, states=2, density=0.4, seed=1)
    data = ctbnlab.simulate(network, trajectories=30, duration=20.0, seed=2)
    fitted = ctbnlab.fit_parameters(data, network.parents)
    by_frame = Query(fitted.network, posterior=fitted.rates, draws=20).at(1.0)
    from ctbnlab.presentation.rate_files import write_rates

    for ending in ("csv", "json", "parquet"):
        path = tmp_path / f"rates.{ending}"
        write_rates(fitted, path, path)
        assert Query(fitted.network, posterior=read_rows(path), draws=20).at(1.0).columns == by_frame.columns
    assert all(
        a <= v <= b
        for a, v, b in zip(*(by_frame.columns[k] for k in ("low", "probability", "high")), strict=True)
    )


def test_bounds_of_a_comparison():
    query = Query(
        decay(0.5), rates=[("X0", {}, "0", "1", 0.0)], compare=True, posterior=posterior(50, 100.0), draws=50
    )
    answer = query.at(1.0)
    assert answer.columns["low"][0] == answer.columns["high"][0] == 1
    low, high = answer.columns["difference_low"][0], answer.columns["difference_high"][0]
    assert low < answer.columns["difference"][0] < high


def test_sensitivity_is_the_derivative():
    answer = Query(decay(0.5)).sensitivity(lambda query: query.at(2.0))
    (found,) = [row["sensitivity"] for row in answer.rows() if row["of state"] == "1"]
    assert found == pytest.approx(2 * 0.5 * math.exp(-1), abs=1e-6)
    strongest = [
        abs(s) for s in Query(ctbnlab.gallery.get("eating")).sensitivity(lambda q: q.at(1.0, ["Full"])).values
    ]
    assert strongest == sorted(strongest, reverse=True)
    assert len(strongest) == 2 * 12


def test_sensitivities_to_too_many_rates_are_refused():
    network = ctbnlab.generate(8, states=3, density=0.5, seed=1)
    with pytest.raises(InputError, match="name the variables whose rates to vary"):
        Query(network).sensitivity(lambda query: query.at(1.0, ["X1"]))


def test_answers_are_tables_and_files(tmp_path):
    answer = Query(decay(0.5)).until("X0=1", [1.0], [0.5])
    frame = answer.to_dataframe()
    assert list(frame.columns) == ["quantity", "target", "time", "value"]
    answer.write(tmp_path / "a.csv")
    with (tmp_path / "a.csv").open() as file:
        assert [float(row["value"]) for row in csv.DictReader(file)] == answer.values
    answer.write(tmp_path / "a.json")
    content = json.loads((tmp_path / "a.json").read_text())
    assert content["format"] == "ctbnlab.answer"
    assert [row["value"] for row in content["rows"]] == answer.values
    never = json.loads(Query(decay(0.0)).until("X0=1").to_json())
    assert never["rows"][-1]["value"] is None
    assert repr(answer) == "<Answer: first passage, 4 rows, exact>"
    with pytest.raises(InputError, match=r"use \.csv or \.json"):
        answer.write(tmp_path / "a.txt")


def test_python_arguments_are_checked():
    network = decay(0.5)
    for options, message in (
        ({"engine": "best"}, "unknown engine 'best'"),
        ({"draws": 1}, "the number of draws"),
        ({"level": 1.0}, "the level must be between"),
        ({"start": {"X0": {"0": 0.5}}}, "must be 0 or more and sum to 1"),
        ({"observe": [((0, 1), "X0", {"0": 0.5})]}, "needs one time"),
        ({"observe": [(1, "X0", {"0": -1})]}, "must be 0 or more"),
        ({"rates": [("X0", {}, "0", "0", 1.0)]}, "goes to the same state"),
    ):
        with pytest.raises(InputError, match=message):
            Query(network, **options)
    with pytest.raises(InputError, match="at least one time"):
        Query(network).at([])
    with pytest.raises(InputError, match="no target"):
        Query(network).until([])
    with pytest.raises(InputError, match="does not depend on evidence"):
        Query(network, observe={"X0": "0"}).long_run()
