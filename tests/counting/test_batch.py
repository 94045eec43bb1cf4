"""Joint tables counted for several targets at once are, to the byte, those of each target's own scan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.counting._joint import joint_counts
from ctbnlab.counting.batch import share_joints, shared_tables, wants_of
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.tables import JointStates, joint_table_of
from ctbnlab.learning.contract import Skip, has_two_stages
from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.ctss.learner import Ctss
from ctbnlab.learning.nodes import LearnerError, learn
from ctbnlab.model.variables import Variable
from tests.support.strategies import random_trajectories, trajectories


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
        assert set(node._shared_joints) <= set(node.wanted_joints())
        for union in node.wanted_joints():
            alone = node._scan.joint(node.target, np.array(union, np.int32))
            np.testing.assert_array_equal(node.joint_counts(union), alone)


@given(trajectories(max_variables=6, max_events=40), st.data())
def test_marginals_of_joint_states_are_tables(data, draw):
    variables = tuple(sorted(draw.draw(st.sets(st.integers(0, data.n_variables - 1), min_size=1))))
    targets = sorted(draw.draw(st.sets(st.sampled_from(variables))))
    scan = NodeStatistics(data, 0)._scan
    ((times, moves),) = joint_counts(scan, [(variables, targets)])
    joint = JointStates(variables, data.cardinalities.tolist(), times, dict(zip(targets, moves, strict=True)))
    for target in targets:
        others = [v for v in variables if v != target]
        for size in range(len(others) + 1):
            for parents in combinations(others, size):
                alone = scan.joint(target, np.array(parents, np.int32))
                np.testing.assert_array_equal(joint.table(target, parents), alone)
                by_itself = joint_table_of(scan, target, parents, data.cardinalities.tolist())
                np.testing.assert_array_equal(by_itself, alone)


@given(focused())
def test_every_table_wanted_has_one_cover(case):
    data, nodes, memory = case
    wants = wants_of(nodes)
    states = data.cardinalities.tolist()
    some = shared_tables(wants, states, memory)
    assert sum(cover.nbytes(states) for cover in some) <= memory
    covers = shared_tables(wants, states, 1 << 40)
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


@dataclass(frozen=True)
class Halting(Ctpc):
    """Fails, declines or returns something else in the second stage of one node."""

    how: str = "fails"

    def prepare(self, statistics, knowledge):
        finish = super().prepare(statistics, knowledge)
        return self.halt if statistics.target == 1 else finish

    def halt(self):
        if self.how == "fails":
            raise KeyError("gone")
        if self.how == "declines":
            raise Skip("no time")
        return "nothing"


class HaltingEarly(Halting):
    """Does the same in the first stage."""

    def prepare(self, statistics, knowledge):
        if statistics.target == 1:
            return self.halt()
        return super().prepare(statistics, knowledge)


# What is reported if a stage returns text.
ANSWERS = {
    Halting: "X1: the learner returned str, not a NodeResult",
    HaltingEarly: "X1: TypeError: 'str' object is not callable",
}


@pytest.mark.parametrize("kind", [Halting, HaltingEarly])
def test_a_node_that_fails_in_a_stage_does_not_affect_others(kind):
    data = random_trajectories(
        np.random.default_rng(6), [Variable(f"X{i}", ("a", "b")) for i in range(4)], [300]
    )
    for how, status, reason in (
        ("fails", "failed", "X1: KeyError: 'gone'"),
        ("declines", "skipped", "no time"),
        ("answers", "failed", None),
    ):
        for jobs in (1, 3):
            finished = []
            learned = learn(data, kind(how=how), jobs=jobs, record_failures=True, progress=finished.append)
            (failure,) = learned.graph.failures
            assert (failure.target, failure.status) == (1, status)
            assert failure.reason == (reason or ANSWERS[kind])
            assert [node.target for node in learned.graph.nodes] == [0, 2, 3]
            assert sorted(finished) == sorted(data.names)
            assert learned.graph.nodes == tuple(n for n in learn(data, Ctpc()).graph.nodes if n.target != 1)
    with pytest.raises(LearnerError, match="KeyError"):
        learn(data, kind())


def test_a_subclass_may_override_learn_node():
    class Empty(Ctpc):
        def learn_node(self, statistics, knowledge):
            found = super().learn_node(statistics, knowledge)
            evidence = tuple(replace(entry, kept=False) for entry in found.evidence)
            return replace(found, parents=(), evidence=evidence)

    data = random_trajectories(
        np.random.default_rng(6), [Variable(f"X{i}", ("a", "b")) for i in range(4)], [300]
    )
    assert has_two_stages(Ctpc()) and has_two_stages(Halting()) and not has_two_stages(Empty())
    assert not learn(data, Empty(alpha=0.9)).graph.arcs
    assert learn(data, Ctpc(), nodes=[]).graph.nodes == learn(data, Empty(), nodes=[]).graph.nodes == ()


@pytest.mark.parametrize("n", [20, 300])
def test_many_blocks_of_events_in_near_and_far_tables(n):
    """Blocks have 2,048 events; 300 variables have two bytes; 18 of two states have more than 2^17 cells."""
    names = [Variable(f"X{i}", ("a", "b", "c")[: 2 + (i == 19)]) for i in range(n)]
    data = random_trajectories(np.random.default_rng(9), names, [2048, 9000, 0, 2049, 5])
    scan = NodeStatistics(data, 0)._scan
    wanted = [
        ((0, 1, 2), [0, 2]),
        ((1, 5, 19), [19]),
        (tuple(range(18)), [3, 17]),
        ((n - 1,), [n - 1]),
    ]
    together = joint_counts(scan, wanted)
    for (variables, targets), found in zip(wanted, together, strict=True):
        (alone,) = joint_counts(scan, [(variables, targets)])
        for times, moves in (found, alone):
            joint = JointStates(
                variables, data.cardinalities.tolist(), times, dict(zip(targets, moves, strict=True))
            )
            for target in targets:
                others = [v for v in variables if v != target]
                own = scan.joint(target, np.array(others, np.int32))
                np.testing.assert_array_equal(joint.table(target, others), own)


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
        (union,) = node.wanted_joints()
        assert union in node._shared_joints
        alone = node._scan.joint(node.target, np.array(union, np.int32))
        np.testing.assert_array_equal(node.joint_counts(union), alone)
    ((times, (moves,)),) = joint_counts(nodes[0]._scan, [((0, 298), [0])])
    wide = JointStates((0, 298), data.cardinalities.tolist(), times, {0: moves}).table(0, (298,))
    np.testing.assert_array_equal(wide, nodes[0]._scan.joint(0, np.array([298], np.int32)))
