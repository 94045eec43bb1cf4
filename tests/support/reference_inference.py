"""Plain inference for small networks: the joint intensity matrix, SciPy's matrix exponential, and masks.

Joint states are in C order. Evidence and interventions are given by indices: points [(time, variable,
likelihoods)], intervals [(start, end, variable, state)] and holds of the same form.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm

from ctbnlab.model.cims import DrawnCims
from tests.support.small_networks import joint_intensity, network_of


def states_of(network):
    return np.array(list(np.ndindex(*network.cardinalities.tolist())))


def start_of(network):
    """Return the initial probability of every joint state."""
    probability = []
    for state in states_of(network):
        p = 1.0
        for i, (parents, table) in enumerate(
            zip(network.initial.parents, network.initial.tables, strict=True)
        ):
            row = 0
            for j in parents:
                row = row * int(network.cardinalities[j]) + int(state[j])
            p *= table[row, state[i]]
        probability.append(p)
    return np.array(probability)


def held_intensity(network, held):
    """Return the joint intensities while some variables do not move."""
    q, states = joint_intensity(network), states_of(network)
    for i in held:
        moves = states[:, None, i] != states[None, :, i]
        q[moves] = 0
    np.fill_diagonal(q, 0)
    np.fill_diagonal(q, -q.sum(axis=1))
    return q


def smoothed(network, time, points=(), intervals=(), holds=(), filtering=False):
    """Return the joint distribution at a time given the evidence, and the likelihood of the evidence."""
    states = states_of(network)
    horizon = max([time, *(t for t, _, _ in points), *(b for _, b, _, _ in intervals)])
    moments = sorted({0.0, time, horizon, *(t for t, _, _ in points)}
                     | {t for a, b, _, _ in intervals for t in (a, b)}
                     | {t for a, b, _, _ in holds for t in (a, b) if t < horizon})  # fmt: skip
    moments = [t for t in moments if t <= horizon]

    def weights(t):
        w = np.ones(len(states))
        for at, i, likelihood in points:
            if at == t and not (filtering and at > time):
                w *= np.asarray(likelihood)[states[:, i]]
        for begin, _, i, x in intervals:
            if begin == t and not (filtering and begin > time):
                w *= states[:, i] == x
        return w

    def step(a, b):
        held = [i for s, e, i, _ in holds if s <= a < e]
        q = held_intensity(network, held)
        seen = np.ones(len(states), bool)
        for s, e, i, x in intervals:
            if s <= a < e and not (filtering and a >= time):
                seen &= states[:, i] == x
        matrix = np.zeros_like(q)
        inside = np.flatnonzero(seen)
        matrix[np.ix_(inside, inside)] = expm(q[np.ix_(inside, inside)] * (b - a))
        return matrix

    def moved(p, t):
        """Put held variables into their states where that begins."""
        for s, _, i, x in holds:
            if s == t:
                joint = p.reshape(network.cardinalities.tolist())
                target = np.zeros_like(joint)
                index = [slice(None)] * joint.ndim
                index[i] = x
                target[tuple(index)] = joint.sum(axis=i)
                p = target.reshape(-1)
        return p

    before = moved(start_of(network), 0.0) * weights(0.0)
    back = None
    position = moments.index(time)
    for a, b in pairwise(moments[: position + 1]):
        before = moved(before @ step(a, b), b) * weights(b)
    back = np.eye(len(states))
    for a, b in pairwise(moments[position:]):
        back = np.array([moved(row, b) for row in back @ step(a, b)]) * weights(b)
    joint = before * back.sum(axis=1)
    return joint / (joint.sum() or 1.0), joint.sum()


@st.composite
def joint_networks(draw, max_joint=512, max_variables=5, max_states=4, unequal=True):
    """Draw a cyclic network of few joint states, with rates of 0 and rates that differ 10⁴-fold."""
    cardinalities = draw(st.lists(st.integers(1, max_states), min_size=1, max_size=max_variables))
    while np.prod(cardinalities) > max_joint:
        cardinalities.remove(max(cardinalities))
    n = len(cardinalities)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    zeros = draw(st.sampled_from([0.0, 0.3, 0.7]))
    spread = draw(st.sampled_from([0.0, 1.0, 4.0])) if unequal else 0.0
    parents, rates = [], []
    for i in range(n):
        others = rng.permutation([j for j in range(n) if j != i]).astype(int)
        chosen = tuple(others[: rng.integers(0, min(3, len(others)) + 1)].tolist())
        configurations = int(np.prod([cardinalities[j] for j in chosen], dtype=int))
        shape = (configurations, cardinalities[i], cardinalities[i])
        table = 10 ** rng.uniform(-spread / 2, spread / 2, shape) * rng.uniform(0.2, 2, shape)
        parents.append(chosen)
        rates.append(table * (rng.random(shape) >= zeros))
    assert not any(isinstance(r, DrawnCims) for r in rates)
    network = network_of(cardinalities, parents, rates)
    if draw(st.booleans()):
        fixed = {v.name: v.states[int(rng.integers(len(v.states)))] for v in network.variables}
        return network.with_initial(fixed)
    return network
