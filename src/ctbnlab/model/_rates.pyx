"""Intensity matrices drawn from a rate law, by node and parent configuration (see `_philox.pxd`)."""

import numpy as np

from libc.stdint cimport int32_t, uint32_t, uint64_t

from ctbnlab.model._philox cimport draw_row, philox


def philox_block(uint64_t key, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3):
    """Return one block of four 32-bit words (for tests against published test vectors)."""
    cdef uint32_t words[4]
    philox(key, c0, c1, c2, c3, words)
    return words[0], words[1], words[2], words[3]


def intensity_matrices(
    int law, double low, double high, double effect, uint64_t key,
    const uint64_t[::1] configurations, const int32_t[::1] parent_cardinalities, int n_states,
):
    """Return the intensity matrices of the given parent configurations: [configuration, x, x']."""
    cdef Py_ssize_t count = configurations.shape[0], u
    cdef int x, k, column
    cdef double total
    result = np.zeros((count, n_states, n_states))
    buffer = np.empty((2, max(n_states - 1, 1)))
    cdef double[:, :, ::1] q = result
    cdef double[:, ::1] rows = buffer
    cdef const int32_t* cardinalities = NULL
    if parent_cardinalities.shape[0]:
        cardinalities = &parent_cardinalities[0]
    with nogil:
        for u in range(count):
            for x in range(n_states):
                draw_row(
                    law, low, high, effect, key, configurations[u],
                    cardinalities, <int> parent_cardinalities.shape[0], x, n_states, &rows[0, 0], &rows[1, 0],
                )
                total = 0
                for k in range(n_states - 1):
                    column = k if k < x else k + 1
                    q[u, x, column] = rows[0, k]
                    total += rows[0, k]
                q[u, x, x] = -total
    return result
