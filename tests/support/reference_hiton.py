"""HITON as a plain and slow program: every test is asked for once, and its answer is remembered."""

from __future__ import annotations

from itertools import combinations
from math import log


class ReferenceHiton:
    """Finds the parents of one target; `ask(y, s)` returns (independent, final, p or None)."""

    def __init__(self, ask, strengths, bound=None):
        self.ask = ask
        self.strengths = strengths  # of each candidate
        self.bound = bound
        self.asked = []  # (y, s) in order, s sorted
        self.largest = {}  # candidate -> the largest set that it is tested with, once a test was final
        self.sets = {}  # removed candidate -> separating set
        self.p_values = {}  # removed candidate -> p
        self.closest = {}  # kept candidate -> (largest p of all rejections, separating set)

    def learn(self, candidates, required=(), stable=False):
        left = [y for y in candidates if not self.separated(y, [], 0)]
        # The strongest first, against subsets of those admitted before.
        members = sorted(required)
        for y in sorted(left, key=lambda j: (-self.strengths[j], j)):
            if not any(self.separated(y, members, b) for b in range(1, len(members) + 1)):
                members = self.tested_again([*members, y], required, stable)
        # A last pass over all of them asks nothing that was not asked before.
        asked = self.tests
        for y in set(members) - set(required):
            others = [j for j in members if j != y]
            assert not any(self.separated(y, others, b) for b in range(1, len(members)))
        assert self.tests == asked
        return tuple(sorted(members))

    def tested_again(self, members, required, stable):
        """Test all but the last member, weakest first, against subsets with the last; return who is left."""
        *_, new = members
        b = 1
        while b < len(members):
            at_start = list(members)
            for y in reversed(at_start[:-1]):
                present = at_start if stable else members
                if y not in required and self.separated(y, [j for j in present if j != y], b, new):
                    members = [j for j in members if j != y]
            b += 1
        return members

    def separated(self, y, others, b, new=None):
        """Ask about all new subsets of b others, with `new` if given, up to the first that separates."""
        if b > self.largest.get(y, b) or (self.bound is not None and b > self.bound):
            return False
        for chosen in combinations(others, b):
            s = tuple(sorted(chosen))
            if (y, s) in self.asked or (new is not None and new not in s):
                continue
            self.asked.append((y, s))
            independent, final, p = self.ask(y, s)
            if final:
                self.largest.setdefault(y, b)
            if independent:
                self.sets[y], self.p_values[y] = s, p
                return True
            if p is not None and p > self.closest.get(y, (-1, ()))[0]:
                self.closest[y] = p, s
        return False

    @property
    def tests(self):
        return len(self.asked)

    @property
    def levels(self):
        return len({len(s) for _, s in self.asked})


def plain_strength(pair):
    """Return what the one parent of a table adds to AIC: its gain of log-likelihood less the rates added."""
    time, moves = pair.dense().time.tolist(), pair.dense().transitions.tolist()
    gain, rates = 0.0, 0
    for x in range(pair.n_states):
        visited = [y for y in range(len(time)) if time[y][x] > 0]
        total_time = sum(time[y][x] for y in visited)
        for next_x in range(pair.n_states):
            total = sum(moves[y][x][next_x] for y in visited)
            if total:
                rates += len(visited) - 1
            for y in visited:
                m = moves[y][x][next_x]
                if m:
                    gain += m * log(m / time[y][x] / (total / total_time))
    return gain - rates
