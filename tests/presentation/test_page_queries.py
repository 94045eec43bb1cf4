"""The page's queries: curves agree with simulated trajectories, observed events with a plain estimator."""

from __future__ import annotations

import csv
import json
import re
import shlex
import time
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ctbnlab
from ctbnlab import Query
from ctbnlab.cli.main import main
from ctbnlab.presentation.page import model_curves
from ctbnlab.presentation.page.data_page import data_page
from ctbnlab.presentation.page.data_profile import states_over_time
from ctbnlab.presentation.page.observed_events import reached_by
from ctbnlab.presentation.page.query_section import PageQueries
from tests.support.data_pages import content_of
from tests.support.event_cohorts import event_cohort
from tests.support.html_pages import Page
from tests.support.report_folders import own_data_folder, page_of


def block_of(page: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="page-data">(.*?)</script>', page)[1])


@pytest.fixture(scope="module")
def content():
    return content_of(event_cohort(), trajectories=300, duration=4.0)


def with_truth(data, network):
    """Return queries to the network itself, in place of the one that is fitted to the data."""
    return model_curves.situation(data, network, 4.0, 0)


@pytest.mark.parametrize("simulated", [False, True])
def test_curves_are_those_of_simulated_trajectories(simulated, monkeypatch):
    """Of states while trajectories go on, and of terminal events; variables go together at the start."""
    network = event_cohort()
    if simulated:
        monkeypatch.setattr(model_curves, "MAX_EFFORT", 0.0)
    data = ctbnlab.simulate(network, trajectories=20_000, duration=4.0, seed=7)
    times = np.linspace(0.0, 4.0, 9)
    asked = with_truth(data, network)
    states, events = model_curves.states_of_model(asked, times), model_curves.events_of_model(asked, times)
    assert list(states.curves) == [name for name in network.names if name not in ("Relapse", "Death")]
    assert {curve.errors is not None for curve in (*states.curves.values(), *events.curves.values())} == {
        simulated
    }
    shares, reached = states_over_time(data, times), reached_by(data, times)
    for i, name in enumerate(network.names):
        observed = reached.probability[name] if name in events.curves else shares.shares[i]
        curve = (events if name in events.curves else states).curves[name]
        own = 0.0 if curve.errors is None else curve.errors[:, 1] ** 2
        spread = np.sqrt(observed[:, 1] * (1 - observed[:, 1]) / shares.observed + own + 1e-12)
        assert np.abs((curve.values[:, 1] - observed[:, 1]) / spread).max() < 4.5
    assert np.abs(states.curves["V1"].values[0] - shares.shares[1][0]).max() < 0.03


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_observed_events_are_those_of_a_plain_estimator(seed):
    """With competing events, trajectories that end without one, and ends at the same time."""
    rng = np.random.default_rng(seed)
    n = 12
    ends = rng.integers(1, 5, n).astype(float)
    cause = rng.integers(-1, 2, n)
    happened = np.flatnonzero(cause >= 0)
    data = ctbnlab.Trajectories.from_arrays(
        [("A", ("no", "yes")), ("B", ("no", "yes"))],
        offsets=np.concatenate([[0], np.cumsum(cause >= 0)]),
        start=np.zeros(n), end=ends, initial=np.zeros((n, 2)),
        time=ends[happened], variable=cause[happened], new=np.ones(len(happened)),
        roles=ctbnlab.Roles(terminal=("A", "B")) if hasattr(ctbnlab, "Roles") else roles_of("A", "B"),
    )  # fmt: skip
    moments = np.array([0.0, 0.5, 1.0, 2.5, 4.0, 9.0])
    found = reached_by(data, moments)
    for which, name in enumerate(("A", "B")):
        for k, moment in enumerate(moments):
            surviving, total = 1.0, 0.0
            for end in sorted(set(ends)):
                if end <= moment:
                    at_risk = (ends >= end).sum()
                    total += surviving * ((ends == end) & (cause == which)).sum() / at_risk
                    surviving *= 1 - ((ends == end) & (cause >= 0)).sum() / at_risk
            assert found.probability[name][k] == pytest.approx([0.0, total])
            assert found.at_risk[k] == (ends >= moment).sum()


def test_the_errors_of_observed_events_are_those_of_repetitions():
    """Over 400 sets of data, with competing events and trajectories of different lengths."""
    network, moments = event_cohort(), np.array([0.5, 1.5, 3.0])
    rng = np.random.default_rng(2)
    values, errors = [], []
    for seed in range(400):
        data = ctbnlab.simulate(network, trajectories=60, duration=4.0, seed=seed)
        found = reached_by(cut_short(data, rng.uniform(0.2, 4.0, 60)), moments)
        values.append(found.probability["Death"][:, 1])
        errors.append(found.errors["Death"][:, 1])
    # The standard deviation of 400 values has itself a standard error of 3.5%.
    assert np.std(values, axis=0) == pytest.approx(np.sqrt(np.mean(np.square(errors), axis=0)), rel=0.15)


def cut_short(data, lengths):
    """Return trajectories that are observed for at most these times."""
    kept = data.time <= np.repeat(lengths, data.stop - data.begin)
    counts = np.add.reduceat(kept, data.begin) * (data.stop > data.begin)
    return ctbnlab.Trajectories.from_arrays(
        data.variables,
        offsets=np.concatenate([[0], np.cumsum(counts)]),
        start=data.start,
        end=np.minimum(data.end, lengths),
        initial=data.initial,
        time=data.time[kept],
        variable=data.variable[kept],
        new=data.new[kept],
        roles=data.roles,
    )


def roles_of(*terminal):
    from ctbnlab.model.roles import Roles

    return Roles(terminal=terminal)


def test_the_median_is_that_of_first_passage():
    queries = PageQueries(content_of(event_cohort(), trajectories=300, duration=20.0))
    query = queries.asked.query
    found = {name: model_curves.median(queries.asked, name, 1, curve, queries.times)
             for name, curve in queries.events.curves.items()}  # fmt: skip
    for name, value in found.items():
        (half,) = query.until(f"{name}=yes", quantiles=[0.5]).select(quantity="quantile 0.5")
        assert value == pytest.approx(half, rel=1e-3) if half <= queries.last else value is None
        (by,) = query.until(f"{name}=yes", [queries.last]).select(quantity="reached by")
        assert queries.events.curves[name].values[-1, 1] == pytest.approx(by, abs=1e-9)
    assert any(found.values())


def test_the_page_shows_them(content):
    page = data_page(content)
    text, block = Page(page).text, block_of(page)
    assert "States over time" in text and "The network's curves are exact for 6 variables." in text
    assert "Relapse = yes" in text and "Other terminal events compete" in text
    queries = PageQueries(content)
    assert block["curves"]["order"][-1] == 0  # what never moves comes last
    shown = block["curves"]["variables"]["1"]
    assert shown["model"][0] == pytest.approx(queries.states.curves["V1"].values[:, 0], abs=1e-4)
    assert "joint states" in shown["how"] and "errors" not in shown
    assert block["events"]["variables"]["7"]["states"] == [1]


def test_what_is_simulated_says_so(content, monkeypatch):
    monkeypatch.setattr(model_curves, "MAX_EFFORT", 0.0)
    page = data_page(content)
    block = block_of(page)
    assert "simulated, with standard errors in the numbers for 6 variables" in Page(page).text
    assert "±" in Page(page).text
    assert len(block["curves"]["variables"]["1"]["errors"]) == 2
    assert page == data_page(content)


def test_what_fits_neither_is_left_out_with_the_reason(content, monkeypatch):
    monkeypatch.setattr(model_curves, "MAX_EFFORT", 0.0)
    monkeypatch.setattr(model_curves, "MAX_EVENTS", 10)
    page = data_page(content)
    text = Page(page).text
    assert "The network has no curves here. They are missing: an exact answer would follow" in text
    block = block_of(page)
    assert "model" not in block["curves"]["variables"]["1"] and block["curves"]["variables"]["1"]["observed"]


def test_clocks_of_other_kinds_are_the_reason(tmp_path):
    rng = np.random.default_rng(1)
    rows = ["id,time,A,B"]
    for i in range(40):
        moments = np.sort(rng.uniform(0, 100, 12)) + i
        rows += [f"{i},{moment:.4f},{rng.integers(2)},{rng.integers(2)}" for moment in moments]
    (tmp_path / "d.csv").write_text("\n".join(rows))
    line = ["report", str(tmp_path / "d.csv"), "-o", str(tmp_path / "r.html"), "--no-robust"]
    assert main([*line, "--clock", "calendar:40,80"]) == 0
    assert (
        "only networks whose clocks count the time since entry can be queried"
        in Page((tmp_path / "r.html").read_text()).text
    )
    assert main([*line, "--clock", "own"]) == 0
    text = Page((tmp_path / "r.html").read_text()).text
    assert "curves are exact" in text
    assert main([*line, "--clock", "entry:20,50"]) == 0
    text = Page((tmp_path / "r.html").read_text()).text
    assert "Rates change with the clock of time since entry" in text and "curves are exact" in text


def test_a_terminal_variable_that_starts_in_several_states(tmp_path):
    rows = ["id,time,A,D"]
    for i in range(20):
        rows += [
            f"{i},0,{i % 2},{i % 2}",
            f"{i},{1 + i},{1 - i % 2},{i % 2}",
            f"{i},{2 + i},{i % 2},{1 - i % 2}",
        ]
    (tmp_path / "d.csv").write_text("\n".join(rows))
    line = [
        "report",
        str(tmp_path / "d.csv"),
        "-o",
        str(tmp_path / "r.html"),
        "--terminal",
        "D",
        "--no-robust",
    ]
    assert main(line) == 0
    text = Page((tmp_path / "r.html").read_text()).text
    assert "'D' is terminal and starts in several states" in text
    assert "Trajectories start in every state of D: no state is an event." in text


@pytest.mark.parametrize(
    "options", [[], ["--static", "Sex", "--terminal", "Relapse,Death", "--clock", "entry:1,2"]]
)
def test_the_commands_on_the_page_compute_its_curve(tmp_path, options, monkeypatch):
    data = ctbnlab.simulate(event_cohort(), trajectories=150, duration=4.0, seed=2)
    ctbnlab.write(
        data.with_roles(roles_of()) if options else data, tmp_path / ("data.csv" if options else "data.arrow")
    )
    monkeypatch.chdir(tmp_path)
    file = "data.csv" if options else "data.arrow"
    assert main(["report", file, "-o", "report.html", *options]) == 0
    page = (tmp_path / "report.html").read_text()
    run_the_commands_on(page)
    assert (tmp_path / "report.html").read_text() == page


def test_the_commands_on_the_page_of_a_workflow_compute_its_curve(tmp_path, monkeypatch):
    folder = own_data_folder(tmp_path / "results/mine")
    monkeypatch.chdir(tmp_path)
    page = page_of(folder)
    assert "results/mine/data.arrow" in page
    run_the_commands_on(page)


def run_the_commands_on(page: str) -> None:
    """Run the commands in the current folder, and compare what they compute with the curve on the page."""
    found = re.search(r"curve of <bdi>(.*?)</bdi> is computed by .*?<code>(.*?)</code>", page, re.DOTALL)
    variable, commands = found.groups()
    for command in unescape(commands).splitlines():
        assert main(shlex.split(command)[1:]) == 0
    rows = list(csv.DictReader(Path("curve.csv").read_text().splitlines()))
    block = block_of(page)
    index = [each["name"] for each in block["variables"]].index(variable)
    shown = np.array(block["curves"]["variables"][str(index)]["model"])
    assert [row["variable"] for row in rows] == [variable] * shown.size
    computed = np.array([float(row["probability"]) for row in rows]).reshape(-1, len(shown))
    assert np.abs(computed.T - shown).max() < 1e-4


def test_twenty_variables_take_seconds():
    """CPU time: the machine may be busy."""
    for n, duration in ((17, 5.0), (20, 5.0), (20, 200.0)):
        content = content_of(event_cohort(n, seed=3), trajectories=100, duration=duration)
        assert content.fitted is not None
        queries, began = PageQueries(content), time.process_time()
        assert queries.states.curves and queries.events.curves
        assert time.process_time() - began < 12


def test_nothing_to_ask():
    content = content_of(event_cohort(), trajectories=20)
    assert (
        "The data are not at hand: nothing can be asked." in Page(data_page(replace(content, data=None))).text
    )
    assert isinstance(PageQueries(content).asked.query, Query)
