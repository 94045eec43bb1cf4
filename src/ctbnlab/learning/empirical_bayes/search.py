"""The search for parent sets by pairs of events that agree (see `agreement`): many looks, each cheap.

One look takes a block of variables and finds, among all sets that contain it, the one of the highest Z.
If most of the block are parents the summit shows the others as well; the next look takes its block from
those found, and so climbs to the parents themselves from afar. Looks start from blocks drawn at random
until one is convincing, or enough were taken to have met any parent set that the data could show. Where
candidates have few joint states, one look without a block sees everything (`WholeSearch`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, comb, floor, log, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.learning.empirical_bayes.coincidence import AgreementPoints, Lattice, whole_lattice

Members = tuple[int, ...]

# Sets are all judged from the table of all candidates while that takes no longer than a look or two: this
# many additions, 15 binary variables or ten of three states.
WHOLE_WORK = 25_000_000
ENDLESS = 1_000_000_000  # looks wanted where no look would do
MOST_FREE = 20  # variables outside the block: a histogram of 2^20 bins is 4 MB


@dataclass(frozen=True)
class Looks:
    """How to look.

    `most` events of a kind are paired, all of them in data like the paper's, and `ratio` controls an
    event: with 3 of them Z is 3/4 of what it would be with exact times, with 6 of them 6/7. A look takes
    about `pairs` pairs. `convincing` is the Z at which a set is handed over for its exact score at once:
    chance reaches 6 once in 10^9 sets, of which a look sees some thousands; at the end the best set is
    handed over from `promising` on. What is `visible` among a look's thousands of sets is worth climbing
    from. `spread` is the squared coefficient of variation of the rates one wants to find (.148 for rates
    uniform in [1, 5]), `miss` the probability with which a detectable set may be missed: they decide how
    many looks are wanted; at most `looks` are taken. Blocks are drawn by `seed`.
    """

    ratio: float = 3.0
    pairs: float = 8e6
    looks: int = 14
    seed: int = 1
    most: int = 40_000
    convincing: float = 6.0
    promising: float = 4.6
    visible: float = 4.3
    spread: float = 0.1
    miss: float = 0.05
    climbs: int = 6

    def closer(self) -> Looks:
        """Return how to look again with more controls, a third as often: Z is 8/7 of what it was."""
        return replace(
            self, ratio=2 * self.ratio, pairs=3 * self.pairs, looks=ceil(self.looks / 3), seed=self.seed + 1
        )

    def longer(self) -> Looks:
        """Return how to look again from eight times as many other blocks."""
        return replace(self, looks=8 * self.looks, seed=self.seed + 1)


# The highest of 2^F independent standard normal numbers is about √(2 F ln 2). Sets are not independent: for
# 25 nodes without parents the mean of the looks' summits lay between .5 and .92 of that, for 13 nodes
# with 11 to 14 parents of three states between .83 and 1.23, ten of them above .94. It tells the one from
# the other long before the parents are found: below the first level looking is over, above it there are
# closer looks, and if these, of other blocks and controls, lie above the second, many more of them.
SOME_HOPE, HOPE = 0.8, 0.92


class AgreementSearch:
    """Looks for sets of `candidates` (in the caller's order) that contain all `required` ones."""

    def __init__(
        self, statistics: NodeStatistics, candidates: Sequence[int], required: Sequence[int], how: Looks
    ):
        self.how = how
        self.required = tuple(required)
        self.candidates = tuple(candidates)
        states = [int(statistics.cardinalities[j]) for j in candidates]
        self.mean_states = max(prod(states) ** (1 / len(states)), 1.01)
        half = ceil(len(candidates) / 2)
        most = self._most(np.minimum(statistics.of(()).transitions[0], how.most), half)
        self.points = AgreementPoints(statistics, candidates, most, how.ratio)
        size = min(self.points.block_size(how.pairs), half)
        self.block_size = max(size, len(self.required), len(candidates) - MOST_FREE)
        self.looks = 0
        self.summits: list[float] = []

    def _most(self, moves: NDArray[Any], largest_block: int) -> int:
        """Return how many events of a kind can be paired with blocks of at most half the candidates."""
        controls = self.how.ratio * moves.max(axis=1)
        pairs = (moves**2).sum() / 2 + (moves.sum(axis=1) * controls).sum() + (controls**2).sum() / 2
        share = self.how.pairs * self.mean_states**largest_block / max(pairs, 1.0)
        return max(64, ceil(float(moves.max()) * min(1.0, sqrt(share))))

    def wanted(self) -> int:
        """Return how many random blocks it takes to meet any detectable set but with probability `miss`.

        A set of p parents is met by a block with so few superfluous variables that the summit is visible.
        """
        n, b, c = len(self.candidates), self.block_size, self.mean_states
        signal = self.how.spread * sqrt(self.points.event_pairs) / (1 + 1 / self.how.ratio)
        most = 1
        for p in range(1, n + 1):
            z = signal * c ** (-p / 2)
            if z < self.how.convincing:
                break
            superfluous = min(floor(2 * log(z / self.how.visible, c)), b)
            met = sum(comb(n - p, a) * comb(p, b - a) for a in range(superfluous + 1)) / comb(n, b)
            if met < 1:
                most = max(most, ceil(log(self.how.miss) / log(1 - met)) if met > 0 else ENDLESS)
        return most

    def run(self, accepted: Callable[[Members], bool], enough: Callable[[], bool]) -> None:
        """Look until a set is accepted; `accepted` is asked about convincing sets and, at the end, the best.

        `enough` tells that a budget is spent.
        """
        rng = np.random.default_rng(self.how.seed)
        best: tuple[float, Members] = (0.0, ())
        for _ in range(min(self.wanted(), self.how.looks)):
            if enough():
                break
            block = self._random_block(rng)
            found, z = self._look(block)
            self.summits.append(z)
            if z > best[0] or z >= self.how.visible:
                found, z = self._climb(found, z, block)
                if z >= self.how.convincing and accepted(found):
                    return
                best = max(best, (z, found))
        if best[0] >= self.how.promising:
            accepted(best[1])

    @property
    def hope(self) -> float:
        """The mean summit of random looks relative to what chance would show; 0 if no more are wanted."""
        if self.wanted() <= self.how.looks or not self.summits:
            return 0.0
        chance = sqrt(2 * log(2) * (len(self.candidates) - self.block_size))
        return sum(self.summits) / len(self.summits) / chance

    def _random_block(self, rng: np.random.Generator) -> Members:
        others = [j for j in self.candidates if j not in self.required]
        drawn = rng.permutation(len(others))
        return self._block(tuple(others[i] for i in drawn))

    def _block(self, members: Members) -> Members:
        """Return the required variables and as many of these as fill a block."""
        return (self.required + tuple(j for j in members if j not in self.required))[: self.block_size]

    def _look(self, block: Members) -> tuple[Members, float]:
        self.looks += 1
        return self.points.lattice(block).top()

    def _climb(self, found: Members, z: float, block: Members) -> tuple[Members, float]:
        """Take blocks from what was found, those first that were free, until two in a row change nothing."""
        still = 0
        for _ in range(self.how.climbs):
            free = tuple(j for j in found if j not in block)
            inside = tuple(j for j in found if j in block)
            block = self._block((*free, *inside))
            again, higher = self._look(block)
            if higher > z:
                found, z, still = again, higher, 0
            else:
                still += 1
                if still == 2 or len(found) <= len(block) or z < self.how.convincing:
                    break
        return found, z

    def around(self, members: Members) -> Lattice:
        """Return Z of all sets that contain some of these variables."""
        self.looks += 1
        return self.points.lattice(self._block(members))


class WholeSearch:
    """The same where candidates have few joint states: all sets in one look, and that exact."""

    looks = 1
    block_size = 0

    def __init__(
        self, statistics: NodeStatistics, candidates: Sequence[int], required: Sequence[int], how: Looks
    ):
        self.candidates = tuple(candidates)
        self.lattice = whole_lattice(statistics, candidates)
        self.how = how
        self._required = sum(1 << self.candidates.index(j) for j in required)

    @staticmethod
    def fits(statistics: NodeStatistics, candidates: Sequence[int]) -> bool:
        """Tell whether the work is small; so is the table, then."""
        kinds = int(statistics.cardinalities[statistics.target]) ** 2
        return prod(int(statistics.cardinalities[j]) + 1 for j in candidates) * kinds <= WHOLE_WORK

    def run(self, accepted: Callable[[Members], bool], enough: Callable[[], bool]) -> None:  # noqa: ARG002
        """Ask about the best set."""
        masks = np.arange(len(self.lattice.z))
        allowed = masks[masks & self._required == self._required]
        best = int(allowed[np.argmax(self.lattice.z[allowed])])
        if self.lattice.z[best] >= self.how.promising:
            accepted(self.lattice.members(best))

    def around(self, members: Members) -> Lattice:  # noqa: ARG002
        """Return Z of all sets."""
        return self.lattice
