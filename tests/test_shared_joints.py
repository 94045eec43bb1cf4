"""Joint tables counted for several targets at once are, to the byte, those of each target's own scan."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ctbnlab.learners.ctpc import Ctpc
from ctbnlab.learners.ctss import Ctss
from ctbnlab.learning import learn
from ctbnlab.shared_joints import JointStates, Want, covers_of, joint_counts, share_joints
from ctbnlab.statistics import NodeStatistics
from ctbnlab.variables import Variable
from strategies import random_trajectories, trajectories


@st.composite
def focused(draw):
    """Draw data and some nodes, each with a focus of its own or none."""
    data = draw(trajectories(max_variables=7, max_events=40))
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


@given(focused(), st.integers(1, 3))
def test_tables_are_those_of_a_scan_for_each(case, jobs):
    data, nodes, memory = case
    share_joints(data, nodes, memory, jobs)
    for node in nodes:
        assert set(node._shared_joints) <= set(node.joints_wanted())
        for union in node.joints_wanted():
            alone = node.scan.joint(node.target, np.array(union, np.int32))
            np.testing.assert_array_equal(node.joint_counts(union), alone)


@given(trajectories(max_variables=6, max_events=40), st.data())
def test_marginals_of_joint_states_are_tables(data, draw):
    variables = tuple(sorted(draw.draw(st.sets(st.integers(0, data.n_variables - 1), min_size=1))))
    targets = sorted(draw.draw(st.sets(st.sampled_from(variables))))
    scan = NodeStatistics(data, 0).scan
    ((times, moves),) = joint_counts(scan, [(variables, targets)])
    states = tuple(int(data.cardinalities[v]) for v in variables)
    joint = JointStates(variables, states, times, dict(zip(targets, moves, strict=True)))
    for target in targets:
        others = [v for v in variables if v != target]
        for size in range(len(others) + 1):
            for parents in combinations(others, size):
                alone = scan.joint(target, np.array(parents, np.int32))
                np.testing.assert_array_equal(joint.table(target, parents), alone)


@given(focused())
def test_every_table_wanted_has_one_cover(case):
    data, nodes, _ = case
    wants = [Want(node, union) for node in nodes for union in node.joints_wanted()]
    covers = covers_of(wants, data.cardinalities.tolist())
    assert sorted((w.node.target, w.union) for cover in covers for w in cover.wants) == sorted(
        (w.node.target, w.union) for w in wants
    )
    for cover in covers:
        assert cover.variables == frozenset().union(*(want.variables for want in cover.wants))
        assert set(cover.targets) <= cover.variables


def test_one_scan_serves_many_and_learns_the_same():
    """Neighbours in a chain share their candidates; a graph is the same as node by node."""
    names = [Variable(f"X{i}", ("a", "b", "c")[: 2 + i % 2]) for i in range(8)]
    data = random_trajectories(np.random.default_rng(5), names, [900, 0, 3, 700])
    nodes = [NodeStatistics(data, target) for target in range(8)]
    for node in nodes:
        node.focus([j for j in node.candidates if abs(j - node.target) < 3])
    assert share_joints(data, nodes, 48 << 20) > 0
    assert all(node._shared_joints for node in nodes)
    alone = NodeStatistics(data, 0)
    alone.focus((1, 2))
    assert share_joints(data, [alone], 48 << 20) == 0, "a node by itself counts for itself"
    nodes[0]._shared_joints.clear()
    assert share_joints(data, nodes[:2], 1 << 8) == 0, "no room"
    assert not nodes[0]._shared_joints
    for learner in (Ctpc(alpha=0.5), Ctss(search="exhaustive"), Ctss(search="exhaustive", max_parents=2)):
        whole = learn(data, learner).graph
        assert learn(data, learner, jobs=3).graph == whole
        assert learn(data, learner, memory=1 << 12).graph == whole
        parts = [learn(data, learner, nodes=[name]).graph.nodes[0] for name in data.names]
        assert replace(whole, nodes=tuple(parts)) == whole


def test_255_states_and_two_byte_variables():
    names = [Variable("wide", tuple(f"s{i}" for i in range(255)))]
    names += [Variable(f"X{i}", ("a", "b")) for i in range(299)]
    data = random_trajectories(np.random.default_rng(1), names, [3000, 0, 20, 4100])
    assert data.variable.dtype == np.uint16
    nodes = [NodeStatistics(data, target) for target in (1, 7, 298)]
    for node in nodes:
        node.focus([j for j in (0, 1, 7, 298) if j != node.target])
    assert share_joints(data, nodes, 48 << 20) > 0
    for node in nodes:
        (union,) = node.joints_wanted()
        assert union in node._shared_joints
        alone = node.scan.joint(node.target, np.array(union, np.int32))
        np.testing.assert_array_equal(node.joint_counts(union), alone)
    ((times, (moves,)),) = joint_counts(nodes[0].scan, [((0, 298), [0])])
    wide = JointStates((0, 298), (255, 2), times, {0: moves}).table(0, (298,))
    np.testing.assert_array_equal(wide, nodes[0].scan.joint(0, np.array([298], np.int32)))
