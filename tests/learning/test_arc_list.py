"""Lists of arcs: what is written is read, and every fault is named with its line."""

from __future__ import annotations

import csv

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from ctbnlab.errors import InputError
from ctbnlab.learning.arc_list import ListedArc, read_arc_list

NAMES = ("A", "B", 'odd, "name"\n')
PAIRS = [(i, j) for i in range(3) for j in range(3) if i != j]
SCORES = st.none() | st.floats(allow_nan=False)


@given(st.lists(st.tuples(st.sampled_from(PAIRS), SCORES, st.booleans()), unique_by=lambda row: row[0]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read(tmp_path, rows):
    path = tmp_path / "arcs.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["kept", "to", "from", "score"])
        for (i, j), score, kept in rows:
            writer.writerow([kept, NAMES[j], NAMES[i], "" if score is None else repr(score)])
    assert read_arc_list(path, NAMES) == [ListedArc(i, j, score, kept) for (i, j), score, kept in rows]


@pytest.mark.parametrize(
    ("text", "arcs"),
    [
        ("from,to\n", []),
        ("from,to", []),
        ("from,to\r\nA,B\r\n\r\nB,A\r\n", [(0, 1, None, True), (1, 0, None, True)]),
        ('"","from","to","score","kept"\n"1","A","B",NA,FALSE\n', [(0, 1, None, False)]),
        ("from,to,score\nA,B,-inf\nB,A,1e3\n", [(0, 1, float("-inf"), True), (1, 0, 1000.0, True)]),
        ("\ufefffrom, to ,kept\nA,B,0\nB,A,yes\n", [(0, 1, None, False), (1, 0, None, True)]),
    ],
)
def test_variants(tmp_path, text, arcs):
    path = tmp_path / "arcs.csv"
    path.write_bytes(text.encode())
    assert read_arc_list(path, NAMES) == arcs


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: no column 'from'; the header must be from,to[,score][,kept]"),
        ("A,B\n", "line 1: no column 'from'"),
        ("from,score\n", "line 1: no column 'to'"),
        ("from,to,strength\n", "line 1: unknown column 'strength'; known: from, to, score, kept"),
        ("from,to,to\n", "line 1: the column 'to' appears twice"),
        ("from,to\nA,B\nA,C\n", "line 3: unknown variable 'C'"),
        ("from,to\nA,A\n", "line 2: the arc A -> A leads from a variable to itself"),
        ("from,to\nA,B\nB,A\nA,B\n", "line 4: the arc of line 2 appears again"),
        ("from,to\nA,B,1\n", "line 2: has 3 values; the header has 2 columns"),
        ("from,to,score\nA,B,nan\n", "line 2: the score must be a number, not 'nan'"),
        ("from,to,score\nA,B,high\n", "line 2: the score must be a number, not 'high'"),
        ("from,to,kept\nA,B,maybe\n", "line 2: kept must be true or false, not 'maybe'"),
        ('from,to\n"A,B\n', "line 2: is not valid CSV (unexpected end of data)"),
    ],
)
def test_faults_are_named_with_their_line(tmp_path, text, message):
    path = tmp_path / "arcs.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_arc_list(path, NAMES)
    assert str(caught.value).startswith(f"{path}: {message}")
