"""Checks of the times themselves: changes at one instant, times on a grid, too few changes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import printable
from ctbnlab.learning.contract import Check

# Share of changes that come together with another variable's, above which times look like those of visits.
MAX_TIED = 0.1
# The step of a grid as a share of the mean waiting time of the fastest variable, above which it matters. With
# 0.09, 1 of 87 arcs is lost, with 0.2, 3, and with 0.3, 15 (six binary nodes, 60 trajectories of 30).
MAX_STEP = 0.15
# An arc that makes rates three times larger explains this many nats per event, at most: ln 2 less the entropy
# of (1/4, 3/4). Where even such an arc could not reach the usual threshold of 3 + ln(candidates), learning
# has nothing to go by.
NATS_PER_EVENT = 0.1308
THRESHOLD = 3.0
MIN_INTERVALS = 20  # between times, below which a grid is not looked for
_SAMPLE = 50_000  # times that are looked at first


def check_ties(data: Trajectories) -> Check:
    """Check the share of changes that share their instant with a change of another variable."""
    data = data.compact()
    counted = data.is_transition()
    trajectory = np.repeat(np.arange(len(data)), data.stop - data.begin)[counted]
    time = data.time[counted]
    same = (time[1:] == time[:-1]) & (trajectory[1:] == trajectory[:-1])
    tied = np.zeros(len(time), bool)
    tied[1:] |= same
    tied[:-1] |= same
    share = float(tied.mean()) if len(tied) else 0.0
    message = f"{share:.0%} of changes share their instant with another variable's change"
    message += ": these look like visits, not exact times"
    return _check(
        "ties", None, share, share > MAX_TIED, message, "arcs between changes seen together are lost"
    )


def check_grid(data: Trajectories) -> Check:
    """Check that times are not all multiples of a step that is long beside the waiting times."""
    data = data.compact()
    counted = data.is_transition()
    time = data.time[counted]
    step = common_step(time)
    wait = _shortest_wait(data, counted)
    ratio = step / wait if wait > 0 else 0.0
    message = (
        f"all times are multiples of {step:g}, which is {ratio:.2g} times the mean waiting time of the "
        "fastest variable: changes in between are missing"
    )
    return _check("grid", None, ratio, ratio > MAX_STEP, message, "use exact times, or a finer unit")


def common_step(times: NDArray[np.float64]) -> float:
    """Return the longest step of which all differences of times are multiples; 0 if there is none.

    Euclid's algorithm on the differences of neighbours, which are multiples up to 1% of the step.
    """
    if len(times) <= MIN_INTERVALS:
        return 0.0
    some = np.unique(times[:: max(1, len(times) // _SAMPLE)])
    steps = np.diff(some)
    if len(steps) < 2:
        return 0.0
    # Numbers without a step have one as short as this, because they are rounded.
    shortest = 1e5 * float(np.spacing(np.abs(times).max()))
    step = float(steps.min())
    while step > shortest:
        rest = np.abs(steps - step * np.round(steps / step))
        wrong = rest > 0.01 * step
        if not wrong.any():
            break
        step = float(rest[wrong].min())
    else:
        return 0.0
    step = float(steps.sum() / np.round(steps / step).sum())
    from_first = times - some[0]
    off = np.abs(from_first - step * np.round(from_first / step)) > 0.01 * step
    return 0.0 if off.any() else step


def _shortest_wait(data: Trajectories, counted: NDArray[np.bool_]) -> float:
    """Return the mean waiting time of the variable that changes most often."""
    changes = np.bincount(data.variable[counted], minlength=data.n_variables)
    most = int(changes.max(initial=0))
    return data.total_time / most if most else math.inf


def check_scarcity(data: Trajectories, variable: int, n_transitions: float, n_candidates: int) -> Check:
    """Check that a variable has enough transitions to show an arc that makes its rates three times larger."""
    needed = math.ceil((THRESHOLD + math.log(max(1, n_candidates))) / NATS_PER_EVENT)
    events = "1 event" if n_transitions == 1 else f"{n_transitions:.0f} events"
    return _check(
        "scarce",
        data.names[variable],
        n_transitions,
        n_transitions < needed,
        f"too few events to learn from ({events}; an arc that triples rates takes about {needed})",
        "no arc does not mean no influence",
    )


def _check(
    name: str, variable: str | None, statistic: float, warns: bool, message: str, advice: str
) -> Check:
    if not warns:
        return Check(name, variable, statistic, False)
    return Check(name, variable, statistic, True, printable(message), advice)
