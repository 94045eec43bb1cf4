"""The evidence that rates vary over the cells of a table (see `scores/empirical_bayes.py`).

A row (u, x) without time and transitions adds exactly 0, so that a table may leave out configurations
that never occur.
"""

from libc.math cimport log, log1p

from ctbnlab.learning._log_gamma cimport log_gamma
from ctbnlab.learning._moment_shape cimport moment_shape

cdef enum:
    TABLED = 64  # for counts below this, ln Γ(k + M) − ln Γ(k) − M ln k is tabled


cdef double evidence(
    const double* values, Py_ssize_t rows, Py_ssize_t c, const double* rates, double k
) noexcept nogil:
    """Σ ln Γ(k+M) − ln Γ(k) − M ln k − (k+M) ln(1 + E/k) + E over all cells with E > 0."""
    cdef double rising[TABLED]
    cdef double log_k = log(k), log_gamma_k, time, m, e, total = 0
    cdef Py_ssize_t _u, x, y
    cdef int i
    cdef const double* row = values
    log_gamma_k = log_gamma(k)
    rising[0] = 0
    for i in range(1, TABLED):
        rising[i] = rising[i - 1] + log1p((i - 1) / k)
    for _u in range(rows):
        for x in range(c):
            time = row[0]
            if time > 0:
                for y in range(c):
                    e = rates[x * c + y] * time
                    if e > 0:
                        m = row[1 + y]
                        total += e - (k + m) * log1p(e / k)
                        if 0 <= m < TABLED:
                            total += rising[<int> m]
                        else:
                            total += log_gamma(k + m) - log_gamma_k - m * log_k
            row += c + 1
    return total


def at_shape(const double[:, :, ::1] values, const double[:, ::1] rates, double k):
    """Return D at one shape k; `rates[x, x']` are those without parents."""
    cdef double total = 0
    with nogil:
        if values.shape[0] > 0:
            total = evidence(&values[0, 0, 0], values.shape[0], values.shape[1], &rates[0, 0], k)
    return total


def best_shape(const double[:, :, ::1] values, const double[:, ::1] rates, const double[::1] shapes):
    """Return (D, index) at the best of the increasing shapes.

    D has one maximum over the shape but for freak tables; the search climbs to it from the shape that the
    moments suggest, whichever way D rises, and so takes the same few steps for the same table.
    """
    cdef Py_ssize_t rows = values.shape[0], c = values.shape[1], count = shapes.shape[0], at = count - 1
    cdef double k, here, there
    cdef Py_ssize_t step
    if rows == 0:
        return 0.0, at
    with nogil:
        k = moment_shape(&values[0, 0, 0], rows, c, &rates[0, 0])
        if k > 0:
            while at > 0 and shapes[at - 1] * shapes[at] > k * k:
                at -= 1
        here = evidence(&values[0, 0, 0], rows, c, &rates[0, 0], shapes[at])
        for step in range(-1, 2, 2):
            while 0 <= at + step < count:
                there = evidence(&values[0, 0, 0], rows, c, &rates[0, 0], shapes[at + step])
                if there <= here:
                    break
                here = there
                at += step
    return here, at
