"""Sums over the strata of a table: does a candidate y matter, given the other parents' states s?

A stratum is (s, x, x'). If y does not matter, its N transitions are distributed over the values of y with the
probabilities w_y = T_y / T_s, whatever the rates are: every statistic here is one of that multinomial
distribution. Rows (s, y) are sorted by s: `order` has their positions in the table, `value` the y of each,
`starts` the first row of each s.
"""

import numpy as np

from libc.math cimport frexp, log
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc

from ctbnlab.learning._log_gamma cimport log_gamma
from ctbnlab.model._philox cimport units

cdef enum:
    SMALL = 12  # up to this many transitions, a stratum's factor is a plain product


cdef double LOG_2 = log(2.0)


def log_bayes_factors(
    const double[:, :, ::1] values,
    const int64_t[::1] order,
    const int64_t[::1] starts,
    const double[::1] concentrations,
):
    """Return, for each concentration k, the sum over strata of the Dirichlet–multinomial log Bayes factor

        ln Γ(k) − ln Γ(k + N) + Σ_{y: M_y > 0} ln Γ(k w_y + M_y) − ln Γ(k w_y) − M_y ln w_y.
    """
    cdef Py_ssize_t c = values.shape[1], groups = starts.shape[0] - 1, count = concentrations.shape[0]
    cdef Py_ssize_t g, i, x, y, k, n_used, largest = 1
    cdef double time, total, m, share, term, product
    cdef int exponent, j
    for g in range(groups):
        largest = max(largest, starts[g + 1] - starts[g])
    result = np.zeros(count)
    mantissa_array = np.ones(count)
    exponent_array = np.zeros(count, np.int64)
    cdef double[::1] out = result, mantissa = mantissa_array
    cdef int64_t[::1] exponents = exponent_array
    cdef double* moves = <double*> malloc(2 * largest * sizeof(double))
    cdef double* shares = moves + largest
    if moves == NULL:
        raise MemoryError
    with nogil:
        for g in range(groups):
            for x in range(c):
                time = 0
                for i in range(starts[g], starts[g + 1]):
                    time += values[order[i], x, 0]
                if not time > 0:
                    continue
                for y in range(1, c + 1):
                    total = 0
                    n_used = 0
                    for i in range(starts[g], starts[g + 1]):
                        m = values[order[i], x, y]
                        share = values[order[i], x, 0] / time
                        # Without time there is no transition, but for a rounding error of the time.
                        if m > 0 and share > 0:
                            total += m
                            moves[n_used] = m
                            shares[n_used] = share
                            n_used += 1
                    if total < 2 or shares[0] >= 1:
                        continue
                    for k in range(count):
                        if total <= SMALL:
                            # Γ(kw + M) / Γ(kw) / w^M = Π (k + i / w) for i < M
                            product = 1
                            for i in range(n_used):
                                for j in range(<int> moves[i]):
                                    product *= concentrations[k] + j / shares[i]
                            for j in range(<int> total):
                                product /= concentrations[k] + j
                            mantissa[k] = frexp(mantissa[k] * product, &exponent)
                            exponents[k] += exponent
                        else:
                            term = log_gamma(concentrations[k]) - log_gamma(concentrations[k] + total)
                            for i in range(n_used):
                                term += (
                                    log_gamma(concentrations[k] * shares[i] + moves[i])
                                    - log_gamma(concentrations[k] * shares[i])
                                    - moves[i] * log(shares[i])
                                )
                            out[k] += term
        for k in range(count):
            out[k] += log(mantissa[k]) + exponents[k] * LOG_2
        free(moves)
    return result


cdef Py_ssize_t values_visited(
    const double[:, :, ::1] values, const int64_t[::1] order, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t x,
    double* time,
) noexcept nogil:
    """In how many values of y a group spends time in x; `time` is set to all of it."""
    cdef Py_ssize_t i, visited = 0
    time[0] = 0
    for i in range(begin, end):
        time[0] += values[order[i], x, 0]
        visited += values[order[i], x, 0] > 0
    return visited


def pooled(const double[:, :, ::1] values, const int64_t[::1] order, const int64_t[::1] starts):
    """Return (X², degrees of freedom, its excess, the excess's variance, cells, cells with few expected,
    transitions).

    X² = Σ (M_y − N w_y)² / (N w_y). The excess is Σ M_y (M_y − 1) / (N w_y) − (N − 1), which has mean 0
    and variance 2 (m − 1)(N − 1) / N in a stratum of m values of y, exactly, however small N is.
    """
    cdef Py_ssize_t c = values.shape[1], groups = starts.shape[0] - 1, g, i, x, y, visited
    cdef double time, total, m, e, square = 0, excess = 0, variance = 0, transitions = 0
    cdef int64_t degrees = 0, cells = 0, few = 0
    with nogil:
        for g in range(groups):
            for x in range(c):
                visited = values_visited(values, order, starts[g], starts[g + 1], x, &time)
                if visited < 2:
                    continue
                for y in range(1, c + 1):
                    total = 0
                    for i in range(starts[g], starts[g + 1]):
                        if values[order[i], x, 0] > 0:
                            total += values[order[i], x, y]
                    if total < 1:
                        continue
                    degrees += visited - 1
                    transitions += total
                    cells += visited
                    variance += 2 * (visited - 1) * (total - 1) / total
                    excess -= total - 1
                    for i in range(starts[g], starts[g + 1]):
                        if values[order[i], x, 0] > 0:
                            m = values[order[i], x, y]
                            e = total * (values[order[i], x, 0] / time)
                            square += (m - e) * (m - e) / e
                            excess += m * (m - 1) / e
                            few += e < 5
    return square, degrees, excess, variance, cells, few, transitions


