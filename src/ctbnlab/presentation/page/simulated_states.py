"""The fitted network run from the initial states of the data, to compare its states with the observed."""

from __future__ import annotations

import numpy as np

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.model.network import Network
from ctbnlab.presentation.page.data_profile import MOMENTS, States, horizon, states_over_time
from ctbnlab.simulation.simulate import simulate_from

MAX_TRAJECTORIES = 1000
MAX_EVENTS = 1_000_000


def observed_and_simulated(data: Trajectories, network: Network, seed: int) -> tuple[States, States] | None:
    """Return the states of the data over time since entry, and those of simulated trajectories.

    These begin in joint initial states of the data, taken evenly. None if there is nothing to compare, or if
    the network has more events than are simulated here.
    """
    last = horizon(data)
    if last <= 0:
        return None
    per_trajectory = 1 + data.n_changes / data.total_time * last
    count = min(MAX_TRAJECTORIES, int(MAX_EVENTS / per_trajectory))
    if not count:
        return None
    moments = np.linspace(0.0, last, MOMENTS)
    chosen = np.linspace(0, len(data) - 1, count).round().astype(int)
    starts = [_labels(data, data.initial[k].tolist()) for k in chosen]
    try:
        simulated = simulate_from(network, starts, duration=last, seed=seed)
    except InputError:  # rates beyond what the simulator takes
        return None
    return states_over_time(data, moments), states_over_time(simulated, moments)


def _labels(data: Trajectories, codes: list[int]) -> dict[str, str]:
    """Return the initial states by name; those of clocks and unobserved ones are left to the network."""
    clocks = set(data.roles.clock_names)
    return {
        name: states[code]
        for (name, states), code in zip(data.variables, codes, strict=True)
        if name not in clocks and code < len(states)
    }
