"""The evidence that rates vary over the cells of a table, mean rates integrated (see `set_evidence.py`).

A row (u, x) without time and transitions adds exactly 0, so that a table may leave out configurations that
never occur.
"""

import numpy as np

from libc.math cimport exp, fabs, log, log1p

from ctbnlab.learning._log_gamma cimport log_gamma
from ctbnlab.learning._moment_shape cimport moment_shape

cdef enum:
    TABLED = 64  # for counts below this, ln Γ(k + M) − ln Γ(k) − M ln k is tabled
    MAX_STEPS = 40

# The parabola at the last point may miss the maximum by about a sixth of this, in nats.
cdef double MAX_CUBIC_TERM = 0.03
cdef double NEGLIGIBLE = 30.0  # nats below the largest term


cdef void scan(
    const double* values, Py_ssize_t rows, Py_ssize_t c, double k, const double* scale,
    double* level, double* slope, double* curvature,
) noexcept nogil:
    """For each pair (x, y) with its mean rate `scale`: the log-likelihood without its term M ln(rate),
    Σ (k+M) p and Σ (k+M) p (1−p), where p = E / (k+E).
    """
    cdef double rising[TABLED]
    cdef double log_k = log(k), log_gamma_k = log_gamma(k), time, m, e, p, weight, total
    cdef Py_ssize_t _u, x, y
    cdef int i
    cdef const double* row = values
    rising[0] = 0
    for i in range(1, TABLED):
        rising[i] = rising[i - 1] + log1p((i - 1) / k)
    for x in range(c * c):
        level[x] = slope[x] = curvature[x] = 0
    for _u in range(rows):
        for x in range(c):
            time = row[0]
            if time > 0:
                for y in range(c):
                    if scale[x * c + y] > 0:
                        e = scale[x * c + y] * time
                        m = row[1 + y]
                        weight = k + m
                        p = e / (k + e)
                        total = -weight * log1p(e / k)
                        if 0 <= m < TABLED:
                            total += rising[<int> m]
                        else:
                            total += log_gamma(weight) - log_gamma_k - m * log_k
                        level[x * c + y] += total
                        slope[x * c + y] += weight * p
                        curvature[x * c + y] += weight * p * (1 - p)
            row += c + 1


cdef double at_one_shape(
    const double* values, Py_ssize_t rows, Py_ssize_t c, double k, const double* moves, const double* rates,
    double* work,
) noexcept nogil:
    """The log Bayes factor of rates that vary with shape k; `work` has room for 4 c² numbers."""
    cdef double* scale = work
    cdef double* level = work + c * c
    cdef double* slope = work + 2 * c * c
    cdef double* curvature = work + 3 * c * c
    cdef double step, total
    cdef Py_ssize_t pair
    cdef int again, _
    for pair in range(c * c):
        scale[pair] = rates[pair]
    for _ in range(MAX_STEPS):
        scan(values, rows, c, k, scale, level, slope, curvature)
        again = 0
        for pair in range(c * c):
            if scale[pair] > 0:
                step = (moves[pair] - slope[pair]) / curvature[pair]
                if curvature[pair] * fabs(step) * step * step > MAX_CUBIC_TERM:
                    again = 1
        if not again:
            break
        for pair in range(c * c):
            if scale[pair] > 0:
                step = (moves[pair] - slope[pair]) / curvature[pair]
                scale[pair] *= exp(max(-1.0, min(1.0, step)))
    total = 0
    for pair in range(c * c):
        if scale[pair] > 0:
            step = moves[pair] - slope[pair]
            total += (
                level[pair] + moves[pair] * (log(scale[pair] / rates[pair]) + 1)
                + step * step / (2 * curvature[pair]) - log(curvature[pair] / moves[pair]) / 2
            )
    return total


def log_evidence(
    const double[:, :, ::1] values, const double[:, ::1] moves, const double[:, ::1] rates,
    const double[::1] shapes, const double[::1] log_weights,
):
    """Return ln Σ_k w_k exp D(k) over the increasing shapes.

    `moves[x, y]` and `rates[x, y]` are the transitions, and the transitions per time, of all rows together.
    Terms below e^−30 of the largest are left out: from the shape that the moments suggest, both ways.
    """
    cdef Py_ssize_t rows = values.shape[0], c = values.shape[1], count = shapes.shape[0], at = count - 1
    cdef Py_ssize_t k, step, first, last
    cdef double shape, best, total
    cdef double[::1] term = np.zeros(count), work = np.zeros(4 * c * c)
    if rows == 0:
        return 0.0
    with nogil:
        shape = moment_shape(&values[0, 0, 0], rows, c, &rates[0, 0])
        if shape > 0:
            while at > 0 and shapes[at - 1] * shapes[at] > shape * shape:
                at -= 1
        first = last = at
        best = term[at] = log_weights[at] + at_one_shape(
            &values[0, 0, 0], rows, c, shapes[at], &moves[0, 0], &rates[0, 0], &work[0]
        )
        for step in range(-1, 2, 2):
            k = at + step
            while 0 <= k < count:
                term[k] = log_weights[k] + at_one_shape(
                    &values[0, 0, 0], rows, c, shapes[k], &moves[0, 0], &rates[0, 0], &work[0]
                )
                first, last = min(first, k), max(last, k)
                best = max(best, term[k])
                if term[k] < best - NEGLIGIBLE:
                    break
                k += step
        total = 0
        for k in range(first, last + 1):
            total += exp(term[k] - best)
    return best + log(total)
