"""What exact answers cost, before they are asked for: for callers that have only seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ctbnlab.errors import InputError
from ctbnlab.inference.answering import timeline_at
from ctbnlab.inference.propagation import is_dense
from ctbnlab.inference.reduction import closure
from ctbnlab.inference.timeline import Stretch

if TYPE_CHECKING:
    from ctbnlab.inference.question import Query

_MOST_STATES = 2**26  # of variables before evidence: beyond, it is not looked at more closely
_STEPS = 30  # of a series, however short the time
_PRODUCTS = 60  # of matrices, where these are squared


class Followed(NamedTuple):
    """Variables that have the same ancestors, and the numbers to update for all of them; may be infinite."""

    names: list[str]
    effort: float


def efforts(query: Query, names: Sequence[str], times: Sequence[float]) -> list[Followed]:
    """Return variables that can be followed together, and what their states at times cost, cheapest first."""
    network = query.network
    terminal = [network.index(name) for name in network.roles.terminal]
    together: dict[frozenset[int], list[str]] = {}
    for name in names:
        needed = closure([network.index(name), *terminal], network.parents)
        together.setdefault(frozenset(needed), []).append(name)
    found = [Followed(group, _effort(query, needed, times)) for needed, group in together.items()]
    return sorted(found, key=lambda each: (each.effort, each.names))


def _effort(query: Query, needed: frozenset[int], times: Sequence[float]) -> float:
    if math.prod(len(query.network.variables[i].states) for i in needed) > _MOST_STATES:
        return math.inf
    try:
        timeline = timeline_at(query, [tuple(needed)], max(times), times)
    except InputError:
        return math.inf
    rate = timeline.model.exit_rate_bound()
    return math.fsum(_of_stretch(stretch, rate) for stretch in timeline.stretches)


def _of_stretch(stretch: Stretch, rate: float) -> float:
    chain, length = stretch.chain, stretch.end - stretch.begin
    if is_dense(chain, length):
        return float(_PRODUCTS * chain.size**3)
    steps = rate * length + 6 * math.sqrt(rate * length) + _STEPS if length else 1.0
    return steps * chain.size * max(len(chain.free), 1)
