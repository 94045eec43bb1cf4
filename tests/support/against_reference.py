"""Simulated trajectories side by side with those of the plain reference."""

from __future__ import annotations

from functools import partial
from unittest import mock

from ctbnlab import seeds
from ctbnlab.simulation import simulate as simulate_module
from ctbnlab.simulation.layout import lay_out
from ctbnlab.simulation.simulate import simulate
from tests.support import reference_simulation as reference

without_tables = partial(mock.patch.object, simulate_module, "lay_out", partial(lay_out, table_bytes=0))


def reference_of(network, seed, number, given=None, **length):
    """Return the initial state and events of one trajectory from the plain reference."""
    state = reference.initial_state(network, seeds.key64(seed, "initial states"), number, given or {})
    pairs = reference.uniform_pairs(seeds.key64(seed, "trajectories"), number)
    return state, reference.trajectory(network, state, pairs, **length)


def events_of(data, t):
    part = slice(int(data.begin[t]), int(data.stop[t]))
    return [
        tuple(row)
        for row in zip(
            data.time[part].tolist(),
            data.variable[part].tolist(),
            data.old[part].tolist(),
            data.new[part].tolist(),
            strict=True,
        )
    ]


def same_as_reference(network, *, seed=5, trajectories=2, first=0, **length):
    data = simulate(network, trajectories=trajectories, first=first, seed=seed, **length)
    with without_tables():
        assert simulate(network, trajectories=trajectories, first=first, seed=seed, **length).equals(data)
    for t in range(trajectories):
        state, events = reference_of(network, seed, first + t, **length)
        assert data.ids[t] == str(first + t)
        assert data.initial[t].tolist() == state
        assert events_of(data, t) == events
        last = events[-1] if events else (0.0, None)
        is_over = last[1] is not None and network.names[last[1]] in network.roles.terminal
        assert data.end[t] == (last[0] if is_over else length.get("duration", last[0]))
    return data
