"""Simulate trajectories of a network, exactly (Gillespie's direct method) and reproducibly from a seed.

In a joint state, the waiting time is exponential with the sum of all exit rates; one uniform number over the
cumulative rates then selects the variable that changes and its new state. Times are doubles: if a wait is too
short to advance the clock, the event takes the next double, so that times always increase.

A clock of the network moves on at its cuts, which are events of the clock; the first change of a terminal
variable ends its trajectory. The data have the roles of the network.

Every trajectory has a separate random stream, which depends only on the seed and the trajectory's number.
However trajectories are split over calls, processes or threads, the result is therefore the same.
"""

from __future__ import annotations

import logging
import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab import seeds
from ctbnlab.data.arrow_writer import Spool
from ctbnlab.data.trajectories import Trajectories, index_type
from ctbnlab.errors import InputError
from ctbnlab.io.limits import MAX_EVENTS, MAX_JOBS, MAX_TOTAL_TIME, MIN_DURATION, require_between
from ctbnlab.model.network import Network
from ctbnlab.model.network_roles import first_period
from ctbnlab.simulation._simulation import Walker
from ctbnlab.simulation.layout import SimulationLayout, lay_out

_log = logging.getLogger(__name__)

_PIECE_EVENTS = 1 << 18  # events per piece
_BATCH_EVENTS = 1 << 22  # expected number of events that a thread simulates at a time


