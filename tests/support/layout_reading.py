"""Tables read in several ways, in the form of `reference_layouts`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd

import ctbnlab
from ctbnlab.data.formats.asking import options_of
from ctbnlab.data.formats.assemble import InMemory
from ctbnlab.data.formats.reading import layout_reader, prepared
from ctbnlab.data.formats.source import read_table
from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from tests.support.list_source import ListSource


def as_plain(data):
    """Return {id: (start, end, {variable: [(time, state), …]})}."""

    def state(j, code):
        return None if code == len(data.variables[j].states) else data.variables[j].states[code]

    result = {}
    for t, label in enumerate(data.ids):
        found = {
            name: [(float(data.start[t]), state(j, data.initial[t, j]))] for j, name in enumerate(data.names)
        }
        for e in range(data.begin[t], data.stop[t]):
            j = int(data.variable[e])
            assert state(j, data.old[e]) == found[data.names[j]][-1][1]
            found[data.names[j]].append((float(data.time[e]), state(j, data.new[e])))
        result[label] = float(data.start[t]), float(data.end[t]), found
    return result


def read_list(columns, rows, cuts=(), *, layout, **asked):
    """Read rows in chunks that end anywhere."""
    options = options_of(asked)
    sink = InMemory()
    report = read_table(ListSource(columns, rows, cuts), layout_reader(layout), sink, {}, options)
    return prepared(sink.result, report, options)[0]


def frame_of(columns, rows):
    """Return rows as a DataFrame in which missing values are None or NaN."""
    return pd.DataFrame(rows, columns=list(columns))


def outcome(read, *arguments, **asked):
    """Return the data that are read, or the message of their refusal."""
    try:
        return read(*arguments, **asked)
    except InputError as error:
        return str(error)


def read_both_ways(columns, rows, cuts=(), *, rules=None, people=None, **asked):
    """Read rows in chunks and as a DataFrame; return the trajectories, or None if both are refused.

    `rules` is the content of a file of rules, `people` a DataFrame of people.
    """
    with tempfile.TemporaryDirectory() as folder:
        if rules is not None:
            asked["rules"] = Path(folder) / "rules.json"
            asked["rules"].write_text(json_text.dumps(rules))
        if people is not None:
            asked["people"] = Path(folder) / "people.csv"
            people.to_csv(asked["people"], index=False)
        found = outcome(read_list, columns, rows, cuts, **asked)
        again = outcome(ctbnlab.read, frame_of(columns, rows), **asked)
    if isinstance(found, str) or isinstance(again, str):
        assert isinstance(found, str) and isinstance(again, str), (found, again)
        return None
    assert found.equals(again)
    return found
