"""The search for parent sets by coincidences of events: many passes, each cheap.

One pass takes a block of variables and finds, among all sets that contain it, the one with the highest Z
(see `coincidence`). If most of the block are parents, the peak shows the others as well; the next pass
takes its block from those found, and so climbs to the parents themselves. Passes start from random blocks
until one finds a set with a high enough Z, or until any parent set that the data could show would probably
have been met. If candidates have few joint states, one pass without a block evaluates everything
(`ExactSearch`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, comb, floor, log, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.learning.empirical_bayes.coincidence import Coincidences, Lattice, exact_lattice

Members = tuple[int, ...]

# All sets are evaluated exactly, from the table of all candidates, up to this many additions: no longer
# than a pass or two. These are 15 binary variables or ten of three states.
MAX_EXACT_WORK = 25_000_000
UNLIMITED = 1_000_000_000  # passes wanted if no number of them would do
MAX_FREE = 20  # variables outside the block: a histogram of 2^20 bins is 4 MB


@dataclass(frozen=True)
class SearchSettings:
    """How to search.

    At most `max_events` events of a kind are paired (all of them in data like the paper's), with `ratio`
    controls per event: with 3, Z is 3/4 of what it would be with exact times; with 6, 6/7. A pass takes
    about `pairs` pairs. A set with Z ≥ `z_accept` is given its exact score at once: chance reaches 6 once
    in 10^9 sets, and a pass evaluates some thousands. At the end the best set is scored if Z ≥
    `z_accept_at_end`. A peak with Z ≥ `z_climb` is worth climbing from. `spread` is the squared coefficient
    of variation of the rates to be found (0.148 for rates uniform in [1, 5]), and `miss` the probability
    with which a detectable set may be missed: they decide how many passes are wanted, of which at most
    `passes` are made. Blocks are drawn by `seed`.
    """

    ratio: float = 3.0
    pairs: float = 8e6
    passes: int = 14
    seed: int = 1
    max_events: int = 40_000
    z_accept: float = 6.0
    z_accept_at_end: float = 4.6
    z_climb: float = 4.3
    spread: float = 0.1
    miss: float = 0.05
    max_climbs: int = 6

    def with_more_controls(self) -> SearchSettings:
        """Return settings for twice the controls and a third of the passes: Z is 8/7 of what it was."""
        return replace(
            self,
            ratio=2 * self.ratio,
            pairs=3 * self.pairs,
            passes=ceil(self.passes / 3),
            seed=self.seed + 1,
        )

    def with_more_passes(self) -> SearchSettings:
        """Return settings for eight times the passes, from other blocks."""
        return replace(self, passes=8 * self.passes, seed=self.seed + 1)


# The highest of 2^F independent standard normal numbers is about √(2 F ln 2). Sets are not independent: for
# 25 nodes without parents the mean peak was 0.5 to 0.92 of that, for 13 nodes with 11 to 14 parents of
# three states 0.83 to 1.23, ten of them above 0.94. The ratio tells these apart long before the parents are
# found: below the first level the search ends, above it there are passes with more controls, and if those,
# from other blocks and controls, are above the second level, many more of them. A superfluous variable in a
# block divides Z by √c: with four states, passes that miss show less of the signal. Nodes of eight to ten
# parents had 0.6 to 0.9 there.
SIGNAL_LEVELS = 0.65, 0.85
SIGNAL_LEVELS_OF_MANY_STATES = 0.6, 0.7
MANY_STATES = 3.5  # the geometric mean over the candidates


class SampledSearch:
    """Searches the sets of `candidates` (in the caller's order) that contain all `required` ones."""

    def __init__(
        self,
        statistics: NodeStatistics,
        candidates: Sequence[int],
        required: Sequence[int],
        settings: SearchSettings,
    ):
        self.settings = settings
        self.required = tuple(required)
        self.candidates = tuple(candidates)
        cardinalities = [int(statistics.cardinalities[j]) for j in candidates]
        self.mean_cardinality = max(prod(cardinalities) ** (1 / len(cardinalities)), 1.01)
        half = ceil(len(candidates) / 2)
        moves = np.minimum(statistics.table(()).transitions[0], settings.max_events)
        max_events = self._max_events(moves, half)
        self.coincidences = Coincidences(statistics.sample_points(candidates, max_events, settings.ratio))
        size = min(self.coincidences.block_size(settings.pairs), half)
        self.block_size = max(size, len(self.required), len(candidates) - MAX_FREE)
        self.passes = 0
        self.peaks: list[float] = []

    def _max_events(self, moves: NDArray[Any], largest_block: int) -> int:
        """Return how many events of a kind can be paired with blocks of at most half the candidates."""
        controls = self.settings.ratio * moves.max(axis=1)
        pairs = (moves**2).sum() / 2 + (moves.sum(axis=1) * controls).sum() + (controls**2).sum() / 2
        share = self.settings.pairs * self.mean_cardinality**largest_block / max(pairs, 1.0)
        return max(64, ceil(float(moves.max()) * min(1.0, sqrt(share))))

    def passes_wanted(self) -> int:
        """Return how many random blocks meet any detectable set except with probability `miss`.

        A set of p parents is met by a block with so few superfluous variables that its peak reaches
        `z_climb`.
        """
        n, b, c = len(self.candidates), self.block_size, self.mean_cardinality
        signal = self.settings.spread * sqrt(self.coincidences.event_pairs) / (1 + 1 / self.settings.ratio)
        wanted = 1
        for p in range(1, n + 1):
            z = signal * c ** (-p / 2)
            if z < self.settings.z_accept:
                break
            superfluous = min(floor(2 * log(z / self.settings.z_climb, c)), b)
            met = sum(comb(n - p, a) * comb(p, b - a) for a in range(superfluous + 1)) / comb(n, b)
            if met < 1:
                wanted = max(wanted, ceil(log(self.settings.miss) / log(1 - met)) if met > 0 else UNLIMITED)
        return wanted

    def run(self, accept: Callable[[Members], bool], budget_spent: Callable[[], bool]) -> None:
        """Make passes until a set is accepted; `accept` gets sets of high Z and, at the end, the best one."""
        rng = np.random.default_rng(self.settings.seed)
        best: tuple[float, Members] = (0.0, ())
        for _ in range(min(self.passes_wanted(), self.settings.passes)):
            if budget_spent():
                break
            block = self._random_block(rng)
            found, z = self._pass(block)
            self.peaks.append(z)
            if z > best[0] or z >= self.settings.z_climb:
                found, z = self._climb(found, z, block)
                if z >= self.settings.z_accept and accept(found):
                    return
                best = max(best, (z, found))
        if best[0] >= self.settings.z_accept_at_end:
            accept(best[1])

    @property
    def signal_ratio(self) -> float:
        """The mean peak of random passes relative to chance; 0 if no more passes are wanted."""
        if self.passes_wanted() <= self.settings.passes or not self.peaks:
            return 0.0
        chance = sqrt(2 * log(2) * (len(self.candidates) - self.block_size))
        return sum(self.peaks) / len(self.peaks) / chance

    @property
    def signal_levels(self) -> tuple[float, float]:
        """The signal ratios above which to make passes with more controls, and many more passes."""
        return SIGNAL_LEVELS_OF_MANY_STATES if self.mean_cardinality > MANY_STATES else SIGNAL_LEVELS

    def _random_block(self, rng: np.random.Generator) -> Members:
        others = [j for j in self.candidates if j not in self.required]
        drawn = rng.permutation(len(others))
        return self._block(tuple(others[i] for i in drawn))

    def _block(self, members: Members) -> Members:
        """Return the required variables, filled up with these to the size of a block."""
        return (self.required + tuple(j for j in members if j not in self.required))[: self.block_size]

    def _pass(self, block: Members) -> tuple[Members, float]:
        self.passes += 1
        return self.coincidences.lattice(block).peak()

    def _climb(self, found: Members, z: float, block: Members) -> tuple[Members, float]:
        """Take blocks from the set found, its free variables first, until two in a row change nothing."""
        unchanged = 0
        for _ in range(self.settings.max_climbs):
            free = tuple(j for j in found if j not in block)
            inside = tuple(j for j in found if j in block)
            block = self._block((*free, *inside))
            again, higher = self._pass(block)
            if higher > z:
                found, z, unchanged = again, higher, 0
            else:
                unchanged += 1
                if unchanged == 2 or len(found) <= len(block) or z < self.settings.z_accept:
                    break
        return found, z

    def around(self, members: Members) -> Lattice:
        """Return Z of all sets that contain a block of these variables."""
        self.passes += 1
        return self.coincidences.lattice(self._block(members))


class ExactSearch:
    """The same if candidates have few joint states: all sets in one pass, without sampling."""

    passes = 1
    block_size = 0

    def __init__(
        self,
        statistics: NodeStatistics,
        candidates: Sequence[int],
        required: Sequence[int],
        settings: SearchSettings,
    ):
        self.candidates = tuple(candidates)
        self.lattice = exact_lattice(statistics, candidates)
        self.settings = settings
        self._required = sum(1 << self.candidates.index(j) for j in required)

    @staticmethod
    def fits(statistics: NodeStatistics, candidates: Sequence[int]) -> bool:
        """Return whether the work is small; the table is small then, too."""
        kinds = int(statistics.cardinalities[statistics.target]) ** 2
        return prod(int(statistics.cardinalities[j]) + 1 for j in candidates) * kinds <= MAX_EXACT_WORK

    def run(self, accept: Callable[[Members], bool], _: Callable[[], bool]) -> None:
        """Propose the best set."""
        masks = np.arange(len(self.lattice.z))
        allowed = masks[masks & self._required == self._required]
        best = int(allowed[np.argmax(self.lattice.z[allowed])])
        if self.lattice.z[best] >= self.settings.z_accept_at_end:
            accept(self.lattice.members(best))

    def around(self, members: Members) -> Lattice:  # noqa: ARG002
        """Return Z of all sets."""
        return self.lattice
