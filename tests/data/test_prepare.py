"""Roles given to data: static and terminal variables, clocks, tiers; against plain Python."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.data.clocks import default_periods, with_own_clock
from ctbnlab.data.constant_rates import gains_of_periods
from ctbnlab.data.prepare import prepare
from ctbnlab.data.role_request import RoleRequest, parse_clock, parse_tiers
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.model.roles import Clock, Roles
from tests.support.reference_statistics import plain_statistics, stays
from tests.support.strategies import trajectories


def small(**changes) -> Trajectories:
    """Return two people who get ill and die; the first gets B on the day of death."""
    columns = {
        "offsets": [0, 4, 5],
        "start": [0, 1],
        "end": [10, 8],
        "initial": [[0, 0, 0, 0], [0, 0, 1, 0]],
        "time": [2, 5, 5, 7, 6],
        "variable": [0, 1, 3, 0, 3],
        "new": [1, 1, 1, 0, 1],
        "ids": ["p", "q"],
        "ties": True,
        **changes,
    }
    return Trajectories.from_arrays(
        [("A", ["no", "yes"]), ("B", ["no", "yes"]), ("sex", ["f", "m"]), ("death", ["no", "yes"])], **columns
    )


def test_a_terminal_event_ends_its_trajectory_with_all_that_happens_at_that_instant():
    data, notes = prepare(small(), RoleRequest(terminal=("death",)))
    assert data.end.tolist() == [5, 6]
    assert data.time.tolist() == [2, 5, 5, 6] and data.variable.tolist() == [0, 1, 3, 3]
    assert notes == ["2 trajectories cut off at a terminal event before the end of observation"]
    again, notes = prepare(data, RoleRequest(terminal=("death",)))
    assert again.equals(data) and not notes


def test_static_variables_must_not_change():
    data, _ = prepare(small(), RoleRequest(static=("sex",)))
    assert data.roles.static == ("sex",)
    with pytest.raises(InputError, match="'A' is static, but is 'no' and 'yes'") as error:
        prepare(small(), RoleRequest(static=("A",)))
    assert "trajectory 'p'" in str(error.value)


def test_a_static_variable_may_be_unobserved_for_a_while():
    data = Trajectories.from_arrays(
        [("sex", ["f", "m"])], offsets=[0, 2], start=[0], end=[9], initial=[[0]], time=[1, 2],
        variable=[0, 0], new=[2, 0], gaps=[True],
    )  # fmt: skip
    assert prepare(data, RoleRequest(static=("sex",)))[0].roles.static == ("sex",)


def clock_state(data, name):
    """Return (trajectory, since, state) of a clock for every stay, in plain Python."""
    index = data.index(name)
    return [(since, data.variables[index].states[state[index]]) for state, since, _, _ in stays(data)]


def test_a_clock_of_time_since_entry_changes_at_its_cuts():
    data, notes = prepare(small(), RoleRequest(clocks=("entry:3,6",)))
    assert data.roles.clocks == (Clock("time since entry", "entry", (3.0, 6.0)),)
    assert notes == ["clock 'time since entry' with 3 periods, cut at 3, 6"]
    assert clock_state(data, "time since entry") == [
        (0, "<3"), (2, "<3"), (3, "3-6"), (5, "3-6"), (6, ">=6"), (7, ">=6"),
        (1, "<3"), (4, "3-6"), (6, "3-6"), (7, ">=6"),
    ]  # fmt: skip


def test_clocks_of_calendar_time_and_age_begin_in_the_period_of_the_start():
    data, _ = prepare(small(), RoleRequest(clocks=("calendar:1,4",)))
    assert clock_state(data, "calendar time")[0] == (0, "<1")
    assert (1, "1-4") in clock_state(data, "calendar time")[-4:]
    data, _ = prepare(small(), RoleRequest(clocks=("age:50,60",), births=np.array([-55.0, -48.0])))
    assert clock_state(data, "age")[0] == (0, "50-60")
    assert [state for _, state in clock_state(data, "age")[-3:]] == ["<50", "50-60", "50-60"]
    with pytest.raises(InputError, match="--birth"):
        prepare(small(), RoleRequest(clocks=("age",)))
    with pytest.raises(InputError, match="trajectory 'q'"):
        prepare(small(), RoleRequest(clocks=("age:50",), births=np.array([0.0, math.nan])))


def test_a_clock_since_an_event_starts_with_it_and_again():
    data, _ = prepare(small(), RoleRequest(clocks=("since:A=yes:1",)))
    name = "time since A=yes"
    assert clock_state(data, name)[:4] == [(0, "before"), (2, "<1"), (3, ">=1"), (5, ">=1")]
    assert clock_state(data, name)[-1][1] == "before"
    with pytest.raises(InputError, match="'A' has no state 'maybe'"):
        prepare(small(), RoleRequest(clocks=("since:A=maybe",)))
    with pytest.raises(InputError, match="unknown variable 'C'"):
        prepare(small(), RoleRequest(clocks=("since:C",)))


def test_a_column_can_be_a_clock():
    data, _ = prepare(small(), RoleRequest(clocks=("A",)))
    assert data.roles.clocks == (Clock("A", "column"),) and data.n_variables == 4


def test_roles_add_up_and_contradictions_are_refused():
    data, _ = prepare(small(), RoleRequest(static=("sex",), tiers="sex > A,B > death"))
    data, _ = prepare(data, RoleRequest(terminal=("death",), clocks=("own",), periods=5))
    assert data.roles == Roles(("sex",), ("death",), (), 5, (("sex",), ("A", "B"), ("death",)))
    for request, message in (
        (RoleRequest(static=("sexx",)), "static: no variable 'sexx'"),
        (RoleRequest(static=("sex",), terminal=("sex",)), "'sex' cannot have two roles"),
        (RoleRequest(tiers="A > B,A"), "'A' is in two tiers"),
        (RoleRequest(tiers="A,B"), "write tiers as groups"),
        (RoleRequest(tiers="A > > B"), "write tiers as groups"),
        (RoleRequest(clocks=("noon",)), "unknown clock 'noon'"),
        (RoleRequest(clocks=("entry:3,2",)), "must be increasing numbers"),
        (RoleRequest(clocks=("entry:a",)), "must end in numbers"),
    ):
        with pytest.raises(InputError, match=message):
            prepare(small(), request)
    with pytest.raises(InputError, match="2 to 200 periods, not 1"):
        RoleRequest(periods=1)


def test_requests_are_read_with_names_that_hold_separators():
    assert parse_clock("since:a:b", ["a:b"]).since == ("a:b", None)
    assert parse_clock("since:a:b=c:1,2", ["a:b"]) == parse_clock("since:a:b=c:1,2", ["x", "a:b"])
    assert parse_clock("since:a:b=c:1,2", ["a:b"]).since == ("a:b", "c")
    assert parse_clock("entry", ["entry"]).column == "entry"
    assert parse_tiers('a , "b > c" > d') == (("a", "b > c"), ("d",))


@st.composite
def requests(draw):
    """Draw rough data and roles for them: static variables, a terminal one, clocks with given cuts."""
    data = draw(trajectories(plain=True, rough=True, max_variables=4, max_events=20, max_states=3))
    changing = set(data.compact().variable.tolist())
    static = [data.names[j] for j in range(data.n_variables) if j not in changing]
    terminal = draw(st.sets(st.sampled_from(data.names), max_size=1)) - set(static)
    cuts = ",".join(map(str, sorted(draw(st.sets(st.integers(1, 8), min_size=1, max_size=4)))))
    kinds = st.sampled_from(["entry", "calendar", "age", f"since:{draw(st.sampled_from(data.names))}"])
    clocks = tuple(f"{kind}:{cuts}" for kind in draw(st.lists(kinds, max_size=2, unique=True)))
    births = data.start - draw(st.floats(0, 9))
    return data, RoleRequest(tuple(static), tuple(terminal), clocks, births=births)


@given(requests())
def test_every_table_of_data_with_roles_equals_a_plain_count(case):
    data, request = case
    assume(request)
    prepared, _ = prepare(data, request)
    for target in range(prepared.n_variables):
        statistics = NodeStatistics(prepared, target)
        for size in range(3):
            for parents in combinations(statistics.candidates, size):
                table, plain = statistics.table(parents), plain_statistics(prepared, target, parents)
                np.testing.assert_array_equal(table.transitions, plain.transitions)
                np.testing.assert_allclose(table.time, plain.time, rtol=1e-9, atol=1e-9)


@given(requests())
def test_clocks_are_in_the_period_that_the_time_is_in(case):
    data, request = case
    prepared, _ = prepare(data, request)
    for clock in prepared.roles.clocks:
        if clock.kind == "since":
            continue
        index = prepared.index(clock.name)
        origins = {"entry": prepared.start, "calendar": np.zeros(len(data)), "age": request.births}
        for t, origin in enumerate(origins[clock.kind]):
            for state, since, _, _ in stays(prepared.subset([t])):
                assert state[index] == sum(origin + cut <= since for cut in clock.cuts)


@given(requests(), st.integers(2, 5))
def test_an_own_clock_tells_the_time_since_the_last_change(case, periods):
    data = case[0]
    for target in range(data.n_variables):
        extended = with_own_clock(data, target, periods, "age")
        if extended is None:
            continue
        n = data.n_variables
        labels = extended.variables[n].states
        cuts = [float(text) for text in _cuts_of(labels)]
        for t in range(len(data)):
            changed = None
            for state, since, until, _ in stays(extended.subset([t])):
                if changed is None or state[target] != changed[0]:
                    changed = (state[target], since)
                middle = (since + until) / 2 - changed[1]
                near = any(abs(middle - cut) < 1e-3 * cut + 1e-9 for cut in cuts)
                assert near or until == since or state[n] == sum(middle >= cut for cut in cuts)


def _cuts_of(labels):
    return [labels[0].removeprefix("<"), *(label.split("-")[-1] for label in labels[1:-1])]


def test_periods_grow_with_the_fourth_root_of_events():
    assert [default_periods(n) for n in (0, 100, 700, 6000, 70_000, 10**9)] == [4, 4, 7, 12, 23, 60]


def onsets(shape, n=600, seed=1):
    rng = np.random.default_rng(seed)
    time = 3 * rng.weibull(shape, n)
    seen = time < 5
    return Trajectories.from_arrays(
        [("A", ["no", "yes"])], offsets=np.concatenate([[0], np.cumsum(seen)]), start=np.zeros(n),
        end=np.full(n, 5.0), initial=np.zeros((n, 1)), time=time[seen], variable=np.zeros(seen.sum(), int),
        new=np.ones(seen.sum(), int),
    )  # fmt: skip


def test_auto_takes_a_clock_in_only_if_rates_change():
    constant, notes = prepare(onsets(1.0), RoleRequest(clocks=("auto",)))
    assert not constant.roles and notes == ["no clock: rates do not change with time since entry"]
    varying, notes = prepare(onsets(2.0), RoleRequest(clocks=("auto",)))
    assert varying.roles.clock_names == ("time since entry",)
    assert notes[0] == "rates change with time since entry (A): taking in a clock"


def test_the_gain_of_periods_is_the_ratio_of_likelihoods():
    data = onsets(2.0, n=50)
    cuts = (1.0, 2.0)
    time = np.minimum(np.where(np.diff(data.offsets) > 0, 0, 5.0), 5.0)
    time[np.diff(data.offsets) > 0] = data.time
    moves = np.histogram(data.time, [0, 1, 2, 6])[0]
    spent = [np.clip(time - low, 0, high - low).sum() for low, high in ((0, 1), (1, 2), (2, 6))]
    whole = moves.sum() * math.log(moves.sum() / sum(spent))
    parts = sum(m * math.log(m / t) for m, t in zip(moves, spent, strict=True))
    assert gains_of_periods(data, cuts)["A"] == pytest.approx(parts - whole - math.log(moves.sum()))
