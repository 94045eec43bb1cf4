"""From rows to events and back: the compiled loops against plain Python, for any cut into chunks."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from ctbnlab.data.formats._rows import states_by_row
from ctbnlab.data.formats.assemble import InMemory
from ctbnlab.data.formats.layouts import long, pyagrum, wide
from ctbnlab.data.formats.request import Options, Report
from ctbnlab.data.formats.source import blocks, read_table
from ctbnlab.errors import InputError
from tests.support.list_source import ListSource
from tests.support.sample_trajectories import shared_clock
from tests.support.strategies import trajectories


class Refused(Exception):
    pass


class OutOfOrder(Exception):
    pass


def read_plainly(rows, n, *, ties="error", **options):
    """Return (id, start, end, initial, events) of each trajectory; rows are (id, time, [(variable, state)]).

    Rows that are not sorted are sorted by time; an error has the number of its row, counted from 0.
    """
    numbered = list(enumerate(rows))
    try:
        return follow_plainly(numbered, n, ties=ties, **options)
    except OutOfOrder:
        numbered.sort(key=lambda row: (row[1][0], math.isnan(row[1][1]), row[1][1]))
        return follow_plainly(numbered, n, ties=ties, **options)


def without_stated_gaps(rows):
    """Leave out cells without a state if another of the same time has one, and rows that are then empty."""
    stated = {(time, j) for _, time, cells in rows for j, value in cells if value is not None}
    result = []
    for number, time, cells in rows:
        left = [(j, value) for j, value in cells if value is not None or (time, j) not in stated]
        if left or not cells:
            result.append((number, time, left))
    return result


def follow_plainly(numbered, n, *, closing, ties, unchanged, missing="gap"):
    result, single = [], []
    for label in dict.fromkeys(row[0] for _, row in numbered):
        own = [(number, time, cells) for number, (i, time, cells) in numbered if i == label]
        if ties == "together":
            own = without_stated_gaps(own)
        start, state, stated, events = own[0][1], {}, {}, []
        initial = dict.fromkeys(range(n))
        idle, ended, ended_at, now = None, False, None, own[0][1]
        for number, time, cells in own:
            if not math.isfinite(time):
                raise Refused(number)
            if time < now:
                raise OutOfOrder
            now = time
            for j, value in cells or [(None, None)]:
                if j is not None and j not in state and time == start:
                    state[j] = initial[j] = value
                    stated[j] = time
                    continue
                if len(state) < n and missing == "error":
                    raise Refused(number)
                # The end of observation may come before other rows of its instant.
                if idle is not None and not (ties == "together" and time == idle[1]):
                    if not unchanged:
                        raise Refused(idle[0])
                    idle = None
                same_instant = ties == "together" and stated.get(j) == time
                if value is None and j is not None and (missing == "hold" or same_instant):
                    value = state.get(j)
                if j is None or state.get(j) == value:
                    if idle is not None and not unchanged:
                        raise Refused(idle[0])
                    idle, ended, ended_at = (number, time), True, time
                    stated[j] = time
                    continue
                if same_instant or (ties == "error" and time == (events[-1][0] if events else start)):
                    raise Refused(number)
                events.append((time, j, state.get(j), value))
                state[j] = value
                stated[j] = time
                if not (ties == "together" and ended and time == ended_at):
                    ended, ended_at = not closing, time
        if len(state) < n and missing == "error":
            raise Refused(own[-1][0])
        if not ended and closing:
            raise Refused(own[-1][0])
        if not ended:
            single.append(own[-1][0])
        if ties == "together":
            events.sort(key=lambda event: event[:2])
        result.append((label, start, now, initial, events))
    if single and len(single) == len(result):
        raise Refused(single[0])
    return result


def changes_of_wide(rows, together=False):
    """Return wide rows (id, time, state, state, …) as (id, time, [(variable, state), …])."""
    rows = [list(row) for row in rows]
    for k, row in enumerate(rows):
        for j in range(2, len(row)):
            if together and row[j] is None:
                around = [k - 1, *range(k + 1, len(rows))]  # the row before has been filled already
                same = [rows[i][j] for i in around if i >= 0 and rows[i][:2] == row[:2]]
                row[j] = next((value for value in same if value is not None), None)
    result = []
    for k, (label, time, *cells) in enumerate(rows):
        new = not k or rows[k - 1][0] != label
        changed = [(j, cell) for j, cell in enumerate(cells) if new or cell != rows[k - 1][2 + j]]
        result.append((label, time, changed))
    return result


def read_rows(layout, columns, rows, cuts=(), **options):
    sink = InMemory()
    read_table(ListSource(columns, rows, cuts), layout.read, sink, {}, Options(**{"ties": "error"} | options))
    return sink.result


def as_plain(data):
    """Return trajectories in the form of `read_plainly`."""

    def state(j, code):
        return None if code == len(data.variables[j].states) else data.variables[j].states[code]

    return [
        (
            data.ids[t],
            data.start[t],
            data.end[t],
            {j: state(j, data.initial[t, j]) for j in range(data.n_variables)},
            [
                (data.time[e], int(j), state(j, data.old[e]), state(j, data.new[e]))
                for e in range(data.begin[t], data.stop[t])
                for j in [data.variable[e]]
            ],
        )
        for t in range(data.n_trajectories)
    ]


# Few times and few states, so that every fault occurs; mostly in order, so that most rows are valid.
_TIME = st.sampled_from([0.0, 0.5, 1.0])
_CUTS = st.lists(st.integers(1, 25), max_size=5)


@st.composite
def wide_rows(draw, max_step=1.0, odd=True):
    rows = []
    missing = [None] * odd
    for label in draw(st.sampled_from(["a", "ab", "abc"])):
        time = 0.0
        for _ in range(draw(st.integers(1, 7))):
            cells = draw(st.sampled_from([*"xyz", *missing])), draw(st.sampled_from([*"01", *missing]))
            rows.append((label, time, *cells))
            time += draw(st.sampled_from([0.0, 0.25, max_step] + [-1.0, math.nan, math.inf] * odd))
    return rows


@given(
    wide_rows(),
    _CUTS,
    st.sampled_from(["drop", "error"]),
    st.sampled_from(["together", "error"]),
    st.sampled_from(["gap", "hold"]),
)
def test_wide_rows_match_the_plain_reader(rows, cuts, unchanged, ties, missing):
    assume(all({row[j] for row in rows} != {None} for j in (2, 3)))
    columns = ["trajectory", "time", "A", "B"]
    options = {"ties": ties, "missing": missing}

    def expected():
        try:
            return read_plainly(
                changes_of_wide(rows, ties == "together"),
                2,
                closing=False,
                unchanged=unchanged == "drop",
                **options,
            )
        except OutOfOrder:
            raise AssertionError from None

    sortable = sorted(rows, key=lambda row: (row[0], math.isnan(row[1]), row[1]))
    if any(row[1] < before[1] for before, row in pairwise(rows) if row[0] == before[0]):
        rows_in_order = rows
        rows = sortable
        try:
            result = expected()
        except Refused:
            with pytest.raises(InputError):
                read_rows(wide, columns, rows_in_order, cuts, unchanged=unchanged, **options)
            return
        try:
            data = read_rows(wide, columns, rows_in_order, cuts, unchanged=unchanged, **options)
        except InputError:
            # Before the first row out of order there may be another fault.
            return
        assert as_plain(data) == result
        return
    try:
        result = expected()
    except Refused as refused:
        with pytest.raises(InputError, match=rf"^row {refused.args[0]}:"):
            read_rows(wide, columns, rows, cuts, unchanged=unchanged, **options)
    else:
        assert as_plain(read_rows(wide, columns, rows, cuts, unchanged=unchanged, **options)) == result


@st.composite
def long_rows(draw):
    rows = []
    for label in draw(st.sampled_from(["a", "ab"])):
        time = draw(_TIME)
        rows += [(label, time, "A", "x"), (label, time, "B", draw(st.sampled_from("01")))]
        for _ in range(draw(st.integers(0, 6))):
            time += draw(st.sampled_from([0.0, 0.25, 1.0, 1.0, 1.0, -1.0]))
            name = draw(st.sampled_from(["A", "B", "A", ""]))
            rows.append((label, time, name, draw(st.sampled_from([*"xy01", None])) if name else ""))
        if draw(st.integers(0, 4)):
            rows.append((label, time + 1, "", ""))
        if not draw(st.integers(0, 9)):
            rows.pop(-draw(st.integers(1, min(4, len(rows)))))
    return rows


@given(
    long_rows(),
    _CUTS,
    st.sampled_from(["drop", "error"]),
    st.sampled_from(["together", "error"]),
    st.sampled_from(["gap", "hold"]),
)
def test_long_rows_match_the_plain_reader(rows, cuts, unchanged, ties, missing):
    columns = ["trajectory", "time", "variable", "state"]
    options = {"ties": ties, "missing": missing}
    try:
        data = read_rows(long, columns, rows, cuts, unchanged=unchanged, **options)
    except InputError as error:
        found = str(error)
    else:
        found = None
    if any(row[1] < before[1] for before, row in pairwise(rows) if row[0] == before[0]):
        rows = sorted(rows, key=lambda row: row[:2])
        if found is not None:
            return  # a fault may come before the first row out of order
    first = [row[2] for row in rows if row[:2] == rows[0][:2] and row[2]] if rows else []
    names = list(dict.fromkeys([*first, *sorted({row[2] for row in rows if row[2]})]))
    if not first or any({row[3] for row in rows if row[2] == name} == {None} for name in names):
        assert found is not None
        return
    plain = [(i, time, [(names.index(v), s)] if v else []) for i, time, v, s in rows]
    try:
        expected = read_plainly(plain, len(names), closing=True, unchanged=unchanged == "drop", **options)
    except Refused as refused:
        assert found is not None and found.startswith(f"row {refused.args[0]}:")
    else:
        assert found is None, found
        assert data.names == tuple(names)
        assert as_plain(data) == expected


@given(long_rows(), _CUTS)
def test_ties_in_order_take_the_next_representable_times(rows, cuts):
    rows = sorted((row for row in rows if row[3] is not None), key=lambda row: row[:2])
    ends = {row[0]: row[1] for row in rows}
    rows = [
        row
        for label in ends
        for row in [*(r for r in rows if r[0] == label), (label, ends[label] + 1, "", "")]
    ]
    first = {row[2] for row in rows if rows and row[:2] == rows[0][:2]} - {""}
    assume(first == {"A", "B"})
    columns = ["trajectory", "time", "variable", "state"]
    data = read_rows(long, columns, rows, cuts, ties="order")
    names = list(data.names)
    plain = [(i, time, [(names.index(v), s)] if v else []) for i, time, v, s in rows]
    expected = read_plainly(plain, 2, closing=True, ties="order", unchanged=True)
    for _label, start, _end, _initial, events in expected:
        last = start
        for k, (time, *rest) in enumerate(events):
            new = np.nextafter(last, np.inf) if last >= time else time
            events[k] = (float(new), *rest)
            last = new
    assert as_plain(data) == expected


def test_order_needs_one_row_per_change():
    with pytest.raises(InputError, match="the columns of a wide table have no order in time"):
        read_rows(wide, ["time", "A"], [(0.0, "x"), (1.0, "y")], ties="order")


@given(wide_rows(odd=False), _CUTS, st.integers(0, 3))
def test_ties_by_jitter_stay_in_their_gap(rows, cuts, seed):
    columns = ["trajectory", "time", "A", "B"]
    try:
        data = read_rows(wide, columns, rows, (), ties="jitter", seed=seed)
    except InputError:
        # If a file has two faults, the chunks decide which one is reported; it is refused in any case.
        with pytest.raises(InputError, match=r"has only one row|cannot separate"):
            read_rows(wide, columns, rows, cuts, ties="jitter", seed=seed)
        return
    assert read_rows(wide, columns, rows, cuts, ties="jitter", seed=seed).equals(data)
    given = read_plainly(changes_of_wide(rows), 2, closing=False, ties="order", unchanged=True)
    for (label, start, _, _, events), (_, _, _, _, before) in zip(as_plain(data), given, strict=True):
        times = sorted({row[1] for row in rows if row[0] == label})
        tied = {e[0] for e in before if sum(f[0] == e[0] for f in before) > 1} | {start}
        floor = [max(t for t in times if t <= event[0]) for event in events]
        for j in (0, 1):
            assert [f[1:] for f in before if f[1] == j] == [e[1:] for e in events if e[1] == j]
        assert sorted(floor) == [f[0] for f in before]
        assert [e for e, at in zip(events, floor, strict=True) if at not in tied] == [
            f for f in before if f[0] not in tied
        ]


def test_jitter_is_random_and_seeded():
    rows = [("a", 0.0, "x", "0"), ("a", 1.0, "y", "1"), ("a", 2.0, "y", "1")]
    columns = ["trajectory", "time", "A", "B"]
    drawn = [read_rows(wide, columns, rows, ties="jitter", seed=seed) for seed in range(40)]
    assert drawn[0].equals(read_rows(wide, columns, rows, ties="jitter", seed=0))
    assert {tuple(data.variable.tolist()) for data in drawn} == {(0, 1), (1, 0)}
    times = np.concatenate([data.time for data in drawn])
    assert len(set(times)) == 80 and times.min() < 1.2 and times.max() > 1.8


def test_jitter_differs_between_trajectories_and_does_not_depend_on_the_others():
    columns = ["trajectory", "time", "A", "B"]
    rows = {
        label: [(label, 0.0, "x", "0"), (label, 1.0, "y", "1"), (label, 2.0, "y", "1")] for label in "abc"
    }
    together = read_rows(
        wide, columns, [row for label in "abc" for row in rows[label]], ties="jitter", seed=5
    )
    alone = [read_rows(wide, columns, rows[label], ties="jitter", seed=5) for label in "abc"]
    assert together.time.tolist() == [time for data in alone for time in data.time]
    assert len(set(together.time)) == 6


def test_jitter_in_a_tiny_gap_takes_the_next_times():
    after = np.nextafter(np.nextafter(1.0, 2), 2)
    rows = [("a", 0.0, "x", "0"), ("a", 1.0, "y", "1"), ("a", after, "y", "1")]
    data = read_rows(wide, ["trajectory", "time", "A", "B"], rows, ties="jitter", seed=1)
    assert data.time.tolist() == [1.0, np.nextafter(1.0, 2)]


@given(trajectories(), st.integers(1, 7), st.data())
def test_reading_inverts_writing_for_any_cut(data, size, draw):
    whole = list(blocks(data))
    cut = list(blocks(data, size))
    for a, b in zip(zip(*whole, strict=True), zip(*cut, strict=True), strict=True):
        assert np.array_equal(np.concatenate(a), np.concatenate(b))
    states = {v.name: v.states for v in data.variables}
    sink = InMemory()
    batches = list(long.batches(data))
    rows = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    source = ListSource(long.COLUMNS, rows, draw.draw(_CUTS))
    read_table(source, long.read, sink, states, Options(ties="error"))
    assert sink.result.equals(data)


@given(trajectories(), _CUTS)
def test_pyagrum_rows_for_any_cut(data, cuts):
    moved = shared_clock(data)
    rows = [
        tuple(map(str, row.values()))
        for batch in pyagrum.batches(moved, Report())
        for row in batch.to_pylist()
    ]
    sink = InMemory()
    states = {v.name: v.states for v in data.variables}
    read_table(ListSource(pyagrum.COLUMNS, rows, cuts), pyagrum.read, sink, states, Options(ties="error"))
    assert sink.result.equals(moved)


@given(trajectories())
def test_states_by_row_match_plain_python(data):
    state = np.zeros(data.n_variables, np.uint8)
    block = next(blocks(data))
    out = states_by_row(block.trajectory, block.variable, block.new, data.initial, state)
    plain = []
    for t in range(len(data)):
        now = data.initial[t].copy()
        plain.append(now.copy())
        for e in range(data.begin[t], data.stop[t]):
            now[data.variable[e]] = data.new[e]
            plain.append(now.copy())
        plain.append(now.copy())
    assert np.array_equal(out, plain)
    assert np.array_equal(state, plain[-1])
