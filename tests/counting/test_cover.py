"""Covers: joint tables that hold every small set of candidates, within a bound on their size."""

from __future__ import annotations

from itertools import combinations
from math import prod

from hypothesis import given, strategies as st

from ctbnlab.counting.cover import cover_subsets


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=9),
    st.integers(1, 9),
    st.integers(1, 4000),
    st.integers(-1, 28),
    st.integers(1, 5),
)
def test_a_cover_holds_every_wanted_set_within_the_bound(cardinalities, size, cells, target, states):
    candidates = [3 * i for i in range(len(cardinalities))]
    size = min(size, len(cardinalities))
    target += target % 3 == 0  # any index that is not a candidate's
    cover = cover_subsets(
        candidates, cardinalities, size, target=(target, states), max_cells=cells, max_cells_in_use=10 * cells
    )
    if cover is None:
        assert prod(sorted(cardinalities)[-size:]) > cells
        return
    assert [j for group in cover.groups for j in group] == candidates
    tables = list(cover.unions())
    assert len(tables) == len(set(tables)) == cover.n_tables
    assert tables == [union for union, _, _ in cover.shares()]
    for wanted in (chosen for k in range(size + 1) for chosen in combinations(candidates, k)):
        union = cover.union_with(wanted)
        assert union in tables and set(wanted) <= set(union)
        assert prod(cardinalities[j // 3] for j in union) <= cells
    assert cover.union_with((1,)) is None
    assert cover.union_with((0, 1)) is None


def test_covers_of_different_targets_have_the_same_variables():
    tables = set()
    for target in range(20):
        others = [j for j in range(20) if j != target]
        cover = cover_subsets(
            others, [2] * 19, 3, target=(target, 2), max_cells=1 << 15, max_cells_in_use=1 << 20
        )
        tables.update(tuple(sorted((*table, target))) for table in cover.unions())
    assert len(tables) == 5
