"""Pairs counted for many targets equal those of a scan for each target, whatever the memory and threads."""

from __future__ import annotations

import numpy as np
import pytest

from ctbnlab.counting import tuning
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.pairs import batches
from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.nodes import learn
from tests.support.plain_tables import assert_equals_plain
from tests.support.strategies import plain_variables, random_trajectories, rough_trajectories

MB = 1 << 20


def rough_data(cardinalities, counts, seed=1):
    """Return data with changes at one instant and with gaps in every fifth variable."""
    variables = plain_variables(cardinalities)
    gaps = [i % 5 == 0 for i in range(len(cardinalities))]
    return rough_trajectories(np.random.default_rng(seed), variables, counts, 0.3, gaps)


def shares_of(data, targets, memory, jobs=1):
    return [share for batch in batches(data, targets, memory=memory, jobs=jobs) for share in batch]


@pytest.fixture(scope="module")
def wide_data():
    """420 variables of two to four states: the old limit of a scan for all was 360."""
    variables = plain_variables([2 + (i % 7 == 0) + (i % 21 == 0) for i in range(420)])
    return random_trajectories(np.random.default_rng(4), variables, [4000, 0, 40, 3000, 1])


@pytest.mark.parametrize("memory", [1 << 16, MB // 2, 3 * MB, 16 * MB, tuning.MEMORY])
def test_pairs_of_420_variables_do_not_depend_on_memory(wide_data, memory):
    targets = range(420)
    shares = shares_of(wide_data, targets, memory, jobs=1 + (memory == 3 * MB))
    assert sorted(share.target for share in shares) == list(targets)
    if memory >= 3 * MB:
        assert all(share.pairs is not None for share in shares)
    for share in shares[::97]:
        alone = NodeStatistics(wide_data, share.target).pairs()
        found = share.statistics(wide_data, memory).pairs()
        assert list(found) == list(alone)
        for j, table in found.items():
            assert table.values.tobytes() == alone[j].values.tobytes()
            if j == 7:
                assert_equals_plain(table, wide_data)


def test_all_targets_share_one_scan_by_default(wide_data):
    assert [len(batch) for batch in batches(wide_data, range(420))] == [420]
    assert len(list(batches(wide_data, range(420), memory=3 * MB))) > 1


@pytest.mark.parametrize("n_targets", [4, 37, 90])
@pytest.mark.parametrize("memory", [MB // 4, tuning.MEMORY])
def test_some_targets_with_gaps_and_common_instants(n_targets, memory):
    """More than one word, with and without buffers for variables that are not targets."""
    data = rough_data([2, 3, 2, 4, 2] * 18, [3000, 0, 2500])
    targets = np.random.default_rng(2).permutation(90)[:n_targets].tolist()
    shares = shares_of(data, targets, memory, jobs=2)
    assert any(share.pairs is not None for share in shares)
    for share in shares[::30]:
        alone = NodeStatistics(data, share.target).pairs()
        for j, table in share.statistics(data, memory).pairs().items():
            assert table.values.tobytes() == alone[j].values.tobytes()


def test_a_variable_with_very_many_states_is_counted_on_its_own():
    data = random_trajectories(np.random.default_rng(3), plain_variables([255, *[2] * 9, 255]), [4000])
    shares = shares_of(data, range(11), 8 * MB)
    assert {share.target for share in shares if share.pairs is None} == {0, 10}
    for share in shares:
        alone = NodeStatistics(data, share.target).pairs()
        for j, table in share.statistics(data).pairs().items():
            assert table.values.tobytes() == alone[j].values.tobytes()


def test_the_graph_of_420_variables_does_not_depend_on_memory_and_threads(wide_data):
    some = wide_data.names[:60]
    graph = learn(wide_data, Ctpc(), nodes=some).graph
    assert learn(wide_data, Ctpc(), nodes=some, memory=MB // 4, jobs=2).graph == graph
