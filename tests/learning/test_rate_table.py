"""The table of rates: every row against SciPy and plain counts, the unit of time, and initial states."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.learning.initial_states import given_initial
from ctbnlab.learning.parameters import fit_parameters
from ctbnlab.learning.rate_table import COLUMNS
from ctbnlab.model.initial import InitialDistribution
from ctbnlab.model.names import parse_assignments
from tests.support.reference_statistics import stays
from tests.support.sample_trajectories import SMALL, times_multiplied
from tests.support.strategies import trajectories

NETWORK = ctbnlab.generate(5, [2, 3], 0.3, seed=8)
DATA = ctbnlab.simulate(NETWORK, trajectories=4, duration=6.0, seed=8)


def counted(data, variable, given, start, end):
    """Return the transitions and the time of one row, stay by stay."""
    i = data.index(variable)
    wanted = {data.index(name): state for name, state in given.items()}
    moves, time = 0, 0.0
    label = lambda j, code: data.variables[j].states[code]  # noqa: E731
    for state, since, until, changes in stays(data):
        if any(state[j] is None or label(j, state[j]) != s for j, s in wanted.items()):
            continue
        if state[i] is None or label(i, state[i]) != start:
            continue
        time += until - since
        moves += sum(j == i and new is not None and label(i, new) == end for j, new in changes)
    return moves, time


@given(st.data(), trajectories(max_variables=3, max_states=3, plain=True))
def test_every_row_against_plain_counts_and_scipy(draw, data):
    n = data.n_variables
    parents = [draw.draw(st.sets(st.integers(0, n - 1))) - {i} for i in range(n)]
    level = draw.draw(st.sampled_from([0.5, 0.95, 0.999]))
    table = fit_parameters(data, [sorted(p) for p in parents], level=level).rates
    assert list(table.columns) == list(COLUMNS)
    exits = table.groupby(["variable", "parents", "from"], sort=False)["transitions"].transform("sum")
    for (_, row), out in zip(table.iterrows(), exits, strict=True):
        given_states = parse_assignments(row["parents"]) if row["parents"] else {}
        moves, time = counted(data, row["variable"], given_states, row["from"], row["to"])
        assert row["transitions"] == moves
        assert row["time"] == pytest.approx(time, rel=1e-9, abs=1e-12)
        assert row["visited"] == (row["time"] > 0)
        if not row["visited"]:
            assert row[["standard_error", "low", "high", "exit_low", "exit_high", "next_low"]].isna().all()
            continue
        assert row["rate"] == pytest.approx(moves / row["time"])
        for prefix, events in (("", moves), ("exit_", out)):
            expected = stats.gamma(events + 0.5, scale=1 / row["time"])
            assert row[f"{prefix}standard_error"] == pytest.approx(expected.std())
            low, high = expected.interval(level)
            assert row[f"{prefix}low"] == pytest.approx(low if events else 0, rel=1e-7)
            assert row[f"{prefix}high"] == pytest.approx(high, rel=1e-7)
            assert row[f"{prefix}low"] <= row[f"{prefix}rate"] <= row[f"{prefix}high"] or level < 0.9
        if not out:
            assert row[["next_probability", "next_low", "next_high"]].isna().all()
            continue
        assert row["next_probability"] == pytest.approx(moves / out)
        if len(data.variables[data.index(row["variable"])].states) == 2:
            assert row[["next_standard_error", "next_low", "next_high"]].tolist() == [0, 1, 1]
            continue
        share = stats.beta(moves + 0.5, out - moves + 0.5)
        low, high = share.interval(level)
        assert row["next_standard_error"] == pytest.approx(share.std())
        assert row["next_low"] == pytest.approx(low if moves else 0, rel=1e-7)
        assert row["next_high"] == pytest.approx(high if moves < out else 1, rel=1e-7)


@pytest.mark.parametrize("tau", [None, 0.3])
def test_intervals_of_the_bayesian_method_are_its_posterior(tau):
    alpha = 2.0
    fit = fit_parameters(DATA, NETWORK.parents, "bayes", alpha=alpha, tau=tau, level=0.8)
    pooled = fit_parameters(DATA, [()] * 5).network
    for _, row in fit.rates.query("visited").iterrows():
        i = DATA.index(row["variable"])
        states = DATA.variables[i].states
        x, y = states.index(row["from"]), states.index(row["to"])
        base = pooled.cims[i].table()[0, x]
        pseudo, time = (
            (alpha * base[y] / -base[x], alpha / -base[x])
            if tau is None
            else (alpha / (len(states) - 1), tau)
        )
        rate = stats.gamma(pseudo + row["transitions"], scale=1 / (time + row["time"]))
        assert row["rate"] == pytest.approx(rate.mean())
        assert row["standard_error"] == pytest.approx(rate.std())
        assert (row["low"], row["high"]) == pytest.approx(rate.interval(0.8))
        out = row["exit_rate"] * (time + row["time"])  # α + M_x
        leaving = stats.gamma(out, scale=1 / (time + row["time"]))
        assert (row["exit_low"], row["exit_high"]) == pytest.approx(leaving.interval(0.8))
        if len(states) > 2 and not math.isnan(row["next_low"]):
            share = stats.beta(pseudo + row["transitions"], out - pseudo - row["transitions"])
            assert row["next_probability"] == pytest.approx(share.mean())
            assert (row["next_low"], row["next_high"]) == pytest.approx(share.interval(0.8), rel=1e-6)


@pytest.mark.parametrize(("factor", "tolerance"), [(1024.0, 0), (1000.0, 1e-12), (0.001, 1e-12)])
@pytest.mark.parametrize("method", ["ml", "bayes"])
def test_the_unit_of_time_changes_rates_by_the_same_factor(factor, tolerance, method):
    """A power of two is exact to the last bit; other factors round the times themselves."""
    before = fit_parameters(DATA, NETWORK.parents, method).rates
    after = fit_parameters(times_multiplied(DATA, factor), NETWORK.parents, method).rates
    for column in ("rate", "standard_error", "low", "high", "exit_rate", "exit_low", "exit_high"):
        expected = (before[column] / factor).to_numpy()
        assert np.allclose(after[column], expected, rtol=tolerance, atol=0, equal_nan=True), column
    for column in ("next_probability", "next_low", "next_high"):
        assert np.allclose(after[column], before[column], rtol=tolerance, atol=0, equal_nan=True), column


def test_the_prior_of_a_configuration_never_seen_is_the_rate_without_parents():
    fit = fit_parameters(SMALL, [(), (0,)], "bayes", alpha=5.0)
    pooled = fit_parameters(SMALL, [(), ()]).network.cims[1].table()[0]
    q = fit.network.cims[1].table()
    assert q[1, :2] == pytest.approx(pooled[:2])
    assert q[0, 0, 1] == pytest.approx((5.0 * 0.5 + 1) / (5.0 / 0.8 + 2.5))
    assert not q[:, 2:].any()  # never left, or never visited
    rows = fit.rates.query("variable == 'B' and `from` == '2' and parents == 'A=1'")
    # No transition out of 2 was ever seen, so there is no prior either: Jeffreys' interval.
    assert rows["low"].tolist() == [0, 0, 0]
    assert rows["high"].tolist() == pytest.approx([stats.gamma.ppf(0.975, 0.5) / rows["time"].iloc[0]] * 3)


def test_order_of_columns_does_not_matter():
    order = [3, 0, 4, 2, 1]
    names = [DATA.names[i] for i in order]
    frame = ctbnlab.to_dataframe(DATA)
    keys = [c for c in frame.columns if c not in DATA.names]
    states = {name: list(s) for name, s in DATA.variables}
    other = ctbnlab.from_dataframe(frame[[*keys, *names]], states=states)
    assert other.names == tuple(names)
    parents = [[names.index(DATA.names[p]) for p in NETWORK.parents[i]] for i in order]
    key = ["variable", "from", "to", "given"]
    tables = []
    for fit in (fit_parameters(DATA, NETWORK.parents), fit_parameters(other, parents)):
        table = fit.rates
        table["given"] = [str(sorted(text.split(","))) for text in table.pop("parents")]
        tables.append(table.sort_values(key).set_index(key))
    # The total observed time, and with it the tick of time, is the same: so are the bits.
    pd.testing.assert_frame_equal(*tables, check_exact=True)


def test_names_that_need_quotes_can_be_read_back():
    variables = [("A=1", ("x,y", "z")), ("B", ("0", "1"))]
    data = Trajectories.from_arrays(
        variables,
        offsets=[0, 2],
        start=[0],
        end=[3],
        initial=[[0, 0]],
        time=[1, 2],
        variable=[1, 0],
        new=[1, 1],
    )
    given_states = fit_parameters(data, [(), (0,)]).rates.query("variable == 'B'")["parents"]
    assert [parse_assignments(text) for text in given_states] == [{"A=1": "x,y"}] * 2 + [{"A=1": "z"}] * 2


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr("ctbnlab.learning.rate_table.MAX_ROWS", 20)
    fit = fit_parameters(SMALL, [(), (0,)])
    with pytest.raises(InputError, match="a table of 26 rates is too large; the limit is 20"):
        _ = fit.rates


# ---- Initial states ----


def test_smoothed_initial_states():
    initial = fit_parameters(SMALL, [(), ()], initial="smoothed").network.initial
    assert initial.tables[0].tolist() == [[2.5 / 3, 0.5 / 3]]
    assert initial.tables[1][0] == pytest.approx([1.5 / 4, 0.5 / 4, 1.5 / 4, 0.5 / 4])


def test_smoothing_leaves_clocks_alone():
    network = ctbnlab.generate(3, 2, 0.3, seed=2, static=1, clock_cuts=[1.0])
    data = ctbnlab.simulate(network, trajectories=5, duration=3.0, seed=2)
    fit = fit_parameters(data, network.parents, initial="smoothed")
    clock, static = (data.index(name) for name in (data.roles.clock_names[0], "S1"))
    assert fit.network.initial.tables[clock].tolist() == [[1, 0]]
    ones = int(data.initial[:, static].sum())
    assert fit.network.initial.tables[static][0] == pytest.approx([(5.5 - ones) / 6, (ones + 0.5) / 6])
    assert not fit.rates["variable"].isin([data.names[clock], "S1"]).any()
    uniform = fit_parameters(data, network.parents).network.initial
    assert uniform.tables[static][0] == pytest.approx([1 - ones / 5, ones / 5])


def test_a_given_distribution(tmp_path):
    path = tmp_path / "initial.json"
    path.write_text(json.dumps({"B": {"2": 0.25, "1": 0.75}, "A": {"1": 1}}))
    initial = given_initial(SMALL, path)
    assert [table.tolist() for table in initial.tables] == [[[0, 1]], [[0, 0.75, 0.25, 0]]]
    assert fit_parameters(SMALL, [(), ()], initial=initial).network.initial is initial


def test_a_distribution_of_other_variables_is_refused():
    other = fit_parameters(DATA, [()] * 5).network.initial
    with pytest.raises(InputError, match="is not one of the variables and states of the data"):
        fit_parameters(SMALL, [(), ()], initial=other)


def test_the_distribution_of_a_network_with_other_orders(tmp_path):
    """B depends on A, whose states and B's are listed in another order."""
    variables = [ctbnlab.Variable("B", ("3", "1", "0", "2")), ctbnlab.Variable("A", ("1", "0"))]
    rows = [[0.1, 0.2, 0.3, 0.4], [0.25, 0.5, 0.25, 0]]  # given A = 1, A = 0
    start = InitialDistribution.build(variables, [(1,), ()], [rows, [[0.9, 0.1]]])
    network = ctbnlab.Network.build(variables, {}, {"A": [[0, 0], [0, 0]], "B": np.zeros((4, 4))})
    path = tmp_path / "network.json"
    replace(network, initial=start).write(path)
    initial = given_initial(SMALL, path)
    assert initial.parents == ((), (0,))
    assert initial.tables[0].tolist() == [[0.1, 0.9]]
    assert initial.tables[1].tolist() == [[0.25, 0.5, 0, 0.25], [0.3, 0.2, 0.4, 0.1]]  # given A = 0, A = 1


