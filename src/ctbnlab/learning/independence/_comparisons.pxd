"""The comparisons that CTPC's tests consist of: waiting times in one state, next states from one state.

Each compares a sample (y, s) with another, by the rules of a test. Functions only read what they are given,
so any number of threads can use the same rules. A block holds, for each state x of the target, T[x] and then
M[x, 0], M[x, 1], …
"""

cimport cython
from libc.math cimport M_SQRT1_2, erfc, fabs, fmax, fmin, isnan, sqrt
from libc.stdint cimport int64_t

from ctbnlab.learning.independence._special cimport chi2_tail, f_bracket, f_two_sided, kolmogorov_tail


cdef enum:
    # kinds of comparison
    NOTHING = 0
    WAITING = 1
    CHI2 = 2
    KS = 3
    # rules of thumb
    OFF = 0
    EVERY = 1
    FIRST = 2
    # degrees of freedom whose critical χ² is tabled
    TABLED = 32


cdef struct Rules:
    bint waiting            # compare waiting times …
    int transitions         # … and transitions by CHI2 or KS, or NOTHING
    int rule                # OFF, EVERY or FIRST
    bint against_rest       # compare (y, s) with the rest of s, not with the whole
    bint columns            # KS divides columns, as the published program does
    bint series             # KS uses Kolmogorov's whole series
    bint left_out           # χ² leaves empty bins out
    int fewer               # degrees of freedom fewer than bins in χ²
    double alpha_waiting
    double alpha_transitions
    double pseudo_count
    double pseudo_time
    double degrees          # of F, per transition
    double threshold        # of the rule of thumb
    double ks_pseudo
    bint bracket            # F may be settled by bounds on its tail
    double normal_level     # two-sided critical value of a normal variable at alpha_waiting
    double ks_level         # critical λ²
    double[TABLED + 1] chi2_level


cdef struct Comparison:
    int kind
    double statistic        # F = q_{x|y,s} / q_{x|s}, χ² or D
    double d1               # F: degrees of s, then of (y, s); χ²: degrees; KS: λ² = D² m₁m₂/(m₁+m₂)
    double d2
    double p
    int64_t s
    int y
    int x


cdef inline double exits(const double* row, int c) noexcept nogil:
    """M_x, the transitions out of the state of this row."""
    cdef double m = 0
    cdef int z
    for z in range(1, c + 1):
        m += row[z]
    return m


cdef inline double block_exits(const double* block, int c) noexcept nogil:
    """Transitions out of all states."""
    cdef double m = 0
    cdef int x
    for x in range(c):
        m += exits(block + <Py_ssize_t> x * (c + 1), c)
    return m


@cython.cdivision(True)  # without a pseudo-time, no time spent gives an infinite rate or NaN, as intended
cdef inline bint compare_waiting(
    const Rules* rules, const double* own, const double* other, int c, int x, Comparison* found
) noexcept nogil:
    """Compare exit rates from x by F; False if a sample has no transitions."""
    cdef Py_ssize_t at = <Py_ssize_t> x * (c + 1)
    cdef double m1 = exits(own + at, c), m2 = exits(other + at, c)
    if m1 == 0 or m2 == 0:
        return False
    found.kind = WAITING
    found.statistic = (
        ((m1 + rules.pseudo_count) / (own[at] + rules.pseudo_time))
        / ((m2 + rules.pseudo_count) / (other[at] + rules.pseudo_time))
    )
    found.d1 = rules.degrees * m2
    found.d2 = rules.degrees * m1
    return not isnan(found.statistic)


cdef inline bint compare_transitions(
    const Rules* rules, const double* own, const double* other, int c, int x, Comparison* found
) noexcept nogil:
    """Compare next states from x by χ² or Kolmogorov–Smirnov; False if that is not defined."""
    cdef Py_ssize_t at = <Py_ssize_t> x * (c + 1)
    cdef double m1 = exits(own + at, c), m2 = exits(other + at, c)
    if m1 == 0 or m2 == 0:
        return False
    found.kind = rules.transitions
    if rules.transitions == CHI2:
        return chi_square(rules, own + at + 1, other + at + 1, m1, m2, c, x, found)
    found.statistic = distance(rules, own, other, m1, m2, c, x)
    found.d1 = found.statistic * found.statistic * (m1 * m2 / (m1 + m2))
    found.d2 = m1
    return not isnan(found.statistic)


