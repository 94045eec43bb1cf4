"""Sums over the blocks of a table, and the conversion of whole numbers to times and transitions.

Whole numbers are in the layout of `_scan`; sums work for times and transitions as well.
"""

import numpy as np

from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free, malloc


cdef void add_states(
    const number_t* source, number_t* out, Py_ssize_t outer, Py_ssize_t states, Py_ssize_t inner
) noexcept nogil:
    cdef Py_ssize_t _a, _s, i
    for _a in range(outer):
        for i in range(inner):
            out[i] = source[i]
        source += inner
        for _s in range(1, states):
            for i in range(inner):
                out[i] += source[i]
            source += inner
        out += inner


cdef void sum_runs(
    const number_t* source, number_t* buffer, number_t* out,
    const int64_t* runs, Py_ssize_t count, Py_ssize_t first_gone, Py_ssize_t inner,
) noexcept nogil:
    """Sum out every second run of axes, the slowest first, so that each further sum reads a smaller table.

    Later sums are done in place in the buffer; the last one goes to `out`.
    """
    cdef Py_ssize_t k, outer = 1
    cdef number_t* into
    for k in range(count):
        inner //= runs[k]
        if (k - first_gone) % 2:
            outer *= runs[k]
            continue
        into = out if k + 2 >= count else buffer
        add_states(source, into, outer, runs[k], inner)
        source = buffer


def sum_axes(const number_t[::1] table, states, stays, Py_ssize_t block):
    """Return a table of all configurations with some of its axes summed out.

    `states` has the cardinality of each axis, the slowest first, and `stays` whether it is kept.
    """
    cdef int64_t runs[64]
    cdef Py_ssize_t count = 0, left = block, first_gone = 0
    cdef int64_t cells
    cdef bint keep, kept = False
    # Neighbouring axes that both stay or both go count as one; axes with a single state are skipped.
    for cells, keep in zip(states, stays):
        if cells == 1:
            continue
        if keep:
            left *= cells
        if count and keep == kept:
            runs[count - 1] *= cells
        else:
            if not count:
                first_gone = keep
            runs[count] = cells
            count += 1
        kept = keep
    if left == table.shape[0]:
        return np.asarray(table)
    result = np.empty(left, np.int64 if number_t is int64_t else np.float64)
    cdef number_t[::1] out = result
    cdef Py_ssize_t size = table.shape[0]
    cdef number_t* buffer = <number_t*> malloc(size // runs[first_gone] * sizeof(number_t))
    if buffer == NULL:
        raise MemoryError
    with nogil:
        sum_runs(&table[0], buffer, &out[0], runs, count, first_gone, size)
        free(buffer)
    return result


def sum_rows(const number_t[::1] table, Py_ssize_t block, const int64_t[::1] destinations, Py_ssize_t rows):
    """Return `rows` rows of `block` numbers, each the sum of the rows that have it as destination."""
    cdef Py_ssize_t r, i
    result = np.zeros(rows * block, np.int64 if number_t is int64_t else np.float64)
    cdef number_t[::1] out = result
    cdef number_t* row
    with nogil:
        for r in range(destinations.shape[0]):
            row = &out[destinations[r] * block]
            for i in range(block):
                row[i] += table[r * block + i]
    return result


def projected(const int64_t[::1] configurations, const int64_t[::1] cardinalities, const int64_t[::1] steps):
    """Return Σ state · step of each configuration: its number for a subset of parents (step 0 for others)."""
    cdef Py_ssize_t r, k
    cdef int64_t rest, key
    result = np.empty(configurations.shape[0], np.int64)
    cdef int64_t[::1] view = result
    with nogil:
        for r in range(configurations.shape[0]):
            rest = configurations[r]
            key = 0
            for k in range(cardinalities.shape[0] - 1, -1, -1):
                key += (rest % cardinalities[k]) * steps[k]
                rest = rest // cardinalities[k]
            view[r] = key
    return result


cdef void write_block(
    const int64_t* source, Py_ssize_t stride, Py_ssize_t c, double tick, double* out
) noexcept nogil:
    """Write T and M side by side, from a block with T on its diagonal."""
    cdef Py_ssize_t x, y
    for x in range(c):
        out[0] = source[(x * c + x) * stride] * tick
        for y in range(c):
            out[1 + y] = <double> source[(x * c + y) * stride]
        out[1 + x] = 0
        out += c + 1


def values_of(const int64_t[::1] counts, Py_ssize_t c, double tick):
    """Return T and M in the layout of `SufficientStatistics.values`."""
    cdef Py_ssize_t u, rows = counts.shape[0] // (c * c)
    result = np.empty((rows, c, c + 1))
    cdef double[:, :, ::1] view = result
    with nogil:
        for u in range(rows):
            write_block(&counts[u * c * c], 1, c, tick, &view[u, 0, 0])
    return result


def extension_values(
    const int64_t[:, ::1] counts,
    Py_ssize_t offset,
    Py_ssize_t states,
    Py_ssize_t inner,
    Py_ssize_t c,
    double tick,
):
    """Return T and M for the parents and one candidate, its columns from `offset` on.

    `inner` is the number of configurations of the parents that come after the candidate.
    """
    cdef Py_ssize_t u, y, width = counts.shape[1], rows = counts.shape[0] // (c * c)
    result = np.empty((rows * states, c, c + 1))
    cdef double[:, :, ::1] view = result
    with nogil:
        for u in range(rows):
            for y in range(states):
                write_block(
                    &counts[u * c * c, offset + y], width, c, tick,
                    &view[((u // inner) * states + y) * inner + u % inner, 0, 0],
                )
    return result


ctypedef fused moves_t:
    uint32_t
    int64_t


def joint_table(
    const int64_t[::1] times,
    const moves_t[::1] moves,
    Py_ssize_t before,
    Py_ssize_t c,
    Py_ssize_t after,
):
    """Return a target's table from times [before · c · after] and transitions [before · c · after · (c − 1)].

    `before` and `after` are the numbers of configurations of the parents that come before it and after it.
    """
    cdef Py_ssize_t b, a, x, y, cell
    result = np.empty(before * after * c * c, np.int64)
    cdef int64_t[::1] counts = result
    cdef int64_t* out = &counts[0]
    with nogil:
        for b in range(before):
            for a in range(after):
                for x in range(c):
                    cell = (b * c + x) * after + a
                    for y in range(x):
                        out[y] = moves[cell * (c - 1) + y]
                    out[x] = times[cell]
                    for y in range(x + 1, c):
                        out[y] = moves[cell * (c - 1) + y - 1]
                    out += c
    return result
