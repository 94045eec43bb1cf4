"""All comparisons of a test over the whole table of W = S ∪ {Y}, in one call.

The order is the paper's: configurations s of the separating set, values y of the candidate, states x of
the target; for each (s, y) the waiting times of all x and then the transitions of all x. A decision
stops at the first rejection. Most comparisons are settled without a distribution function: F by bounds
on its tail, χ² and Kolmogorov–Smirnov by critical values found once.
"""

import numpy as np

from libc.math cimport INFINITY, M_SQRT1_2, erfc, fabs, fmax, fmin, isnan, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ctbnlab.learning.independence._special cimport chi2_tail, f_bracket, f_two_sided, kolmogorov_tail

from ctbnlab.learning.independence._special import chi2_critical, kolmogorov_critical, normal_critical

# What a verdict below 0 says; from 0 on it is the p-value of the comparison that rejected.
cdef double _INDEPENDENT = -1, _RULE_OF_THUMB = -2, _FIXED = -3
INDEPENDENT, RULE_OF_THUMB, FIXED = _INDEPENDENT, _RULE_OF_THUMB, _FIXED

cdef enum:
    NONE = 0
    WAITING = 1
    CHI2 = 2
    KS = 3
    OFF = 0
    EVERY = 1
    FIRST = 2
    MAX_STATES = 256

_KINDS = {None: NONE, "chi2": CHI2, "ks": KS}
_RULES = {"off": OFF, "every": EVERY, "first": FIRST}
_NAMES = ("nothing", "waiting time", "chi2", "ks")

ctypedef const double* Block

cdef struct Comparison:
    int kind
    double statistic   # F = q_{x|y,s} / q_{x|s}, χ² or D
    double d1          # F: degrees of s, then of (y, s); χ²: degrees; KS: λ² = D² m₁m₂/(m₁+m₂)
    double d2
    double p
    int64_t s
    int y
    int x


