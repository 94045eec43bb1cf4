"""The tables of all small subsets of a joint table's parents, in one walk.

The walk decides axis by axis whether a parent stays. What is summed out stays out for everything below, so
that most subsets are sums over tables that are already small.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc

from ctbnlab.counting._marginals cimport add_states, write_block


cdef struct Walk:
    const int64_t* states
    const int32_t* group     # of each axis
    const uint8_t* wanted    # indexed by the groups that a subset has members of, as bits
    Py_ssize_t axes
    Py_ssize_t size          # maximum number of parents of a subset
    Py_ssize_t c
    double tick
    int32_t kept[64]
    # Output.
    Py_ssize_t count
    Py_ssize_t rows
    int32_t* parents         # of each subset, `size` numbers, −1 after the last
    int64_t* first           # its first row
    double* values


cdef void emit(Walk* walk, const int64_t* table, Py_ssize_t n_kept, Py_ssize_t outer) noexcept nogil:
    cdef Py_ssize_t k, u, block = walk.c * walk.c
    cdef int32_t* parents = walk.parents + walk.count * walk.size
    cdef int64_t touched = 0
    for k in range(n_kept):
        touched |= <int64_t> 1 << walk.group[walk.kept[k]]
    if not walk.wanted[touched]:
        return
    for k in range(walk.size):
        parents[k] = walk.kept[k] if k < n_kept else -1
    for u in range(outer):
        write_block(
            table + u * block, 1, walk.c, walk.tick, walk.values + (walk.rows + u) * walk.c * (walk.c + 1)
        )
    walk.rows += outer
    walk.count += 1
    walk.first[walk.count] = walk.rows


cdef void visit(
    Walk* walk, const int64_t* table, int64_t* scratch,
    Py_ssize_t axis, Py_ssize_t n_kept, Py_ssize_t outer, Py_ssize_t inner,
) noexcept nogil:
    """Continue with a table of `outer` configurations of the parents that stay, `inner` numbers for each."""
    cdef Py_ssize_t states, block = walk.c * walk.c
    if axis == walk.axes:
        emit(walk, table, n_kept, outer)
        return
    if n_kept == walk.size:
        add_states(table, scratch, outer, inner // block, block)
        emit(walk, scratch, n_kept, outer)
        return
    states = walk.states[axis]
    inner = inner // states
    walk.kept[n_kept] = axis
    visit(walk, table, scratch, axis + 1, n_kept + 1, outer * states, inner)
    add_states(table, scratch, outer, states, inner)
    visit(walk, scratch, scratch + outer * inner, axis + 1, n_kept, outer, inner)


def subset_tables(
    const int64_t[::1] table,
    const int64_t[::1] states,
    const int32_t[::1] group,
    const uint8_t[::1] wanted,
    Py_ssize_t size,
    Py_ssize_t c,
    double tick,
    Py_ssize_t max_subsets,
    Py_ssize_t max_rows,
):
    """Return (axes that stay, first rows, T and M) of the wanted subsets of at most `size` axes.

    `max_subsets` and `max_rows` bound the number of subsets and of their rows.
    """
    cdef Walk walk
    parents_array = np.empty((max_subsets, size), np.int32)
    first_array = np.zeros(max_subsets + 1, np.int64)
    values_array = np.empty((max_rows, c, c + 1))
    cdef int32_t[:, ::1] parents = parents_array
    cdef int64_t[::1] first = first_array
    cdef double[:, :, ::1] values = values_array
    # A sum is at most half as large as its table, except over an axis with one state.
    cdef Py_ssize_t scratch_size = table.shape[0] * (1 + int(np.sum(np.equal(states, 1))))
    cdef int64_t* scratch = <int64_t*> malloc(scratch_size * sizeof(int64_t))
    if scratch == NULL:
        raise MemoryError
    walk.states = &states[0]
    walk.group = &group[0]
    walk.wanted = &wanted[0]
    walk.axes = states.shape[0]
    walk.size = size
    walk.c = c
    walk.tick = tick
    walk.count = walk.rows = 0
    walk.parents = &parents[0, 0]
    walk.first = &first[0]
    walk.values = &values[0, 0, 0]
    with nogil:
        visit(&walk, &table[0], scratch, 0, 0, 1, table.shape[0])
        free(scratch)
    return parents_array[: walk.count], first_array[: walk.count + 1], values_array[: walk.rows]
