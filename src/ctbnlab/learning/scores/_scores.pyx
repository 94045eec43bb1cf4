"""Sums over the cells of a table of sufficient statistics, for scores (see `scores/`).

A row (u, x) without time and transitions adds exactly 0 to each of these sums, so that a table may
leave out configurations that never occur.
"""

import numpy as np

from libc.math cimport log, log1p
from libc.stdint cimport int64_t

from ctbnlab.learning._log_gamma cimport log_gamma


cdef inline double log_rising(double a, double log_gamma_a, double m) noexcept nogil:
    """ln Γ(a + m) − ln Γ(a) for a whole number m."""
    cdef double product
    cdef int k
    if m > 12:
        return log_gamma(a + m) - log_gamma_a
    product = 1
    for k in range(<int> m):
        product *= a + k
    return log(product)


cdef double bde_of_rows(
    const double* values, Py_ssize_t n_rows, Py_ssize_t c, double alpha, double tau
) noexcept nogil:
    cdef double each = alpha / (c - 1), log_gamma_each = log_gamma(each), log_tau = log(tau)
    cdef double time, moves, m, row, total = 0
    cdef Py_ssize_t _row, k
    for _row in range(n_rows * c):
        time = values[0]
        moves = 0
        row = 0
        for k in range(1, c + 1):
            m = values[k]
            if m > 0:
                moves += m
                row += log_rising(each, log_gamma_each, m)
        if moves > 0:
            row += log1p(moves / alpha) - moves * log_tau
        # A time that is a difference of sums may come out a rounding error below 0.
        if time > 0:
            row -= (alpha + 1 + moves) * log1p(time / tau)
        total += row
        values += c + 1
    return total


def bde(const double[:, :, ::1] values, double alpha, double tau):
    """Return the logarithm of the paper's ML(q) × ML(θ) with α_x = `alpha`, α_xx' = alpha / (c − 1).

    The two marginal likelihoods share Γ(α + M + 1) / Γ(α + M) = α + M, which spares two logarithms of
    Γ a row.
    """
    cdef Py_ssize_t n_rows = values.shape[0], c = values.shape[1]
    cdef double total = 0
    if c > 1 and n_rows:
        with nogil:
            total = bde_of_rows(&values[0, 0, 0], n_rows, c, alpha, tau)
    return total


def bde_of_tables(
    const double[:, :, ::1] values, const int64_t[::1] first, const double[::1] alpha, const double[::1] tau
):
    """Return `bde` of each of the tables that stand one after the other; k's rows begin at `first[k]`."""
    cdef Py_ssize_t c = values.shape[1], count = first.shape[0] - 1, k
    result = np.zeros(count)
    cdef double[::1] scores = result
    if c > 1:
        with nogil:
            for k in range(count):
                scores[k] = bde_of_rows(
                    &values[0, 0, 0] + first[k] * c * (c + 1), first[k + 1] - first[k], c, alpha[k], tau[k]
                )
    return result


def log_likelihood(const double[:, :, ::1] values):
    """Return ln L at its maximum: the sum of M_xx' ln(M_xx' / T_x) − M_x."""
    cdef Py_ssize_t n_rows = values.shape[0], c = values.shape[1], u, x, k
    cdef double time, m, total = 0
    with nogil:
        for u in range(n_rows):
            for x in range(c):
                time = values[u, x, 0]
                if time > 0:
                    for k in range(1, c + 1):
                        m = values[u, x, k]
                        if m > 0:
                            total += m * (log(m / time) - 1)
    return total