def simulate(
    network: Network,
    *,
    trajectories: int = 1,
    duration: float | None = None,
    transitions: int | None = None,
    seed: int,
    initial: Mapping[str, str] | None = None,
    first: int = 0,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Trajectories:
    """Return simulated trajectories with ids `first`, `first` + 1, …

    Each starts at time 0 and runs either for `duration` or for a number of `transitions`; in the second case
    it ends at the time of the last one. If an absorbing joint state is reached, there are no more events: a
    trajectory with a given duration is still observed to its end, one with given transitions ends with its
    last event (at time 0 if there is none). Changes of clocks do not count as transitions.

    Initial states are drawn from the network's initial distribution. `initial` fixes some or all of them, by
    label; the others are drawn from their distribution given their parents' states. The work is shared by
    `jobs` threads; `progress` is called with the number of trajectories that have ended since the last call.
    """
    task = _task(network, trajectories, duration, transitions, seed, initial, first)
    return _joined(network, task.first, list(_run(task, jobs, progress)))


def simulate_from(
    network: Network, initial: Sequence[Mapping[str, str]], *, duration: float, seed: int
) -> Trajectories:
    """Return one simulated trajectory from each of several initial states, which may leave variables out."""
    task = _task(network, len(initial), duration, None, seed, None, 0)
    pieces = [
        piece
        for k, states in enumerate(initial)
        for piece in _pieces(replace(task, first=k, count=1, given=_given(network, states)))
    ]
    return _joined(network, 0, pieces)


def simulate_to(
    path: str | os.PathLike[str],
    network: Network,
    *,
    trajectories: int = 1,
    duration: float | None = None,
    transitions: int | None = None,
    seed: int,
    initial: Mapping[str, str] | None = None,
    first: int = 0,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Simulate like `simulate`, but write to an Arrow file and return the number of events, clocks included.

    Memory does not grow with the number of events: it is a few megabytes with one job, and with several jobs
    some tens of megabytes per job, or the size of its longest trajectory if that is more.
    """
    task = _task(network, trajectories, duration, transitions, seed, initial, first)
    with Spool(path) as spool:
        number, ties = first, False
        for piece in _run(task, jobs, progress):
            before = spool.n_events
            spool.append_events(piece.time, piece.variable, piece.old, piece.new)
            ids = [str(number + k) for k in range(len(piece.stop))]
            start = np.zeros(len(piece.stop))
            spool.append_trajectories(ids, piece.stop + before, start, piece.end, piece.initial)
            number += len(piece.stop)
            ties |= piece.ties
        spool.close(network.variables, ties=ties, roles=network.roles)
        return spool.n_events


@dataclass(frozen=True, eq=False)
class _Task:
    """What to simulate: `count` trajectories from number `first`."""

    layout: SimulationLayout
    key: int
    initial_key: int
    first: int
    count: int
    duration: float | None
    transitions: int | None
    given: NDArray[np.int32]  # fixed initial states; -1 for those to draw


@dataclass(frozen=True, eq=False)
class _Piece:
    """Consecutive events, and the trajectories that end among them; `stop` counts from the first event."""

    time: NDArray[np.float64]
    variable: NDArray[Any]
    old: NDArray[np.uint8]
    new: NDArray[np.uint8]
    stop: NDArray[np.int64]
    end: NDArray[np.float64]
    initial: NDArray[np.uint8]
    ties: bool = False  # whether several clocks change at one instant, here or in an earlier piece


def _task(
    network: Network,
    trajectories: int,
    duration: float | None,
    transitions: int | None,
    seed: int,
    initial: Mapping[str, str] | None,
    first: int,
) -> _Task:
    if (duration is None) == (transitions is None):
        raise InputError("specify either a duration or a number of transitions")
    if duration is not None and not 0 <= duration < math.inf:
        raise InputError(f"the duration must be finite and 0 or more, not {duration}")
    if transitions is not None:
        require_between(transitions, 0, MAX_EVENTS, "the number of transitions")
    require_between(trajectories, 1, MAX_EVENTS, "the number of trajectories")
    if transitions is not None and transitions * trajectories > MAX_EVENTS:
        raise InputError(
            f"the transitions of all trajectories must be at most {MAX_EVENTS:,}; simulate fewer"
        )
    if duration is not None and duration * trajectories > MAX_TOTAL_TIME:
        raise InputError("the durations add up to too long a time; use a larger unit of time")
    if duration is not None and 0 < duration < MIN_DURATION:
        raise InputError(f"the duration {duration} is too short; use a smaller unit of time")
    require_between(first, 0, 2**63 - 1 - trajectories, "the number of the first trajectory")
    require_between(seed, 0, math.inf, "the seed")
    return _Task(
        layout=lay_out(network),
        key=seeds.key64(seed, "trajectories"),
        initial_key=seeds.key64(seed, "initial states"),
        first=first,
        count=trajectories,
        duration=duration,
        transitions=transitions,
        given=_given(network, initial or {}),
    )


def _given(network: Network, initial: Mapping[str, str]) -> NDArray[np.int32]:
    given = np.full(len(network.variables), -1, np.int32)
    index = {variable.name: i for i, variable in enumerate(network.variables)}
    for name, label in initial.items():
        if name not in index:
            raise InputError(
                f"initial state: unknown variable {name!r}; the variables are {', '.join(index)}"
            )
        states = network.variables[index[name]].states
        if label not in states:
            raise InputError(
                f"initial state: {name!r} has no state {label!r}; its states are "
                f"{', '.join(map(repr, states))}"
            )
        if name in network.roles.clock_names:
            raise InputError(f"initial state: {name!r} is a clock, which always starts at time 0")
        given[index[name]] = states.index(label)
    for clock in network.roles.clocks:
        given[index[clock.name]] = first_period(clock.cuts)
    return given


def _run(task: _Task, jobs: int, progress: Callable[[int], None] | None) -> Iterator[_Piece]:
    """Yield the pieces of all trajectories in order."""
    require_between(jobs, 1, MAX_JOBS, "the number of jobs")
    _log.info("simulating: trajectories %d, variables %d, threads %d", task.count, len(task.given), jobs)
    began, events = time.perf_counter(), 0
    for piece in _pieces(task) if jobs == 1 else _pieces_by_threads(task, jobs):
        events += len(piece.time)
        yield piece
        if progress is not None and len(piece.stop):
            progress(len(piece.stop))
    _log.info("simulated: events %d; %.2f s", events, time.perf_counter() - began)


def _pieces(task: _Task) -> Iterator[_Piece]:
    walker = Walker(
        task.layout,
        task.key,
        task.initial_key,
        task.first,
        task.count,
        task.duration,
        task.transitions,
        task.given,
    )
    n = len(task.given)
    capacity = min(task.count, 4096, max(1, (1 << 24) // n))
    while not walker.finished:
        time = np.empty(_PIECE_EVENTS)
        variable = np.empty(_PIECE_EVENTS, index_type(n))
        old, new = np.empty(_PIECE_EVENTS, np.uint8), np.empty(_PIECE_EVENTS, np.uint8)
        stop, end = np.empty(capacity, np.int64), np.empty(capacity)
        initial = np.empty((capacity, n), np.uint8)
        events, ended = walker.advance(time, variable.view(np.uint8), old, new, stop, end, initial)
        filled: list[Any] = [_trimmed(column, events) for column in (time, variable, old, new)]
        filled += [_trimmed(column, ended) for column in (stop, end, initial)]
        yield _Piece(*filled, *[walker.has_ties])


def _trimmed(column: NDArray[Any], length: int) -> NDArray[Any]:
    """Return the filled part of a column; copy it if most of the column is unused, to free the memory."""
    return column[:length] if 2 * length > len(column) else column[:length].copy()


def _pieces_by_threads(task: _Task, jobs: int) -> Iterator[_Piece]:
    """Distribute batches of trajectories over threads, and yield their pieces in order.

    The number of events in the first trajectory determines the number of trajectories per batch.
    """
    pilot = list(_pieces(replace(task, count=1)))
    yield from pilot
    expected = 1 + sum(len(piece.time) for piece in pilot)
    batch = max(1, min(_BATCH_EVENTS // expected, -(-(task.count - 1) // (4 * jobs))))
    starts = iter(range(task.first + 1, task.first + task.count, batch))
    pending: deque[Future[list[_Piece]]] = deque()
    pool = ThreadPoolExecutor(jobs)
    try:
        while True:
            while len(pending) < 2 * jobs and (begin := next(starts, None)) is not None:
                count = min(batch, task.first + task.count - begin)
                part = replace(task, first=begin, count=count)
                pending.append(pool.submit(lambda part: list(_pieces(part)), part))
            if not pending:
                return
            yield from pending.popleft().result()
    finally:
        # After an interruption or an error, do not wait for batches that nobody will read.
        pool.shutdown(wait=False, cancel_futures=True)


def _joined(network: Network, first: int, pieces: list[_Piece]) -> Trajectories:
    starts = np.cumsum([0, *(len(piece.time) for piece in pieces)])
    stop = np.concatenate([piece.stop + before for piece, before in zip(pieces, starts, strict=False)])
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(piece, name) for piece in pieces])
        for name in ("time", "variable", "old", "new", "end", "initial")
    }
    return Trajectories.from_columns(
        network.variables,
        [str(first + k) for k in range(len(stop))],
        begin=np.concatenate([np.zeros(1, np.int64), stop[:-1]]),
        stop=stop,
        start=np.zeros(len(stop)),
        ties=any(piece.ties for piece in pieces),
        roles=network.roles,
        **columns,
    )
