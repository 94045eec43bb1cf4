"""The evidence that each parent multiplies the rates by its own factor (see `set_evidence.py`).

The rate of a cell is μ Π_j g_j(u_j), with one factor per state of each parent. With θ the logarithms of μ and
of the factors, the posterior is log-concave: Newton's method finds its mode, and Laplace's method integrates
it. That is done for one shape of all factors. Parents may differ in how much they matter: given the other
factors at the mode, the evidence for those of one parent is that of a single parent, for any shape; and so is
what averaging over its shape changes.
"""

import numpy as np

from libc.math cimport INFINITY, exp, fabs, log, log1p

from ctbnlab.learning._log_gamma cimport log_gamma

cdef enum:
    MAX_STEPS = 60

cdef double PRECISION = 1e-4  # nats that the last step of Newton's method may have been short of
cdef double MAX_CUBIC_TERM = 0.03  # the parabola at the last point may miss the maximum by a sixth of this
cdef double MAX_CHANGE = 1.5  # of a logarithm in one step


cdef double log_determinant_and_solution(double* h, double* b, Py_ssize_t n) noexcept nogil:
    """Factorise the positive matrix h (its lower triangle), solve h z = b, both in place; return ln |h|."""
    cdef Py_ssize_t i, j, m
    cdef double total, result = 0
    for i in range(n):
        for j in range(i + 1):
            total = h[i * n + j]
            for m in range(j):
                total -= h[i * n + m] * h[j * n + m]
            if i == j:
                result += log(total)
                h[i * n + i] = total ** 0.5
            else:
                h[i * n + j] = total / h[j * n + j]
    for i in range(n):
        total = b[i]
        for m in range(i):
            total -= h[i * n + m] * b[m]
        b[i] = total / h[i * n + i]
    for i in range(n - 1, -1, -1):
        total = b[i]
        for m in range(i + 1, n):
            total -= h[m * n + i] * b[m]
        b[i] = total / h[i * n + i]
    return result


cdef double of_one_pair(
    const double* time, Py_ssize_t stride, Py_ssize_t rows, const int* codes, Py_ssize_t p, Py_ssize_t n,
    const double* moves, double k, double* theta, double* factor, double* h, double* step, double* expected,
) noexcept nogil:
    """ln of the likelihood of one pair of states, integrated; it begins at θ and leaves the mode there.

    θ[0] = ln μ; those of all parents' states follow. `moves[i]` are the transitions in which parameter i
    takes part, `codes[u]` the parameters of row u but μ. `expected[i]` becomes the transitions to expect
    where parameter i takes part, if its factor were 1.
    """
    cdef double rate, scale, decrement = 0, log_determinant = 0, largest, total = 0
    cdef Py_ssize_t u, i, j
    cdef const int* code
    cdef int _
    for _ in range(MAX_STEPS):
        for i in range(n):
            factor[i] = exp(theta[i])
            for j in range(i + 1):
                h[i * n + j] = 0
        for u in range(rows):
            if time[u * stride] > 0:
                code = codes + u * p
                rate = time[u * stride] * factor[0]
                for i in range(p):
                    rate *= factor[code[i]]
                h[0] += rate
                for i in range(p):
                    h[code[i] * n] += rate
                    for j in range(i + 1):
                        h[code[i] * n + code[j]] += rate
        step[0] = moves[0] - h[0]
        for i in range(1, n):
            expected[i] = h[i * n + i] / factor[i]
            step[i] = moves[i] - h[i * n + i] + k * (1 - factor[i])
            h[i * n + i] += k * factor[i]
        for i in range(n):
            factor[i] = step[i]
        log_determinant = log_determinant_and_solution(h, step, n)
        decrement = largest = 0
        for i in range(n):
            decrement += factor[i] * step[i]
            largest = max(largest, fabs(step[i]))
        if decrement < 2 * PRECISION:
            break
        scale = 1 if largest < MAX_CHANGE else MAX_CHANGE / largest
        for i in range(n):
            theta[i] += scale * step[i]
    for i in range(1, n):
        # The last two terms are what Laplace's method misses of a Gamma density, after and before the data.
        total += (
            (k + moves[i]) * theta[i] - k * (exp(theta[i]) - 1) + log(k) / 2
            + 1 / (12 * (k + moves[i])) - 1 / (12 * k)
        )
    return total + moves[0] * theta[0] + (decrement - log_determinant + log(moves[0])) / 2


