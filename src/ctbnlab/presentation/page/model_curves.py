"""Answers of the fitted network for the page: states over time, and terminal events, beside those observed.

The network starts as the data do, in their joint initial states. Where trajectories end by terminal events,
states over time are those of trajectories that go on, as the observed ones are. What is exact is exact; what
would take too long is simulated; what neither can answer in seconds is left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.inference.answer import Answer
from ctbnlab.inference.effort import efforts
from ctbnlab.inference.question import Query
from ctbnlab.io.shown import counted
from ctbnlab.model.network import Network

Floats = NDArray[np.float64]

MAX_EFFORT = 5e9  # numbers to update for the exact answers to a question: a second or two
MAX_EVENTS = 4_000_000  # of simulated copies of few variables: some two seconds
MAX_COPIES, MIN_COPIES = 10_000, 400  # with fewer, standard errors are above 0.025
_SLOWER = 100  # variables that double the time of an event
_FINER = 17  # times between two, to find a median


class Curve(NamedTuple):
    """Probabilities of a variable's states, [time, state], with standard errors if they are simulated."""

    values: Floats
    errors: Floats | None
    how: str


@dataclass
class Answered:
    """Curves by the name of the variable, and why the others are missing."""

    curves: dict[str, Curve] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True)
class Situation:
    """A network to ask, the data it starts like, and how long copies of it take to simulate."""

    query: Query
    live: dict[str, str]  # the state of each terminal variable before its event
    copies: int
    horizon: float


def situation(data: Trajectories, network: Network, horizon: float, seed: int) -> Situation:
    """Return what to ask. Rates that depend on a variable's own clock are means over it."""
    if network.roles.own_clock is not None:
        network = replace(network, roles=replace(network.roles, own_clock=None))
    # A copy's event takes longer the more variables there are.
    per_copy = (1 + data.n_changes / data.total_time * horizon) * (1 + data.n_variables / _SLOWER)
    live = {}
    for name in network.roles.terminal:
        states = data.variables[data.index(name)].states
        starts = [states[code] for code in np.unique(data.initial[:, data.index(name)]) if code < len(states)]
        if len(starts) == 1:
            live[name] = starts[0]
    copies = min(MAX_COPIES, int(MAX_EVENTS / per_copy))
    return Situation(Query(network, start_like=data, seed=seed), live, copies, horizon)


def states_of_model(asked: Situation, times: Floats) -> Answered:
    """Return the probabilities of all states of variables that are neither clocks nor terminal."""
    roles = asked.query.network.roles
    several = [name for name in roles.terminal if name not in asked.live]
    if several:
        return Answered(reason=f"{several[0]!r} is terminal and starts in several states")
    names = [name for name in asked.query.network.names if roles.role_of(name) not in ("clock", "terminal")]
    return _answered(asked, going_on(asked), names, times)


def going_on(asked: Situation) -> Query:
    """Return the query of trajectories that have not ended by a terminal event."""
    seen = [((0.0, asked.horizon), name, state) for name, state in asked.live.items()]
    return replace(asked.query, observe=seen)


def events_of_model(asked: Situation, times: Floats) -> Answered:
    """Return the probabilities that terminal variables have reached each state."""
    return _answered(asked, asked.query, list(asked.live), times)


def median(asked: Situation, name: str, state: int, curve: Curve, times: Floats) -> float | None:
    """Return the time by which half have reached a state of a terminal variable; None if fewer do."""
    reached = curve.values[:, state]
    k = int(np.searchsorted(reached >= 0.5, True))
    if k == len(reached):
        return None
    if k and curve.errors is None:
        times = np.linspace(times[k - 1], times[k], _FINER)
        answer = replace(asked.query, engine="exact").at(times.tolist(), [name])
        reached = _tables(answer, asked.query.network, [name], len(times))[name][0][:, state]
    return float(np.interp(0.5, reached, times))


def _answered(asked: Situation, query: Query, names: Sequence[str], times: Floats) -> Answered:
    """Answer exactly as long as the effort lasts, the cheapest first, and simulate the rest."""
    found, left, spent = Answered(), list[str](), 0.0
    exactly = replace(query, engine="exact")
    for each in efforts(exactly, names, times.tolist()):
        spent += each.effort
        if spent > MAX_EFFORT:
            left += each.names
        else:
            _add(found, exactly, each.names, times)
    if left and asked.copies >= MIN_COPIES:
        _add(found, replace(query, engine="simulation", samples=asked.copies), left, times)
    elif left:
        found.reason = (
            f"an exact answer would follow too many joint states, and {MIN_COPIES} simulated copies have too "
            "many events"
        )
    return found


def _add(found: Answered, query: Query, names: Sequence[str], times: Floats) -> None:
    ordered = [name for name in query.network.names if name in set(names)]
    try:
        answer = query.at(times.tolist(), ordered, filtering=True)
    except InputError as error:
        found.reason = str(error)
        return
    for name, (values, errors) in _tables(answer, query.network, ordered, len(times)).items():
        found.curves[name] = Curve(values, errors, _how(answer, errors))


def _how(answer: Answer, errors: Floats | None) -> str:
    about = answer.about
    matter = counted(about["variables"], "variable that matters", "variables that matter")
    if errors is None:
        return f"Exact: {matter}, {counted(about['joint_states'], 'joint state')}."
    copies = counted(about["samples"], "copy", "copies")
    return f"Simulated: {copies}, {matter}, standard errors up to {errors.max():.2g}."


def _tables(
    answer: Answer, network: Network, names: Sequence[str], times: int
) -> dict[str, tuple[Floats, Floats | None]]:
    """Return [time, state] for each variable, and the standard errors if there are some."""
    sizes = [len(network.variables[network.index(name)].states) for name in names]
    cuts = np.cumsum(sizes)[:-1]
    values = np.split(np.array(answer.values).reshape(times, -1), cuts, axis=1)
    if answer.about["engine"] == "exact":
        return {name: (table, None) for name, table in zip(names, values, strict=True)}
    errors = np.split(np.array(answer.columns["standard_error"]).reshape(times, -1), cuts, axis=1)
    return {name: pair for name, *pair in zip(names, values, errors, strict=True)}  # type: ignore[misc]
