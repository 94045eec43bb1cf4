"""The fitted network run from the initial states of the data, to compare its states with the observed ones."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.model.network import Network
from ctbnlab.presentation.page.data_profile import MOMENTS, States, horizon, states_over_time
from ctbnlab.simulation.simulate import simulate

# Each initial state that occurs needs a call of the simulator: some are taken, evenly spread.
MAX_STARTS = 200
MAX_TRAJECTORIES = 1000
MAX_EVENTS = 1_000_000


def observed_and_simulated(data: Trajectories, network: Network, seed: int) -> tuple[States, States] | None:
    """Return the states of the data over time since entry, and those of simulated trajectories.

    These begin in joint initial states of the data. None if there is nothing to compare, or if the network
    has more events than are simulated here.
    """
    last = horizon(data)
    if last <= 0 or not len(data) or not data.total_time:
        return None
    per_trajectory = 1 + data.n_changes / data.total_time * last
    count = min(MAX_TRAJECTORIES, int(MAX_EVENTS / per_trajectory))
    if not count:
        return None
    moments = np.linspace(0.0, last, MOMENTS)
    try:
        simulated = _simulated(data, network, last, count, seed, moments)
    except InputError:  # rates beyond what the simulator takes
        return None
    return states_over_time(data, moments), simulated


def _simulated(
    data: Trajectories, network: Network, duration: float, count: int, seed: int, moments: NDArray[np.float64]
) -> States:
    chosen = np.linspace(0, len(data) - 1, min(MAX_STARTS, len(data))).round().astype(int)
    starts = Counter(map(bytes, data.initial[chosen]))
    parts, weights, first = [], [], 0
    for codes, times in sorted(starts.items()):
        number = max(1, round(count * times / len(chosen)))
        made = simulate(
            network,
            trajectories=number,
            duration=duration,
            seed=seed,
            initial=_labels(data, codes),
            first=first,
        )
        first += number
        parts.append(states_over_time(made, moments))
        weights.append(times / number)
    return _pooled(parts, np.array(weights), moments)


def _labels(data: Trajectories, codes: bytes) -> dict[str, str]:
    """Return the initial states by name; those of clocks and unobserved ones are left to the network."""
    clocks = set(data.roles.clock_names)
    return {
        name: states[code]
        for (name, states), code in zip(data.variables, codes, strict=True)
        if name not in clocks and code < len(states)
    }


def _pooled(parts: list[States], weights: NDArray[np.float64], moments: NDArray[np.float64]) -> States:
    """Return the states of all parts together, each as often as its initial state is in the data."""
    observed = np.stack([part.observed for part in parts])
    weighted = weights[:, None] * observed
    total = weighted.sum(axis=0)
    shares = []
    for i in range(len(parts[0].shares)):
        own = np.stack([np.nan_to_num(part.shares[i]) for part in parts])
        summed = (weighted[:, :, None] * own).sum(axis=0)
        everyone = np.broadcast_to(total[:, None], summed.shape)
        shares.append(np.divide(summed, everyone, out=np.full(summed.shape, np.nan), where=everyone > 0))
    return States(moments, shares, observed.sum(axis=0))