cdef double of_one_parent(
    const double* moves, const double* expected, Py_ssize_t n, Py_ssize_t first, Py_ssize_t last,
    Py_ssize_t pairs, double k,
) noexcept nogil:
    """The log Bayes factor of the factors `first` to `last` − 1, given all others but the mean rate."""
    cdef double total = 0, all_moves, all_expected, m, e, p, rate, slope, curvature, step = 0
    cdef double log_k = log(k), log_gamma_k = log_gamma(k)
    cdef Py_ssize_t pair, i
    cdef const double* row_moves
    cdef const double* row_expected
    cdef int _
    for pair in range(pairs):
        row_moves, row_expected = moves + pair * n, expected + pair * n
        all_moves, all_expected = row_moves[0], 0
        if all_moves <= 0:
            continue
        for i in range(first, last):
            all_expected += row_expected[i]
        rate = all_moves / all_expected
        for _ in range(MAX_STEPS):
            slope = curvature = 0
            for i in range(first, last):
                e = rate * row_expected[i]
                p = e / (k + e)
                slope += (k + row_moves[i]) * p
                curvature += (k + row_moves[i]) * p * (1 - p)
            step = (all_moves - slope) / curvature
            if curvature * fabs(step) * step * step < MAX_CUBIC_TERM:
                break
            rate *= exp(max(-1.0, min(1.0, step)))
        total += all_moves * (log(rate * all_expected / all_moves) + 1)
        total += (all_moves - slope) * step / 2 - log(curvature / all_moves) / 2
        for i in range(first, last):
            m = row_moves[i]
            total += log_gamma(k + m) - log_gamma_k - m * log_k - (k + m) * log1p(rate * row_expected[i] / k)
    return total


def log_evidence(
    const double[:, :, ::1] values, const int[:, ::1] codes, const Py_ssize_t[::1] first,
    const double[::1] shapes, const double[::1] log_weights, Py_ssize_t start,
):
    """Return the log evidence, each parent's shape averaged over; `start` is the shape to find the mode with.

    `codes[u, j]` is the number of the parameter for parent j's state in row u, from `first[j]` to
    `first[j + 1]` − 1.
    """
    cdef Py_ssize_t rows = values.shape[0], c = values.shape[1], p = codes.shape[1], count = shapes.shape[0]
    cdef Py_ssize_t stride = c * (c + 1), n = first[p], pair, x, y, u, i, k
    cdef double total = 0, best, alone
    cdef double[:, ::1] moves = np.zeros((c * c, n)), expected = np.zeros((c * c, n))
    cdef double[::1] times = np.zeros(c), term = np.zeros(count), factor = np.zeros(n), step = np.zeros(n)
    cdef double[::1] theta = np.zeros(n), h = np.zeros(n * n)
    if rows == 0:
        return 0.0
    with nogil:
        for u in range(rows):
            for x in range(c):
                times[x] += values[u, x, 0]
                for y in range(c):
                    if values[u, x, 1 + y] > 0:
                        moves[x * c + y, 0] += values[u, x, 1 + y]
                        for i in range(p):
                            moves[x * c + y, codes[u, i]] += values[u, x, 1 + y]
        for pair in range(c * c):
            if moves[pair, 0] > 0:
                alone = log(moves[pair, 0] / times[pair // c])
                theta[0] = alone
                for i in range(1, n):
                    theta[i] = 0
                total += of_one_pair(
                    &values[0, pair // c, 0], stride, rows, &codes[0, 0], p, n, &moves[pair, 0],
                    shapes[start], &theta[0], &factor[0], &h[0], &step[0], &expected[pair, 0],
                ) - moves[pair, 0] * alone
        for i in range(p):
            best = -INFINITY
            for k in range(count):
                term[k] = log_weights[k] + of_one_parent(
                    &moves[0, 0], &expected[0, 0], n, first[i], first[i + 1], c * c, shapes[k]
                )
                best = max(best, term[k])
            total += best - (term[start] - log_weights[start])
            alone = 0
            for k in range(count):
                alone += exp(term[k] - best)
            total += log(alone)
    return total