def informative(
    const double[:, :, ::1] values, const int64_t[::1] order, const int64_t[::1] starts, int64_t states
):
    """Return (x and x', transitions M_y, shares w_y) of the strata with N > 0 and time in two values of y.

    Values of y without time come last in a row, with share 0.
    """
    cdef Py_ssize_t c = values.shape[1], groups = starts.shape[0] - 1, g, i, x, y, visited, row = 0
    cdef double time, total
    kinds_array = np.zeros(groups * c * c, np.int64)
    moves_array = np.zeros((groups * c * c, states), np.int64)
    shares_array = np.zeros((groups * c * c, states))
    cdef int64_t[::1] kinds = kinds_array
    cdef int64_t[:, ::1] moves = moves_array
    cdef double[:, ::1] shares = shares_array
    with nogil:
        for g in range(groups):
            for x in range(c):
                visited = values_visited(values, order, starts[g], starts[g + 1], x, &time)
                if visited < 2:
                    continue
                for y in range(c):
                    total = 0
                    visited = 0
                    for i in range(starts[g], starts[g + 1]):
                        if values[order[i], x, 0] > 0:
                            total += values[order[i], x, 1 + y]
                            moves[row, visited] = <int64_t> values[order[i], x, 1 + y]
                            shares[row, visited] = values[order[i], x, 0] / time
                            visited += 1
                    if total >= 1:
                        kinds[row] = x * c + y
                        row += 1
                    else:
                        for i in range(states):
                            moves[row, i] = 0
                            shares[row, i] = 0
    return kinds_array[:row], moves_array[:row], shares_array[:row]


cdef double far_out(const int64_t* moves, const double* shares, Py_ssize_t states) noexcept nogil:
    """Σ M (M − 1) / (N w), and a millionth of X² (but for constants) to tell apart what that does not."""
    cdef Py_ssize_t y
    cdef double m, total = 0, result = 0
    for y in range(states):
        if moves[y]:
            m = <double> moves[y]
            total += m
            result += (m * (m - 1) + 1e-6 * m * m) / shares[y]
    return result / total


def drawn_again(
    const int64_t[:, ::1] moves, const double[:, ::1] shares, uint64_t key, int64_t draws, double enough
):
    """Return (tables drawn, those with more pairs than the observed one, those with as many).

    Each stratum's transitions are thrown on the values of y anew, with the probabilities w_y. Drawing
    stops after `draws` tables, or once more than `enough` were at least as far out as the observed one,
    ties counted by half.
    """
    cdef Py_ssize_t strata = moves.shape[0], states = moves.shape[1], k, y, last
    cdef int64_t drawn = 0, above = 0, equal = 0, events, e, _j
    cdef double observed = 0, again, tolerance, u
    totals_array = np.asarray(moves).sum(axis=1)
    cdef int64_t[::1] totals = totals_array
    cdef double[:, ::1] cumulated = np.cumsum(shares, axis=1)
    cdef int64_t[::1] thrown = np.zeros(states, np.int64)
    cdef double[::1] numbers = np.empty(max(int(totals_array.sum()), 1))
    events = totals_array.sum()
    with nogil:
        for k in range(strata):
            observed += far_out(&moves[k, 0], &shares[k, 0], states)
        tolerance = 1e-9 * observed
        while drawn < draws and above + 0.5 * equal <= enough:
            units(key, drawn, 0, <int> events, &numbers[0])
            again = 0
            e = 0
            for k in range(strata):
                for y in range(states):
                    thrown[y] = 0
                last = states - 1
                while shares[k, last] <= 0:
                    last -= 1
                for _j in range(totals[k]):
                    u = numbers[e]
                    e += 1
                    y = 0
                    while y < last and u >= cumulated[k, y]:
                        y += 1
                    thrown[y] += 1
                again += far_out(&thrown[0], &shares[k, 0], states)
            drawn += 1
            if again > observed + tolerance:
                above += 1
            elif again >= observed - tolerance:
                equal += 1
    return drawn, above, equal


def main_effects(
    const double[:, :, ::1] values,
    const int64_t[::1] order,
    const int64_t[::1] value,
    const int64_t[::1] starts,
    Py_ssize_t states,
):
    """Return (O − E [x, x', y], its covariance [x, x', y, y']), summed over all s.

    O are the transitions while the candidate is in y, E = Σ_s N w_y, and the covariance
    Σ_s N (diag w − w wᵀ): the sums of the stratified log-rank test.
    """
    cdef Py_ssize_t c = values.shape[1], groups = starts.shape[0] - 1, g, i, j, x, y
    cdef double time, total, share
    difference_array = np.zeros((c, c, states))
    covariance_array = np.zeros((c, c, states, states))
    cdef double[:, :, ::1] difference = difference_array
    cdef double[:, :, :, ::1] covariance = covariance_array
    with nogil:
        for g in range(groups):
            for x in range(c):
                time = 0
                for i in range(starts[g], starts[g + 1]):
                    time += values[order[i], x, 0]
                if not time > 0:
                    continue
                for y in range(c):
                    total = 0
                    for i in range(starts[g], starts[g + 1]):
                        if values[order[i], x, 0] > 0:
                            total += values[order[i], x, 1 + y]
                    if total < 1:
                        continue
                    for i in range(starts[g], starts[g + 1]):
                        if not values[order[i], x, 0] > 0:
                            continue
                        share = values[order[i], x, 0] / time
                        difference[x, y, value[i]] += values[order[i], x, 1 + y] - total * share
                        covariance[x, y, value[i], value[i]] += total * share
                        for j in range(starts[g], starts[g + 1]):
                            covariance[x, y, value[i], value[j]] -= (
                                total * share * (values[order[j], x, 0] / time)
                            )
    return difference_array, covariance_array
