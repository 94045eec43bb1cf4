"""What is asked about: a start, what is held, what was seen, and rates other than the network's.

Evidence and interventions are written alike. `X=x` holds from the start on (an intervention) or is seen at
time 0 (evidence); `2:X=x` at or from time 2 on; `2..5:X=x` from 2 to 5. In Python they may also be tuples
(when, variable, state), where `when` is a time or a pair, and the state of a point of evidence may be {state:
likelihood}.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.inference.joint_start import JointStart
from ctbnlab.model.cims import MAX_RATE, TabledCims, configuration_of
from ctbnlab.model.initial import SUM_TOLERANCE, InitialDistribution
from ctbnlab.model.names import parse_assignments
from ctbnlab.model.network import Network
from ctbnlab.model.network_roles import first_period

Floats = NDArray[np.float64]
Item = str | tuple[Any, str, Any]
RateChange = tuple[str, Mapping[str, str], str, str, float]

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?inf|nan"
_TIMED = re.compile(rf"\s*({_NUMBER})(?:\.\.({_NUMBER}))?\s*:(.*)", re.DOTALL)


class Seen(NamedTuple):
    """Evidence about a variable at a time, or throughout an interval: likelihoods of its states."""

    variable: int
    start: float
    end: float
    likelihood: tuple[float, ...]

    @property
    def state(self) -> int | None:
        """The only state that is possible, if there is one."""
        possible = [k for k, value in enumerate(self.likelihood) if value > 0]
        return possible[0] if len(possible) == 1 and self.likelihood[possible[0]] == 1 else None


class Held(NamedTuple):
    """A variable kept in a state, from a time on or between two."""

    variable: int
    state: int
    start: float
    end: float


@dataclass(frozen=True, eq=False)
class Scenario:
    """A network with its changed rates, the distribution it starts from, interventions and evidence."""

    network: Network
    initial: InitialDistribution
    held: tuple[Held, ...] = ()
    seen: tuple[Seen, ...] = field(default=())
    joint: JointStart | None = None  # in place of the initial distribution, which is then of each variable

    @property
    def always_held(self) -> set[int]:
        """The variables that are held from the start for ever."""
        return {h.variable for h in self.held if h.start == 0 and h.end == math.inf}


def scenario(
    network: Network,
    start: Mapping[str, Any] | None = None,
    do: Mapping[str, str] | Iterable[Item] = (),
    observe: Mapping[str, str] | Iterable[Item] = (),
    rates: Iterable[RateChange] = (),
    start_like: Trajectories | None = None,
    seed: int = 0,
) -> Scenario:
    """Check everything that a question may give, and return it by indices."""
    network = with_rates(network, rates)
    held = tuple(_held(network, item) for item in _items(do))
    seen = tuple(_seen(network, item) for item in _items(observe))
    _require_one_at_a_time(network, held, seen)
    if start_like is None:
        return Scenario(network, _initial(network, start or {}, held), held, seen)
    joint = _joint_start(network, start or {}, held, start_like, seed)
    return Scenario(network, joint.each(network), held, seen, joint)


def parse_item(text: str) -> list[tuple[Any, str, str]]:
    """Read `X=x`, `2:X=x` or `2..5:X=x`; several assignments are separated by commas."""
    match = _TIMED.fullmatch(text)
    when: Any = None
    if match:
        when = float(match[1]) if match[2] is None else (float(match[1]), float(match[2]))
        text = match[3]
    return [(when, name, state) for name, state in parse_assignments(text).items()]


def _items(given: Mapping[str, str] | Iterable[Item]) -> list[tuple[Any, str, Any]]:
    if isinstance(given, Mapping):
        return [(None, name, state) for name, state in given.items()]
    result: list[tuple[Any, str, Any]] = []
    for item in [given] if isinstance(given, str) else given:
        result += parse_item(item) if isinstance(item, str) else [item]
    return result


def code_of(network: Network, name: str, state: Any, what: str) -> tuple[int, int]:
    """Return the indices of a variable and of one of its states."""
    i = network.index(name)
    states = network.variables[i].states
    if state not in states:
        raise InputError(f"{what}: {name!r} has no state {state!r}; its states are {', '.join(states)}")
    return i, states.index(state)


def _times(when: Any, what: str) -> tuple[float, float | None]:
    """Return the start and the end of an item; the latter is None if only one time is given."""
    first, last = when if isinstance(when, tuple) else (0.0 if when is None else when, None)
    if not 0 <= first < math.inf:
        raise InputError(f"{what}: a time must be finite and 0 or more, not {first}")
    if last is not None and not first < last <= math.inf:
        raise InputError(f"{what}: the interval from {first} to {last} is empty")
    return float(first), None if last is None else float(last)


def _held(network: Network, item: tuple[Any, str, Any]) -> Held:
    when, name, state = item
    what = "intervention"
    variable, code = code_of(network, name, state, what)
    start, end = _times(when, what)
    if name in network.roles.clock_names:
        raise InputError(f"{what}: {name!r} is a clock, which nothing stops")
    partly = start > 0 or end not in (None, math.inf)
    if name in network.roles.terminal and partly:
        raise InputError(f"{what}: {name!r} is terminal; it can be held only from the start, for ever")
    return Held(variable, code, start, math.inf if end is None else end)


def _seen(network: Network, item: tuple[Any, str, Any]) -> Seen:
    when, name, state = item
    what = "evidence"
    start, end = _times(when, what)
    if isinstance(state, Mapping):
        likelihood = _likelihood(network, name, state)
        if end is not None:
            raise InputError(f"{what}: soft evidence about {name!r} needs one time, not an interval")
    else:
        variable, code = code_of(network, name, state, what)
        likelihood = tuple(float(k == code) for k in range(len(network.variables[variable].states)))
    if end == math.inf:
        raise InputError(f"{what}: the interval of {name!r} must end")
    if name in network.roles.clock_names:
        raise InputError(f"{what}: {name!r} is a clock, which is known at every time")
    return Seen(network.index(name), start, start if end is None else end, likelihood)


def _likelihood(network: Network, name: str, given: Mapping[str, float]) -> tuple[float, ...]:
    for state in given:
        code_of(network, name, state, "evidence")
    values = [float(given.get(state, 0.0)) for state in network.variables[network.index(name)].states]
    if not all(0 <= value < math.inf for value in values) or not any(values):
        raise InputError(f"evidence: likelihoods of {name!r} must be 0 or more, and one of them above 0")
    return tuple(values)


def _require_one_at_a_time(network: Network, held: Sequence[Held], seen: Sequence[Seen]) -> None:
    """Refuse two interventions on a variable at one time, and contradictions within the evidence."""
    for one, other in _overlapping(held):
        name = network.variables[one.variable].name
        if one.start == other.start or one.state != other.state:
            raise InputError(f"two interventions hold {name!r} at the same time")
    for h in held:
        for s in seen:
            during = h.start < s.end or h.start == s.start == s.end
            if s.variable == h.variable and during and s.start < h.end and not s.likelihood[h.state]:
                name, time = network.variables[h.variable].name, max(h.start, s.start)
                raise InputError(f"the evidence about {name!r} contradicts the intervention at {time:g}")
    for a, b in _overlapping(seen):
        if not any(x * y for x, y in zip(a.likelihood, b.likelihood, strict=True)) and not _adjacent(a, b):
            name = network.variables[a.variable].name
            raise InputError(
                f"the evidence about {name!r} contradicts itself at time {max(a.start, b.start):g}"
            )


def _adjacent(a: Seen, b: Seen) -> bool:
    """Return whether one interval begins where the other ends: the variable changed at that time."""
    return a.start < a.end and b.start < b.end and (a.end == b.start or b.end == a.start)


def _overlapping(items: Sequence[Any]) -> Iterable[tuple[Any, Any]]:
    for k, one in enumerate(items):
        for other in items[:k]:
            touching = one.start <= other.end and other.start <= one.end
            if isinstance(one, Held):
                touching = one.start < other.end and other.start < one.end
            if one.variable == other.variable and touching:
                yield other, one


# ---- The start ----


def _initial(network: Network, start: Mapping[str, Any], held: Sequence[Held]) -> InitialDistribution:
    """Return the initial distribution with what is given in place of the tables of these variables.

    The others start as the network has it, given the states of their parents.
    """
    rows: dict[int, Floats] = {}
    for name, given in start.items():
        i = network.index(name)
        _refuse_clock(network, name)
        rows[i] = _row(network, i, given)
    for h in held:
        if h.start == 0:
            rows[h.variable] = np.eye(len(network.variables[h.variable].states))[h.state]
    for clock in network.roles.clocks:
        i = network.index(clock.name)
        rows[i] = np.eye(len(network.variables[i].states))[first_period(clock.cuts)]
    if not rows:
        return network.initial
    parents = [() if i in rows else row for i, row in enumerate(network.initial.parents)]
    tables = [rows[i][None] if i in rows else table for i, table in enumerate(network.initial.tables)]
    return InitialDistribution.build(network.variables, parents, tables)


def _refuse_clock(network: Network, name: str) -> None:
    if name in network.roles.clock_names:
        raise InputError(f"start: {name!r} is a clock, which always starts at time 0")


def _joint_start(
    network: Network, start: Mapping[str, Any], held: Sequence[Held], data: Trajectories, seed: int
) -> JointStart:
    """Return the joint initial states of data, with the states that are given in place of theirs."""
    joint = JointStart.of_data(data, network, seed)
    for name, given in start.items():
        _refuse_clock(network, name)
        if isinstance(given, Mapping):
            raise InputError(
                f"start: give a state of {name!r}; with data to start like, a distribution is not taken"
            )
        joint = joint.starting(*code_of(network, name, given, "start"))
    for h in held:
        if h.start == 0:
            joint = joint.starting(h.variable, h.state)
    return joint


def _row(network: Network, i: int, given: Any) -> Floats:
    name, states = network.variables[i]
    if not isinstance(given, Mapping):
        certain: Floats = np.eye(len(states))[code_of(network, name, given, "start")[1]]
        return certain
    for state in given:
        code_of(network, name, state, "start")
    row = np.array([float(given.get(state, 0.0)) for state in states])
    if not (row >= 0).all() or abs(row.sum() - 1) > SUM_TOLERANCE:
        raise InputError(f"start: the probabilities of {name!r} must be 0 or more and sum to 1")
    return row


# ---- Rates ----


def with_rates(network: Network, changes: Iterable[RateChange]) -> Network:
    """Return the network with some rates replaced: (variable, {parent: state}, from, to, rate).

    Parents that are left out stand for all their states.
    """
    tables: dict[int, Floats] = {}
    for name, given, before, after, rate in changes:
        i, x = code_of(network, name, before, "rate")
        y = code_of(network, name, after, "rate")[1]
        if x == y or not 0 <= rate <= MAX_RATE:
            fault = "goes to the same state" if x == y else f"must be between 0 and {MAX_RATE:g}, not {rate}"
            raise InputError(f"rate: that of {name!r} from {before!r} to {after!r} {fault}")
        if name in network.roles.never_targets:
            raise InputError(f"rate: {name!r} is {network.roles.role_of(name)} and has no rates")
        table = tables.setdefault(i, network.cims[i].table().copy())
        for u in _configurations(network, i, given):
            table[u, x, y] = rate
    cims = list(network.cims)
    for i, table in tables.items():
        diagonal = np.arange(table.shape[1])
        table[:, diagonal, diagonal] = 0
        table[:, diagonal, diagonal] = -table.sum(axis=2)
        cims[i] = TabledCims(table)
    return replace(network, cims=tuple(cims)) if tables else network


def _configurations(network: Network, i: int, given: Mapping[str, str]) -> Iterable[int]:
    parents = network.parents[i]
    names = [network.variables[j].name for j in parents]
    for parent in given:
        if parent not in names:
            raise InputError(f"rate: {parent!r} is not a parent of {network.variables[i].name!r}")
    sizes = [len(network.variables[j].states) for j in parents]
    fixed = [code_of(network, name, given[name], "rate")[1] if name in given else None for name in names]
    for states in np.ndindex(*sizes):
        if all(f is None or f == s for f, s in zip(fixed, states, strict=True)):
            yield configuration_of(states, sizes)
