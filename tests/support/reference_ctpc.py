"""CTPC as the paper writes it: Algorithm 2 and its tests, plain and slow, independent of the library.

Tables are M[u, x, x'] and T[u, x] for parents in increasing order; distribution functions are scipy's.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from scipy import special

NAMES = ("paper-2020", "published", "paper-2021", "text", "corrected")


class Reference:
    """Finds the parents of one target; names and formulas are the paper's."""

    def __init__(
        self, table, target, cardinalities, test, conventions, alpha_waiting, alpha_transitions, threshold=25
    ):
        self.table = table  # parents -> SufficientStatistics
        self.target = target
        self.cardinalities = [int(c) for c in cardinalities]
        self.test = test
        self.conventions = conventions
        self.alpha_waiting = alpha_waiting
        self.alpha_transitions = alpha_transitions
        self.threshold = threshold
        self.tests = 0
        self.sets = {}  # removed candidate -> separating set
        self.p_values = {}  # removed candidate -> smallest p
        self.closest = {}  # kept candidate -> (largest p of all first rejections, separating set)

    def learn(self, candidates, required=(), stable=False, bound=None, ask=None):
        u = sorted([*candidates, *required])
        fixed = set(required)
        b = 0
        while b < len(u) and (bound is None or b <= bound):
            at_start = list(u)
            settled = set(fixed)  # what the level before has fixed is not tested; the rest is, to the end
            for y in at_start:
                if y in settled:
                    continue
                for s in combinations([v for v in (at_start if stable else u) if v != y], b):
                    self.tests += 1
                    independent, final, p = (ask or self.independent)(y, s)
                    if final:
                        fixed.add(y)
                    if independent:
                        u.remove(y)
                        self.sets[y], self.p_values[y] = s, p
                        break
                    if p is not None and p > self.closest.get(y, (-1, ()))[0]:
                        self.closest[y] = p, s
            b += 1
        return tuple(u)

    def independent(self, y, s_set):
        """Return (independent, fixed, p): the smallest p if independent, else that of the first rejection.

        A fixed candidate is not tested at later levels; p is None if too few transitions were seen.
        """
        w = tuple(sorted((*s_set, y)))
        table = self.table(w)
        shape = [self.cardinalities[v] for v in w]
        c = self.cardinalities[self.target]
        m_w = table.transitions.reshape(*shape, c, c)
        t_w = table.time.reshape(*shape, c)
        axis = w.index(y)
        threshold = self.threshold * (c - 1) ** 2 * np.prod(shape)
        rule_of_thumb = c > 2 and self.test == "chi2"
        if (
            rule_of_thumb
            and self.conventions in ("paper-2020", "published")
            and (m_w.sum(axis=(-1, -2)) < threshold).all()
        ):
            return False, False, None
        smallest = (np.inf, 1.0)
        for s in product(*(range(self.cardinalities[v]) for v in s_set)):
            before, after = s[:axis], s[axis:]
            m_y = [m_w[(*before, v, *after)] for v in range(self.cardinalities[y])]
            t_y = [t_w[(*before, v, *after)] for v in range(self.cardinalities[y])]
            if rule_of_thumb and self.conventions == "paper-2021" and sum(m_y).sum() < threshold:
                return False, True, None
            for v in range(self.cardinalities[y]):
                rest = [k for k in range(self.cardinalities[y]) if self.conventions != "corrected" or k != v]
                m_s = sum((m_y[k] for k in rest), np.zeros((c, c)))
                t_s = sum((t_y[k] for k in rest), np.zeros(c))
                samples = (self.conventions, m_y[v], t_y[v], m_s, t_s)
                comparisons = [(waiting(*samples, x), self.alpha_waiting) for x in range(c)]
                if c > 2:
                    compare = chi2 if self.test == "chi2" else kolmogorov
                    comparisons += [(compare(*samples, x), self.alpha_transitions) for x in range(c)]
                for p, alpha in comparisons:
                    if p is None:
                        continue
                    if p < alpha:
                        return False, False, p
                    smallest = min(smallest, (p / alpha, p))
        return True, False, smallest[1]


def waiting(conventions, m_ys, t_ys, m_s, t_s, x):
    """Return the p-value for the waiting time in x, given y and s against given s; None if untested."""
    m_ys, t_ys, m_s, t_s = m_ys[x].sum(), t_ys[x], m_s[x].sum(), t_s[x]
    if m_ys == 0 or m_s == 0:
        return None
    if conventions in ("text", "corrected"):
        q_ys, q_s = m_ys / t_ys, m_s / t_s
    else:
        pseudo_count = -1 if conventions == "paper-2021" else 1
        q_ys, q_s = (m_ys + pseudo_count) / (t_ys + 1), (m_s + pseudo_count) / (t_s + 1)
    if q_ys == 0:
        return None if q_s == 0 else 0.0
    # As printed: F = q_s / q_ys with M_ys and M_s degrees of freedom.
    factor = 2 if conventions == "corrected" else 1
    degrees = factor * m_ys, factor * m_s
    return 2 * min(special.fdtr(*degrees, q_s / q_ys), special.fdtrc(*degrees, q_s / q_ys))


def chi2(conventions, m_ys, t_ys, m_s, t_s, x):
    """Return the p-value of the χ² test of the next state after x; None if untested."""
    a = np.delete(m_ys[x], x)
    b = np.delete(m_s[x], x)
    if a.sum() == 0 or b.sum() == 0:
        return None
    occurring = a + b > 0
    if not occurring.all() and conventions != "corrected":
        return None
    k = np.sqrt(b.sum() / a.sum())
    statistic = ((k * a - b / k)[occurring] ** 2 / (a + b)[occurring]).sum()
    degrees = occurring.sum() - 1 if conventions == "corrected" else len(a)
    return special.chdtrc(degrees, statistic) if degrees > 0 else None


def kolmogorov(conventions, m_ys, t_ys, m_s, t_s, x):
    """Return the p-value of the Kolmogorov–Smirnov test of the next state after x; None if untested."""
    c = len(m_s)
    m1, m2 = m_ys[x].sum(), m_s[x].sum()
    if m1 == 0 or m2 == 0:
        return None
    theta = []
    for m, t in ((m_ys, t_ys), (m_s, t_s)):
        if conventions == "published":
            q = (m + 1) / (t + 1)[:, None]
            diagonal = (m.sum(axis=1) + 1) / (t + 1)
            row = (q / diagonal[None, :])[x]
        elif conventions in ("text", "corrected"):
            row = m[x] / m[x].sum()
        else:
            row = (m[x] + 1) / (m[x].sum() + 1)
        row[x] = 0
        theta.append(np.cumsum(row))
    d = max(abs(theta[0][k] - theta[1][k]) for k in range(c))
    scaled = d * np.sqrt(m1 * m2 / (m1 + m2))
    if conventions == "corrected":
        return special.kolmogorov(scaled)
    return min(1.0, 2 * np.exp(-2 * scaled**2))