cdef inline bint chi_square(
    const Rules* rules, const double* own, const double* other, double m1, double m2, int c, int x,
    Comparison* found,
) noexcept nogil:
    """χ² = Σ (K·M_y − M_s/K)² / (M_y + M_s) over next states; False if it is not defined."""
    cdef double k = sqrt(m2 / m1), term
    cdef int z, bins = 0
    found.statistic = 0
    for z in range(c):
        if z == x:
            continue
        if own[z] + other[z] == 0:
            if rules.left_out:
                continue
            return False
        term = k * own[z] - other[z] / k
        found.statistic += term * term / (own[z] + other[z])
        bins += 1
    found.d1 = bins - rules.fewer
    found.d2 = 0
    return found.d1 > 0


cdef inline double distance(
    const Rules* rules, const double* own, const double* other, double m1, double m2, int c, int x
) noexcept nogil:
    """D = sup |Θ_s − Θ_{y,s}|, each cumulated over next states in their order."""
    cdef double a = 0, b = 0, widest = 0
    cdef double row1 = m1 + rules.ks_pseudo, row2 = m2 + rules.ks_pseudo
    cdef Py_ssize_t at = <Py_ssize_t> x * (c + 1), z, row
    if rules.columns:
        row1, row2 = own[at] + rules.pseudo_time, other[at] + rules.pseudo_time
    for z in range(c):
        if z == x:
            continue
        if rules.columns:
            row = z * (c + 1)
            a += (own[at + 1 + z] + rules.ks_pseudo) / row1 / exit_rate(rules, own + row, c)
            b += (other[at + 1 + z] + rules.ks_pseudo) / row2 / exit_rate(rules, other + row, c)
        else:
            a += (own[at + 1 + z] + rules.ks_pseudo) / row1
            b += (other[at + 1 + z] + rules.ks_pseudo) / row2
        if isnan(a - b):
            return a - b
        widest = fmax(widest, fabs(a - b))
    return widest


cdef inline double exit_rate(const Rules* rules, const double* row, int c) noexcept nogil:
    return (exits(row, c) + rules.pseudo_count) / (row[0] + rules.pseudo_time)


cdef inline double level(const Rules* rules, const Comparison* found) noexcept nogil:
    return rules.alpha_waiting if found.kind == WAITING else rules.alpha_transitions


cdef inline double p_value(const Rules* rules, const Comparison* found) noexcept nogil:
    if found.kind == WAITING:
        return f_two_sided(found.statistic, found.d1, found.d2)
    if found.kind == CHI2:
        return chi2_tail(found.statistic, found.d1, True)
    return kolmogorov_tail(found.d1, rules.series)


cdef inline bint rejects(const Rules* rules, const Comparison* found) noexcept nogil:
    """Whether p < alpha, by the critical value unless the statistic is next to it or none is tabled."""
    cdef double value = found.statistic, critical = 0
    if found.kind == CHI2 and found.d1 <= TABLED:
        critical = rules.chi2_level[<int> found.d1]
    elif found.kind == KS:
        value = found.d1
        critical = rules.ks_level
    if critical > 0 and fabs(value - critical) > 1e-9 * critical:
        return value > critical
    return p_value(rules, found) < level(rules, found)


cdef inline bint bounds(
    const Rules* rules, const Comparison* found, double* nearest, double* farthest
) noexcept nogil:
    """Bound the |ζ| whose two-sided normal p-value is that of F; False if the bounds do not apply."""
    cdef double low = 0, high = 0
    if found.kind != WAITING or not rules.bracket:
        return False
    if not f_bracket(found.statistic, found.d1, found.d2, &low, &high):
        return False
    nearest[0] = 0 if low < 0 < high else fmin(fabs(low), fabs(high))
    farthest[0] = fmax(fabs(low), fabs(high))
    return True


cdef inline double normal_p(double zeta) noexcept nogil:
    """The two-sided p-value of a normal variable."""
    return erfc(zeta * M_SQRT1_2)
