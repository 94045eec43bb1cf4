"""From rows to events and back: the compiled loops against plain Python, for any cut into chunks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.data.formats import long, pyagrum, wide
from ctbnlab.data.formats._rows import states_by_row
from ctbnlab.data.formats.assemble import InMemory
from ctbnlab.data.formats.labels import Labels
from ctbnlab.data.formats.request import Options, Report
from ctbnlab.data.formats.source import Chunk, blocks, read_table
from ctbnlab.errors import InputError
from tests.support.sample_trajectories import shared_clock
from tests.support.strategies import trajectories


class ListSource:
    """Rows (trajectory, time, cell, cell, …) as a table, cut into chunks at the given rows."""

    def __init__(self, columns, rows, cuts=()):
        self.columns = list(columns)
        self._rows = rows
        self._bounds = [0, *sorted(cut for cut in cuts if 0 < cut < len(rows)), len(rows)]

    def place(self, row):
        return f"row {row}"

    def chunks(self, trajectory):
        for begin, end in zip(self._bounds[:-1], self._bounds[1:], strict=True):
            cells = list(zip(*self._rows[begin:end], strict=True))
            if cells:
                columns = {name: _labels(cells[k]) for k, name in enumerate(self.columns) if k != 1}
                yield Chunk(begin, columns.pop(self.columns[0]), np.array(cells[1], float), columns)


def _labels(values):
    texts = list(dict.fromkeys(values))
    return Labels(np.array([texts.index(value) for value in values], np.int32), texts)


class Refused(Exception):
    pass


def read_plainly(rows, n, *, closing, ties, unchanged):
    """Return (id, start, end, initial, events) of each trajectory; rows are (id, time, {variable: state})."""
    result = []
    for label in dict.fromkeys(row[0] for row in rows):
        own = [(number, time, cells) for number, (i, time, cells) in enumerate(rows) if i == label]
        start, state, events = own[0][1], {}, []
        idle, ended, now = None, False, own[0][1]
        for number, time, cells in own:
            if not math.isfinite(time):
                raise Refused(number)
            if time < now:
                raise Refused(number)
            now = time
            for j, value in cells or [(None, None)]:
                if len(state) < n:
                    if j is None or j in state or time != start:
                        raise Refused(number)
                    state[j] = value
                    initial = dict(state)
                    continue
                if idle is not None and not unchanged:
                    raise Refused(idle)
                idle = None
                if j is None or state[j] == value:
                    idle, ended = number, True
                    continue
                if time == (events[-1][0] if events else start) and not ties:
                    raise Refused(number)
                events.append((time, j, state[j], value))
                state[j] = value
                ended = not closing
        if len(state) < n or not ended:
            raise Refused(own[-1][0])
        result.append((label, start, now, initial, events))
    return result


def changes_of_wide(rows):
    """Return wide rows (id, time, state, state, …) as (id, time, [(variable, state), …])."""
    result = []
    for k, (label, time, *cells) in enumerate(rows):
        before = rows[k - 1][2:] if k and rows[k - 1][0] == label else [None] * len(cells)
        changed = [(j, cell) for j, cell in enumerate(cells) if cell != before[j]]
        result.append((label, time, changed))
    return result


def read_rows(layout, columns, rows, cuts=(), ties="error", unchanged="drop", seed=0):
    sink = InMemory()
    options = Options(ties, unchanged, seed)
    read_table(ListSource(columns, rows, cuts), layout.read, sink, {}, options)
    return sink.result


def as_plain(data):
    """Return trajectories in the form of `read_plainly`."""
    return [
        (
            data.ids[t],
            data.start[t],
            data.end[t],
            {j: v.states[data.initial[t, j]] for j, v in enumerate(data.variables)},
            [
                (
                    data.time[e],
                    int(data.variable[e]),
                    data.variables[data.variable[e]].states[data.old[e]],
                    data.variables[data.variable[e]].states[data.new[e]],
                )
                for e in range(data.begin[t], data.stop[t])
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
    for label in draw(st.sampled_from(["a", "ab", "abc"])):
        time = 0.0
        for _ in range(draw(st.integers(1, 7))):
            rows.append((label, time, draw(st.sampled_from("xyz")), draw(st.sampled_from("01"))))
            time += draw(st.sampled_from([0.0, 0.25, max_step] + [-1.0, math.nan, math.inf] * odd))
    return rows


@given(wide_rows(), _CUTS, st.sampled_from(["drop", "error"]))
def test_wide_rows_match_the_plain_reader(rows, cuts, unchanged):
    try:
        expected = read_plainly(
            changes_of_wide(rows), 2, closing=False, ties=False, unchanged=unchanged == "drop"
        )
    except Refused as refused:
        with pytest.raises(InputError, match=rf"^row {refused.args[0]}:"):
            read_rows(wide, ["trajectory", "time", "A", "B"], rows, cuts, unchanged=unchanged)
    else:
        data = read_rows(wide, ["trajectory", "time", "A", "B"], rows, cuts, unchanged=unchanged)
        assert as_plain(data) == expected


@st.composite
def long_rows(draw):
    rows = []
    for label in draw(st.sampled_from(["a", "ab"])):
        time = draw(_TIME)
        rows += [(label, time, "A", "x"), (label, time, "B", draw(st.sampled_from("01")))]
        for _ in range(draw(st.integers(0, 6))):
            time += draw(st.sampled_from([0.0, 0.25, 1.0, 1.0, 1.0, -1.0]))
            name = draw(st.sampled_from(["A", "B", "A", ""]))
            rows.append((label, time, name, draw(st.sampled_from("xy01")) if name else ""))
        if draw(st.integers(0, 4)):
            rows.append((label, time + 1, "", ""))
        if not draw(st.integers(0, 9)):
            rows.pop(-draw(st.integers(1, min(4, len(rows)))))
    return rows


@given(long_rows(), _CUTS, st.sampled_from(["drop", "error"]))
def test_long_rows_match_the_plain_reader(rows, cuts, unchanged):
    columns = ["trajectory", "time", "variable", "state"]
    names = list(dict.fromkeys(row[2] for row in rows if row[:2] == rows[0][:2] and row[2])) if rows else []
    if not rows or not names or any(row[2] and row[2] not in names for row in rows):
        with pytest.raises(InputError):
            read_rows(long, columns, rows, cuts, unchanged=unchanged)
        return
    plain = [(i, time, [(names.index(v), s)] if v else []) for i, time, v, s in rows]
    try:
        expected = read_plainly(plain, len(names), closing=True, ties=False, unchanged=unchanged == "drop")
    except Refused as refused:
        with pytest.raises(InputError, match=rf"^row {refused.args[0]}:"):
            read_rows(long, columns, rows, cuts, unchanged=unchanged)
    else:
        assert as_plain(read_rows(long, columns, rows, cuts, unchanged=unchanged)) == expected


@given(wide_rows(odd=False), _CUTS)
def test_ties_in_order_take_the_next_representable_times(rows, cuts):
    rows += [(rows[-1][0], rows[-1][1] + 1, *rows[-1][2:])]
    columns = ["trajectory", "time", "A", "B"]
    try:
        expected = read_plainly(changes_of_wide(rows), 2, closing=False, ties=True, unchanged=True)
        for _label, start, end, _initial, events in expected:
            last = start
            for k, (time, *rest) in enumerate(events):
                new = np.nextafter(last, np.inf) if last >= time else time
                if new != time and time == end:
                    raise Refused
                events[k] = (float(new), *rest)
                last = new
    except Refused:
        with pytest.raises(InputError, match=r"only one row|no time is left"):
            read_rows(wide, columns, rows, cuts, ties="order")
    else:
        assert as_plain(read_rows(wide, columns, rows, cuts, ties="order")) == expected


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
    given = read_plainly(changes_of_wide(rows), 2, closing=False, ties=True, unchanged=True)
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
    read_table(source, long.read, sink, states, Options())
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
    read_table(ListSource(pyagrum.COLUMNS, rows, cuts), pyagrum.read, sink, states, Options())
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
