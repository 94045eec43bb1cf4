"""CTPC read straight from the paper: Algorithm 2 and its tests, plain, slow and apart from the library.

Tables come as M[u, x, x'] and T[u, x] for parents in increasing order; distribution functions are scipy's.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from scipy import special

NAMES = ("paper-2020", "published", "paper-2021", "text", "corrected")


class Reference:
    """The parents of one target, by the paper's words."""

    def __init__(
        self, table, target, cardinalities, test, conventions, alpha_waiting, alpha_transitions, threshold=25
    ):
        self.table = table  # parents -> SufficientStatistics
        self.target = target
        self.cards = [int(c) for c in cardinalities]
        self.test = test
        self.conventions = conventions
        self.alpha_waiting = alpha_waiting
        self.alpha_transitions = alpha_transitions
        self.threshold = threshold
        self.tests = 0
        self.sets = {}  # removed candidate -> separating set
        self.p_values = {}  # removed candidate -> smallest p
        self.closest = {}  # kept candidate -> (largest p of a first rejection, set)

    def learn(self, candidates, required=(), stable=False, bound=None, ask=None):
        u = sorted([*candidates, *required])
        fixed = set(required)
        b = 0
        while b < len(u) and (bound is None or b <= bound):
            at_start = list(u)
            for y in at_start:
                if y in fixed:
                    continue
                for s in combinations([v for v in (at_start if stable else u) if v != y], b):
                    self.tests += 1
                    independent, final, p = (ask or self.independent)(y, s)
                    if final:
                        fixed.add(y)
                        break
                    if independent:
                        u.remove(y)
                        self.sets[y], self.p_values[y] = s, p
                        break
                    if p is not None and p > self.closest.get(y, (-1, ()))[0]:
                        self.closest[y] = p, s
            b += 1
        return tuple(u)

    def independent(self, y, s_set):
        """(independent, fixed for good, p): the smallest p where independent, else the first rejection's."""
        w = tuple(sorted((*s_set, y)))
        found = self.table(w)
        shape = [self.cards[v] for v in w]
        c = self.cards[self.target]
        m_w = found.transitions.reshape(*shape, c, c)
        t_w = found.time.reshape(*shape, c)
        axis = w.index(y)
        threshold = self.threshold * (c - 1) ** 2 * np.prod(shape)
        rule = c > 2 and self.test == "chi2"
        if (
            rule
            and self.conventions in ("paper-2020", "published")
            and (m_w.sum(axis=(-1, -2)) < threshold).all()
        ):
            return False, False, None
        smallest = (np.inf, 1.0)
        for s in product(*(range(self.cards[v]) for v in s_set)):
            before, after = s[:axis], s[axis:]
            m_y = [m_w[(*before, v, *after)] for v in range(self.cards[y])]
            t_y = [t_w[(*before, v, *after)] for v in range(self.cards[y])]
            if rule and self.conventions == "paper-2021" and sum(m_y).sum() < threshold:
                return False, True, None
            for v in range(self.cards[y]):
                rest = [k for k in range(self.cards[y]) if self.conventions != "corrected" or k != v]
                m_s = sum((m_y[k] for k in rest), np.zeros((c, c)))
                t_s = sum((t_y[k] for k in rest), np.zeros(c))
                samples = (self.conventions, m_y[v], t_y[v], m_s, t_s)
                comparisons = [(waiting(*samples, x), self.alpha_waiting) for x in range(c)]
                if c > 2:
                    of = chi2 if self.test == "chi2" else kolmogorov
                    comparisons += [(of(*samples, x), self.alpha_transitions) for x in range(c)]
                for p, alpha in comparisons:
                    if p is None:
                        continue
                    if p < alpha:
                        return False, False, p
                    smallest = min(smallest, (p / alpha, p))
        return True, False, smallest[1]


def waiting(conventions, m_ys, t_ys, m_s, t_s, x):
    m_ys, t_ys, m_s, t_s = m_ys[x].sum(), t_ys[x], m_s[x].sum(), t_s[x]
    if m_ys == 0 or m_s == 0:
        return None
    if conventions in ("text", "corrected"):
        q_ys, q_s = m_ys / t_ys, m_s / t_s
    else:
        one = -1 if conventions == "paper-2021" else 1
        q_ys, q_s = (m_ys + one) / (t_ys + 1), (m_s + one) / (t_s + 1)
    if q_ys == 0:
        return None if q_s == 0 else 0.0
    # As printed: F = q_s / q_ys with M_ys and M_s degrees of freedom.
    twice = 2 if conventions == "corrected" else 1
    degrees = twice * m_ys, twice * m_s
    return 2 * min(special.fdtr(*degrees, q_s / q_ys), special.fdtrc(*degrees, q_s / q_ys))


def chi2(conventions, m_ys, t_ys, m_s, t_s, x):
    a = np.delete(m_ys[x], x)
    b = np.delete(m_s[x], x)
    if a.sum() == 0 or b.sum() == 0:
        return None
    full = a + b > 0
    if not full.all() and conventions != "corrected":
        return None
    k = np.sqrt(b.sum() / a.sum())
    statistic = ((k * a - b / k)[full] ** 2 / (a + b)[full]).sum()
    degrees = full.sum() - 1 if conventions == "corrected" else len(a)
    return special.chdtrc(degrees, statistic) if degrees > 0 else None


def kolmogorov(conventions, m_ys, t_ys, m_s, t_s, x):
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
