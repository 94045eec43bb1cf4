"""A reference simulator in plain Python: slow, simple, and equal to the real one bit for bit.

Only the joint state is kept from one event to the next: rates are looked up and summed again. The random
numbers are those of Philox4x32-10, implemented here from its definition.
"""

from __future__ import annotations

import math
from itertools import accumulate, count

MASK = 0xFFFFFFFF


def philox(key: int, counter: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    c0, c1, c2, c3 = counter
    k0, k1 = key & MASK, key >> 32
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & MASK, (p0 >> 32) ^ c3 ^ k1, p0 & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return c0, c1, c2, c3


def uniform_pairs(key: int, trajectory: int):
    """Yield two numbers in [0, 1) from each block of a trajectory's stream, 53 bits each."""
    for block in count():
        words = philox(key, (block & MASK, block >> 32, trajectory & MASK, trajectory >> 32))
        yield tuple(((words[k] >> 5) * 2**26 + (words[k + 1] >> 6)) / 2**53 for k in (0, 2))


def choose(cumulative: list[float], target: float) -> tuple[int, float]:
    """Return the first member whose cumulative sum exceeds the target, and the rest of the target."""
    chosen = sum(c <= target for c in cumulative)
    if chosen == len(cumulative):  # rounding: take the last member that is not 0
        chosen = sum(c < cumulative[-1] for c in cumulative)
    return chosen, target - (cumulative[chosen - 1] if chosen else 0.0)


def cumulate(block: list[float]) -> list[float]:
    """Return the cumulative sums of up to eight numbers, the second half on top of the first."""
    first, second = list(accumulate(block[:4])), list(accumulate(block[4:]))
    return first + [first[-1] + s for s in second]


def pyramid(members: list[float]) -> list[list[list[float]]]:
    """Return the cumulative sums of blocks of eight members, then of eight sums, up to a single block."""
    levels = [[cumulate(members[k : k + 8]) for k in range(0, len(members), 8)]]
    if len(levels[0]) > 1:
        levels += pyramid([block[-1] for block in levels[0]])
    return levels


def rates(network, state: list[int], i: int) -> list[float]:
    """Return the cumulative rates of variable i to its other states, in order."""
    configuration = 0
    for parent in network.parents[i]:
        configuration = configuration * len(network.variables[parent].states) + state[parent]
    row = network.cims[i].matrices([configuration])[0, state[i]].tolist()
    return list(accumulate(row[: state[i]] + row[state[i] + 1 :])) or [0.0]


def initial_state(network, key: int, trajectory: int, given: dict[int, int]) -> list[int]:
    """Draw the initial state from the Bayesian network; variable i uses number i of the stream.

    Clocks start in the period of time 0, whatever their distribution.
    """
    clocks = {
        network.index(clock.name): sum(cut <= 0 for cut in clock.cuts) for clock in network.roles.clocks
    }
    given = given | clocks
    pairs = uniform_pairs(key, trajectory)
    numbers = [u for _ in network.variables[::2] for u in next(pairs)]
    state = [0] * len(network.variables)
    for i in network.initial.order:
        configuration = 0
        for parent in network.initial.parents[i]:
            configuration = configuration * len(network.variables[parent].states) + state[parent]
        cumulative = list(accumulate(network.initial.tables[i][configuration].tolist()))
        state[i] = given.get(i, choose(cumulative, numbers[i] * cumulative[-1])[0])
    return state


def trajectory(network, state: list[int], pairs, duration=math.inf, transitions=math.inf):
    """Return the events (time, variable, old state, new state) that follow an initial state.

    Clocks change at their cuts before the end; a wait that would go beyond a cut is drawn again from there.
    """
    clocks = [(clock.cuts, network.index(clock.name)) for clock in network.roles.clocks]
    cuts = sorted((cut, i) for moments, i in clocks for cut in moments if 0 < cut < duration)
    state, now, events, left = list(state), 0.0, [], transitions
    while left > 0:
        rows = [rates(network, state, i) for i in range(len(state))]
        levels = pyramid([row[-1] for row in rows])
        total = levels[-1][0][-1]
        later = math.inf
        if total > 0:
            wait, choice = next(pairs)
            later = max(now - math.log(1 - wait) / total, math.nextafter(now, math.inf))
        if cuts and later >= cuts[0][0]:
            now, i = cuts.pop(0)
            events.append((now, i, state[i], state[i] + 1))
            state[i] += 1
            continue
        if later > duration or later == math.inf:
            break
        i, target = 0, choice * total
        for level in reversed(levels):
            k, target = choose(level[i], target)
            i = 8 * i + k
        k, _ = choose(rows[i], target)
        new = k + (k >= state[i])
        events.append((later, i, state[i], new))
        state[i], now = new, later
        left = 0 if network.variables[i].name in network.roles.terminal else left - 1
    return events
