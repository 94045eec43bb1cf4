"""What tables of every layout have in common: few times, so that they coincide; rows in any order; people."""

from __future__ import annotations

import pandas as pd
from hypothesis import strategies as st

from tests.support.reference_layouts import People

IDS = st.sampled_from([["a"], ["a", "b"], ["b", "a", "c"], ["10", "9"]])
TIMES = st.integers(0, 4)
CUTS = st.lists(st.integers(1, 25), max_size=5)


@st.composite
def shuffled(draw, rows):
    """Draw the rows in their order, or in any."""
    return draw(st.one_of(st.just(rows), st.permutations(rows))) if rows else rows


@st.composite
def people(draw, labels=("a", "b", "c", "d"), always=False):
    """Draw a table of people, with its rows in any order and some repeated; and its plain form."""
    rows, who = [], {}
    for label in labels:
        if not always and not draw(st.integers(0, 3)):
            continue
        start = draw(st.one_of(st.just(None) if not always else st.nothing(), st.integers(-1, 3)))
        end = draw(st.one_of(st.just(None) if not always else st.nothing(), st.integers(3, 9)))
        sex, death = draw(st.sampled_from(["f", "m", None])), draw(st.sampled_from(["0", "1"]))
        row = (label, start, end, sex, death)
        rows += [row] * draw(st.sampled_from([1, 1, 2]))
        who[label] = {"start": start, "end": end, "static": {"sex": sex}, "flag": {"death": death}}
    # The two values that columns need to be read, of somebody else.
    rows += [("z", 0, 1, "f", "0"), ("y", 0, 1, "m", "1")]
    for label, sex, death in (("z", "f", "0"), ("y", "m", "1")):
        who[label] = {"start": 0, "end": 1, "static": {"sex": sex}, "flag": {"death": death}}
    table = pd.DataFrame(draw(shuffled(rows)), columns=["id", "start", "end", "sex", "death"])
    return table.astype({"start": "Int64", "end": "Int64"}), People(who, ("sex",), ("death",))
