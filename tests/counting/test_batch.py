"""Joint tables counted for several targets at once equal those of a scan for each target, to the byte."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.counting._joint import joint_counts
from ctbnlab.counting.batch import share_joints, shared_tables, wants_of
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.tables import JointStates, joint_table_of
from ctbnlab.learning.completion import completed
from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.ctss.learner import Ctss
from ctbnlab.learning.nodes import learn
from tests.support.strategies import plain_variables, random_trajectories, trajectories


def joint_states(data, variables, targets, counts):
    """Return the counts of `_joint.joint_counts` as an object."""
    times, moves = counts
    return JointStates(
        variables, data.events.cardinalities.tolist(), times, dict(zip(targets, moves, strict=True))
    )


@st.composite
def nodes_with_focus(draw):
    """Draw data and some nodes, each with its own focus or none."""
    data = draw(trajectories(max_variables=7, max_events=40, rough=draw(st.booleans())))
    targets = draw(st.lists(st.integers(0, data.n_variables - 1), unique=True))
    memory = draw(st.sampled_from([0, 1 << 10, 1 << 14, 48 << 20]))
    nodes = []
    for target in targets:
        node = NodeStatistics(data, target, memory=memory)
        chosen = draw(st.none() | st.sets(st.sampled_from(node.candidates))) if node.candidates else set()
        if chosen is not None:
            node.focus(chosen, draw(st.none() | st.integers(0, len(chosen))))
        nodes.append(node)
    return data, nodes, memory


@given(nodes_with_focus(), st.integers(1, 3))
def test_shared_tables_equal_those_of_a_scan_for_each_node(case, jobs):
    data, nodes, memory = case
    share_joints(data, nodes, memory, jobs)
    for node in nodes:
        assert set(node._shared_joints) <= set(node.wanted_joints())
        for union in node.wanted_joints():
            alone = node._scan.joint(node.target, np.array(union, np.int32))
            np.testing.assert_array_equal(node.joint_counts(union), alone)


@given(
    st.booleans().flatmap(lambda rough: trajectories(max_variables=6, max_events=40, rough=rough)), st.data()
)
def test_marginals_of_joint_states_equal_direct_scans(data, draw):
    variables = tuple(sorted(draw.draw(st.sets(st.integers(0, data.n_variables - 1), min_size=1))))
    targets = sorted(draw.draw(st.sets(st.sampled_from(variables))))
    scan = NodeStatistics(data, 0)._scan
    (counts,) = joint_counts(scan, [(variables, targets)])
    joint = joint_states(data, variables, targets, counts)
    for target in targets:
        others = [v for v in variables if v != target]
        for size in range(len(others) + 1):
            for parents in combinations(others, size):
                alone = scan.joint(target, np.array(parents, np.int32))
                np.testing.assert_array_equal(joint.table(target, parents), alone)
                for_one_target = joint_table_of(scan, target, parents, data.events.cardinalities.tolist())
                np.testing.assert_array_equal(for_one_target, alone)


@given(nodes_with_focus())
def test_every_wanted_table_is_part_of_one_shared_table(case):
    data, nodes, memory = case
    wants = wants_of(nodes)
    cardinalities = data.events.cardinalities.tolist()
    within_memory = shared_tables(wants, cardinalities, memory)
    assert sum(table.nbytes(cardinalities) for table in within_memory) <= memory
    tables = shared_tables(wants, cardinalities, 1 << 40)
    assert sorted((w.node.target, w.union) for table in tables for w in table.wants) == sorted(
        (w.node.target, w.union) for w in wants
    )
    for table in tables:
        assert table.variables == frozenset().union(*(want.variables for want in table.wants))
        assert set(table.targets) <= table.variables


def test_nodes_share_a_scan_and_the_graph_is_that_of_node_by_node():
    """Neighbours in a chain share their candidates."""
    data = random_trajectories(np.random.default_rng(5), plain_variables([2, 3] * 4), [900, 0, 3, 700])
    nodes = [NodeStatistics(data, target) for target in range(8)]
    for node in nodes:
        node.focus([j for j in node.candidates if abs(j - node.target) < 3])
    assert share_joints(data, nodes, 48 << 20) > 0
    assert all(node._shared_joints for node in nodes)
    alone = NodeStatistics(data, 0)
    alone.focus((1, 2))
    assert share_joints(data, [alone], 48 << 20) == 0, "there is nothing to share"
    nodes[0]._shared_joints.clear()
    assert share_joints(data, nodes[:2], 1 << 8) == 0, "there is no memory"
    assert not nodes[0]._shared_joints
    for learner in (Ctpc(alpha=0.5), Ctss(search="exhaustive"), Ctss(search="exhaustive", max_parents=2)):
        graph = learn(data, learner).graph
        assert learn(data, learner, jobs=3).graph == graph
        assert learn(data, learner, memory=1 << 12).graph == graph
        parts = [learn(data, learner, nodes=[name]).graph.nodes[0] for name in data.names]
        assert completed(replace(graph, nodes=tuple(parts))) == graph


@pytest.mark.parametrize("n", [20, 300])
def test_many_blocks_of_events_and_tables_inside_and_outside_the_cache(n):
    """A block has 2,048 events; an index among 300 variables takes two bytes; the cache holds 2^17 cells."""
    variables = plain_variables([3 if i == 19 else 2 for i in range(n)])
    data = random_trajectories(np.random.default_rng(9), variables, [2048, 9000, 0, 2049, 5])
    scan = NodeStatistics(data, 0)._scan
    wanted = [
        ((0, 1, 2), [0, 2]),
        ((1, 5, 19), [19]),
        (tuple(range(18)), [3, 17]),
        ((n - 1,), [n - 1]),
    ]
    together = joint_counts(scan, wanted)
    for (variables, targets), counts in zip(wanted, together, strict=True):
        (alone,) = joint_counts(scan, [(variables, targets)])
        for joint in (joint_states(data, variables, targets, found) for found in (counts, alone)):
            for target in targets:
                others = [v for v in variables if v != target]
                expected = scan.joint(target, np.array(others, np.int32))
                np.testing.assert_array_equal(joint.table(target, others), expected)


def test_255_states_and_two_byte_variables():
    variables = plain_variables([255, *[2] * 299])
    data = random_trajectories(np.random.default_rng(1), variables, [3000, 0, 20, 4100])
    assert data.variable.dtype == np.uint16
    nodes = [NodeStatistics(data, target) for target in (1, 7, 298)]
    for node in nodes:
        node.focus([j for j in (0, 1, 7, 298) if j != node.target])
    assert share_joints(data, nodes, 48 << 20) > 0
    for node in nodes:
        (union,) = node.wanted_joints()
        assert union in node._shared_joints
        alone = node._scan.joint(node.target, np.array(union, np.int32))
        np.testing.assert_array_equal(node.joint_counts(union), alone)
    (counts,) = joint_counts(nodes[0]._scan, [((0, 298), [0])])
    table = joint_states(data, (0, 298), [0], counts).table(0, (298,))
    np.testing.assert_array_equal(table, nodes[0]._scan.joint(0, np.array([298], np.int32)))