# ---- Files ----


def test_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    NETWORK.write("network.json")
    ctbnlab.write(DATA, "data.arrow")
    expected = fit_parameters(DATA, NETWORK.parents, level=0.5).rates
    for ending in ("csv", "json", "parquet"):
        command = f"fit network.json data.arrow -o fitted.json --level 0.5 --rates rates.{ending}"
        assert main(command.split()) == 0
    # Python reads floats exactly; not every version of pandas does.
    exact = {
        column: (lambda text: float(text or "nan"))
        for column, kind in COLUMNS.items()
        if kind == pa.float64()
    }
    texts = {"variable": str, "parents": str, "from": str, "to": str}
    csv = pd.read_csv("rates.csv", dtype=texts, keep_default_na=False, converters=exact)
    content = json.loads((tmp_path / "rates.json").read_text())
    assert (content["format"], content["level"]) == ("ctbnlab.rates", 0.5)
    for found in (csv, pd.DataFrame(content["rates"]), pq.read_table("rates.parquet").to_pandas()):
        pd.testing.assert_frame_equal(found, expected, check_dtype=False, check_exact=True)


def test_neither_file_is_written_if_one_cannot_be(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    NETWORK.write("network.json")
    ctbnlab.write(DATA, "data.arrow")
    monkeypatch.setattr("ctbnlab.learning.rate_table.MAX_ROWS", 20)
    assert main(["fit", "network.json", "data.arrow", "-o", "fitted.json", "--rates", "rates.csv"]) == 2
    assert "rates is too large; the limit is 20" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.arrow", "network.json"]


def test_the_command_knows_the_kinds_of_initial_distributions():
    from ctbnlab.cli.commands import fit
    from ctbnlab.learning import initial_states

    assert fit.INITIAL == initial_states.INITIAL