cdef class TableDecider:
    """The comparisons to make, their levels and conventions; keeps scratch space between calls."""

    cdef object arguments
    cdef int transitions, rule, against_rest, columns, series, left_out, fewer
    cdef bint waiting, bracket
    cdef double alpha_waiting, alpha_transitions, pseudo_count, pseudo_time, degrees, threshold, ks_pseudo
    cdef double normal_level, ks_level
    cdef double[MAX_STATES] chi2_level          # critical value by degrees of freedom; 0: not yet found
    cdef Block[MAX_STATES] row                  # of each y in the present s; NULL: not in the table
    cdef double* total                          # the block of s
    cdef double* rest                           # the block of s without y
    cdef Py_ssize_t capacity
    cdef int c, c_y
    cdef Py_ssize_t block
    cdef double largest
    cdef bint complete
    cdef Comparison best
    cdef double best_ratio
    cdef int64_t made, cells
    cdef bint[MAX_STATES] seen                  # the values of y that occur, where complete

    def __cinit__(self):
        self.total = NULL
        self.rest = NULL
        self.capacity = 0
        memset(self.chi2_level, 0, sizeof(self.chi2_level))

    def __init__(self, waiting, transitions, double alpha_transitions, conventions):
        self.arguments = (waiting, transitions, alpha_transitions, conventions)
        self.waiting = waiting is not None
        self.alpha_waiting = waiting if self.waiting else 1
        self.transitions = _KINDS[transitions]
        self.alpha_transitions = alpha_transitions
        self.rule = _RULES[conventions.rule_of_thumb] if transitions == "chi2" else OFF
        self.against_rest = conventions.against == "rest"
        self.columns = conventions.ks_divides == "columns"
        self.series = conventions.ks_tail == "series"
        self.left_out = conventions.empty_bins == "left-out"
        self.fewer = conventions.chi2_degrees == "bins-1"
        self.pseudo_count = conventions.pseudo_count
        self.pseudo_time = conventions.pseudo_time
        self.degrees = conventions.degrees_per_transition
        self.threshold = conventions.threshold
        self.ks_pseudo = conventions.ks_pseudo_count
        self.normal_level = normal_critical(self.alpha_waiting / 2)
        # Close to 0 the bounds' roots lose digits; only levels near 1 reach there.
        self.bracket = self.normal_level > 0.05
        if self.transitions == KS:
            self.ks_level = kolmogorov_critical(alpha_transitions, self.series)

    def __reduce__(self):
        return TableDecider, self.arguments

    def __dealloc__(self):
        free(self.total)
        free(self.rest)

    def verdicts(self, const double[:, :, ::1] values, configurations, cardinalities, axes, largest):
        """Return a verdict for each candidate, given by its axis among the table's parents.

        A p-value that cannot exceed the candidate's `largest` so far may be given as 0.
        """
        cdef list result = []
        if self.ruled_out(values, cardinalities):
            return [_RULE_OF_THUMB] * len(axes)
        for axis, p in zip(axes, largest):
            result.append(self.run(values, configurations, cardinalities, axis, False, p))
        return result

    def compare(self, const double[:, :, ::1] values, configurations, cardinalities, int axis, bint complete):
        """Return (verdict, kind, statistic, d1, d2, p, s, y, x, comparisons made, in all, values of y seen).

        Described is the comparison with the smallest p-value relative to its level where `complete`, else
        the first that rejects.
        """
        cdef Comparison* b = &self.best
        cdef double verdict = _RULE_OF_THUMB
        if not self.ruled_out(values, cardinalities):
            verdict = self.run(values, configurations, cardinalities, axis, complete, -1)
        cdef int y, seen = 0, levels = self.waiting + (self.transitions != NONE and self.c > 2)
        for y in range(self.c_y):
            seen += self.seen[y]
        return (
            verdict, _NAMES[b.kind], b.statistic, b.d1, b.d2, b.p, b.s, b.y, b.x, self.made,
            int(self.cells) * (self.c * levels), seen,
        )

    cdef double run(
        self, const double[:, :, ::1] values, configurations, cardinalities, int axis, bint complete,
        double largest,
    ) except? -9:
        cdef int64_t inner = 1, n_s, stride, cells = self.cells
        cdef int k
        cdef const int64_t[::1] keys = None
        cdef const int64_t[::1] rows = None
        for k in range(axis + 1, len(cardinalities)):
            inner *= <int64_t> cardinalities[k]
        self.c_y = cardinalities[axis]
        n_s = cells // self.c_y
        self.block = <Py_ssize_t> self.c * (self.c + 1)
        self.reserve()
        self.complete = complete
        self.largest = largest
        self.made = 0
        memset(self.seen, 0, sizeof(self.seen))
        self.best_ratio = INFINITY
        memset(&self.best, 0, sizeof(self.best))
        self.best.p = 1
        if configurations is None:
            return self.over_dense(&values[0, 0, 0], n_s, inner, cells)
        # Rows of a sparse table in the order (s, y).
        numbers = np.asarray(configurations, np.int64)
        stride = inner * self.c_y
        s = numbers // stride * inner + numbers % inner
        numbers = s * self.c_y + numbers // inner % self.c_y
        order = np.argsort(numbers, kind="stable").astype(np.int64)
        keys, rows = numbers[order], order
        return self.over_sparse(values, keys, rows, n_s, cells)

    cdef int reserve(self) except -1:
        if self.block <= self.capacity:
            return 0
        free(self.total)
        free(self.rest)
        self.capacity = 0
        self.total = <double*> malloc(self.block * sizeof(double))
        self.rest = <double*> malloc(self.block * sizeof(double))
        if self.total == NULL or self.rest == NULL:
            raise MemoryError
        self.capacity = self.block
        return 0

    cdef bint ruled_out(self, const double[:, :, ::1] values, cardinalities) except -1:
        """Take the table's sizes; tell whether the rule of thumb finds every (y, s) in it too small."""
        cdef double bound
        cdef Py_ssize_t u
        cdef int k
        self.c = <int> values.shape[1]
        self.cells = 1
        for k in range(len(cardinalities)):
            self.cells *= <int64_t> cardinalities[k]
        if self.rule != EVERY or self.c <= 2:
            return False
        bound = self.threshold * (self.c - 1) * (self.c - 1) * self.cells
        for u in range(values.shape[0]):
            if exits_in_all(&values[u, 0, 0], self.c) >= bound:
                return False
        return bound > 0

    cdef double over_dense(self, const double* values, int64_t n_s, int64_t inner, int64_t cells) except? -9:
        cdef int64_t s, first
        cdef int y
        cdef double verdict
        for s in range(n_s):
            first = s // inner * inner * self.c_y + s % inner
            for y in range(self.c_y):
                self.row[y] = values + (first + y * inner) * self.block
            if self.stratum(s, cells, &verdict):
                return verdict
        return self.conclusion()

    cdef double over_sparse(
        self, const double[:, :, ::1] values, const int64_t[::1] keys, const int64_t[::1] rows, int64_t n_s,
        int64_t cells,
    ) except? -9:
        cdef int64_t s, expected = 0
        cdef Py_ssize_t k = 0
        cdef int y
        cdef double verdict
        while k < keys.shape[0]:
            s = keys[k] // self.c_y
            if s > expected and self.too_few(0, cells):
                return _FIXED
            for y in range(self.c_y):
                self.row[y] = NULL
            while k < keys.shape[0] and keys[k] // self.c_y == s:
                self.row[keys[k] % self.c_y] = &values[rows[k], 0, 0]
                k += 1
            if self.stratum(s, cells, &verdict):
                return verdict
            expected = s + 1
        if expected < n_s and self.too_few(0, cells):
            return _FIXED
        return self.conclusion()

    cdef bint too_few(self, double exits, int64_t cells) noexcept:
        """The rule that fixes an arc; it counts only as long as nothing was rejected."""
        if self.rule != FIRST or self.c <= 2 or self.best_ratio < 1:
            return False
        return exits < self.threshold * (self.c - 1) * (self.c - 1) * cells

    cdef double conclusion(self) noexcept:
        return self.best.p if self.best_ratio < 1 else _INDEPENDENT

    cdef bint stratum(self, int64_t s, int64_t cells, double* verdict) except -1:
        """Make the comparisons in one s; true where they settle the matter."""
        cdef int y, z, x
        cdef Py_ssize_t i
        cdef const double* other = self.total
        memset(self.total, 0, self.block * sizeof(double))
        for y in range(self.c_y):
            if self.row[y] != NULL:
                for i in range(self.block):
                    self.total[i] += self.row[y][i]
        if self.too_few(exits_in_all(self.total, self.c), cells):
            verdict[0] = _FIXED
            return True
        for y in range(self.c_y):
            if self.row[y] == NULL:
                continue
            if self.complete:
                for x in range(self.c):
                    self.seen[y] |= self.row[y][<Py_ssize_t> x * (self.c + 1)] > 0
            if self.against_rest:
                # Summed, not subtracted: a difference of times would lose digits.
                memset(self.rest, 0, self.block * sizeof(double))
                for z in range(self.c_y):
                    if z != y and self.row[z] != NULL:
                        for i in range(self.block):
                            self.rest[i] += self.row[z][i]
                other = self.rest
            for x in range(self.c if self.waiting else 0):
                if self.waiting_time(other, s, y, x):
                    verdict[0] = self.best.p
                    return True
            if self.c > 2 and self.transitions != NONE:
                for x in range(self.c):
                    if self.next_state(other, s, y, x):
                        verdict[0] = self.best.p
                        return True
        return False

    cdef bint waiting_time(self, const double* other, int64_t s, int y, int x) except -1:
        cdef Py_ssize_t at = <Py_ssize_t> x * (self.c + 1)
        cdef const double* own = self.row[y]
        cdef double m1 = exits(own + at, self.c), m2 = exits(other + at, self.c)
        cdef Comparison found
        if m1 == 0 or m2 == 0:
            return False
        found.kind = WAITING
        found.statistic = (
            ((m1 + self.pseudo_count) / (own[at] + self.pseudo_time))
            / ((m2 + self.pseudo_count) / (other[at] + self.pseudo_time))
        )
        found.d1 = self.degrees * m2
        found.d2 = self.degrees * m1
        found.s, found.y, found.x = s, y, x
        return not isnan(found.statistic) and self.consider(&found)

    cdef bint next_state(self, const double* other, int64_t s, int y, int x) except -1:
        cdef Py_ssize_t at = <Py_ssize_t> x * (self.c + 1)
        cdef double m1 = exits(self.row[y] + at, self.c), m2 = exits(other + at, self.c)
        cdef Comparison found
        if m1 == 0 or m2 == 0:
            return False
        found.kind = self.transitions
        found.s, found.y, found.x = s, y, x
        if self.transitions == CHI2:
            if not self.chi_square(&found, self.row[y] + at + 1, other + at + 1, m1, m2, x):
                return False
        else:
            found.statistic = self.distance(self.row[y], other, m1, m2, x)
            found.d1 = found.statistic * found.statistic * (m1 * m2 / (m1 + m2))
            found.d2 = m1
            if isnan(found.statistic):
                return False
        return self.consider(&found)

    cdef bint chi_square(
        self, Comparison* found, const double* own, const double* other, double m1, double m2, int x
    ) noexcept:
        """χ² = Σ (K·M_y − M_s/K)² / (M_y + M_s) over next states; false where it is not defined."""
        cdef double k = sqrt(m2 / m1), term
        cdef int z, bins = 0
        found.statistic = 0
        for z in range(self.c):
            if z == x:
                continue
            if own[z] + other[z] == 0:
                if self.left_out:
                    continue
                return False
            term = k * own[z] - other[z] / k
            found.statistic += term * term / (own[z] + other[z])
            bins += 1
        found.d1 = bins - self.fewer
        found.d2 = 0
        return found.d1 > 0

    cdef double distance(
        self, const double* own, const double* other, double m1, double m2, int x
    ) noexcept:
        """D = sup |Θ_s − Θ_{y,s}|, each cumulated over next states in their order."""
        cdef double a = 0, b = 0, widest = 0
        cdef double row1 = m1 + self.ks_pseudo, row2 = m2 + self.ks_pseudo
        cdef Py_ssize_t at = <Py_ssize_t> x * (self.c + 1), z, row
        if self.columns:
            row1, row2 = own[at] + self.pseudo_time, other[at] + self.pseudo_time
        for z in range(self.c):
            if z == x:
                continue
            if self.columns:
                row = z * (self.c + 1)
                a += (own[at + 1 + z] + self.ks_pseudo) / row1 / self.exit_rate(own + row)
                b += (other[at + 1 + z] + self.ks_pseudo) / row2 / self.exit_rate(other + row)
            else:
                a += (own[at + 1 + z] + self.ks_pseudo) / row1
                b += (other[at + 1 + z] + self.ks_pseudo) / row2
            if isnan(a - b):
                return a - b
            widest = fmax(widest, fabs(a - b))
        return widest

    cdef double exit_rate(self, const double* row) noexcept:
        return (exits(row, self.c) + self.pseudo_count) / (row[0] + self.pseudo_time)

    cdef bint consider(self, Comparison* found) except -1:
        """Take note of a comparison; true where it rejects and that is all that was asked."""
        cdef double alpha = self.alpha_waiting if found.kind == WAITING else self.alpha_transitions
        cdef double low = 0, high = 0, nearest, farthest
        cdef bint bounded = False
        self.made += 1
        if found.kind == WAITING and self.bracket:
            bounded = f_bracket(found.statistic, found.d1, found.d2, &low, &high)
        if bounded:
            # |ζ| lies between these, and the two-sided p-value is that of a normal variable's |ζ|.
            nearest = 0 if low < 0 < high else fmin(fabs(low), fabs(high))
            farthest = fmax(fabs(low), fabs(high))
        if self.complete:
            if bounded and erfc(farthest * M_SQRT1_2) > self.best_ratio * alpha:
                return False
            found.p = p_value(found, self.series)
            if found.p / alpha < self.best_ratio:
                self.best_ratio = found.p / alpha
                self.best = found[0]
            return False
        if bounded and farthest < self.normal_level:
            return False
        if not (bounded and nearest > self.normal_level) and not self.rejects(found, alpha):
            return False
        self.best_ratio = 0
        if bounded and erfc(nearest * M_SQRT1_2) < self.largest:
            found.p = 0
        else:
            found.p = p_value(found, self.series)
        self.best = found[0]
        return True

    cdef bint rejects(self, Comparison* found, double alpha) except -1:
        """Whether p < alpha, by the critical value unless the statistic is next to it."""
        cdef double value = found.statistic, level
        if found.kind == WAITING:
            return p_value(found, self.series) < alpha
        if found.kind == CHI2:
            level = self.chi2_level[<int> found.d1]
            if level == 0:
                level = chi2_critical(alpha, found.d1)
                self.chi2_level[<int> found.d1] = level
        else:
            value = found.d1
            level = self.ks_level
        if fabs(value - level) > 1e-9 * level:
            return value > level
        return p_value(found, self.series) < alpha


cdef inline double exits(const double* row, int c) noexcept nogil:
    """M_x, the transitions out of the state of this row."""
    cdef double m = 0
    cdef int z
    for z in range(1, c + 1):
        m += row[z]
    return m


cdef inline double exits_in_all(const double* block, int c) noexcept nogil:
    cdef double m = 0
    cdef int x
    for x in range(c):
        m += exits(block + <Py_ssize_t> x * (c + 1), c)
    return m


cdef double p_value(Comparison* found, bint series) noexcept:
    if found.kind == WAITING:
        return f_two_sided(found.statistic, found.d1, found.d2)
    if found.kind == CHI2:
        return chi2_tail(found.statistic, found.d1, True)
    return kolmogorov_tail(found.d1, series)
