# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The tables of several targets against every single candidate, from one scan.

The time that two variables spend together in two states is the sum of the moments at which such a stay
ends, less the sum of those at which one begins. So nothing need be known of the past: an event adds its
moment, and one transition, to a cell for the present state of every other variable, in a row for what
has changed into what. The sums may pass 2⁶⁴ on the way; modulo that they end on the right time.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free

from ctbnlab._counting cimport Events, EventScan, index_t, ticks


cdef extern from *:
    """
    typedef struct { uint64_t moments, moves; } Cell;

    #if defined(__GNUC__)
    /* Compilers do not see by themselves that the two can be added by one instruction. */
    typedef uint64_t Both __attribute__((vector_size(16), aligned(8), may_alias));
    static inline void add_to_cells(Cell *row, const int64_t *place, Py_ssize_t n, uint64_t now) {
        const Both step = {now, 1};
        for (Py_ssize_t j = 0; j < n; j++) *(Both *)(row + place[j]) += step;
    }
    #else
    static inline void add_to_cells(Cell *row, const int64_t *place, Py_ssize_t n, uint64_t now) {
        for (Py_ssize_t j = 0; j < n; j++) { row[place[j]].moments += now; row[place[j]].moves += 1; }
    }
    #endif
    """
    ctypedef struct Cell:
        uint64_t moments
        uint64_t moves

    void add_to_cells(Cell* row, const int64_t* place, Py_ssize_t n, uint64_t now) noexcept nogil


cdef struct Member:
    int64_t offset        # the column of its state 0
    int64_t cardinality
    Cell* rows            # of a target: one for each x and x'
    uint64_t* times       # of any: one for each x, of the targets' states alone


cdef void scan_pairs(
    const Events* data, const index_t* variable, const int32_t* targets, Py_ssize_t n_targets,
    int64_t width, const Member* members, int64_t* place,
) noexcept nogil:
    cdef Py_ssize_t t, e, j, k, n = data.n_variables
    cdef uint64_t now
    cdef uint64_t* left
    cdef uint64_t* entered
    cdef Cell* row
    cdef const Member* member
    cdef double origin
    for t in range(data.n_trajectories):
        for j in range(n):
            place[j] = members[j].offset + data.initial[t * n + j]
        origin = data.start[t]
        for e in range(data.begin[t], data.stop[t]):
            now = ticks(data.time[e], origin, data.scale)
            member = members + variable[e]
            if member.rows != NULL:
                row = member.rows + (data.old[e] * member.cardinality + data.new[e]) * width
                add_to_cells(row, place, n, now)
            else:
                left = member.times + data.old[e] * width
                entered = member.times + data.new[e] * width
                for k in range(n_targets):
                    left[place[targets[k]]] += now
                    entered[place[targets[k]]] -= now
            place[variable[e]] = member.offset + data.new[e]
        now = ticks(data.end[t], origin, data.scale)
        for k in range(n_targets):
            member = members + targets[k]
            left = member.times + (place[targets[k]] - member.offset) * width
            for j in range(n):
                # Of two targets one has the time until the end.
                if j > targets[k] or members[j].rows == NULL:
                    left[place[j]] += now


cdef void ended_less_begun(const Member* member, int64_t width) noexcept nogil:
    """Add the moments of a target's rows to its times."""
    cdef Py_ssize_t c = member.cardinality, x, y, column
    cdef const Cell* row
    for x in range(c):
        for y in range(c):
            row = member.rows + (x * c + y) * width
            for column in range(width):
                member.times[x * width + column] += row[column].moments
                member.times[y * width + column] -= row[column].moments


cdef object extended(Py_ssize_t target, Py_ssize_t n, int64_t width, const Member* members):
    """The table of one target as `EventScan.extensions` has it for all other variables and no parent."""
    cdef const Member* member = members + target
    cdef Py_ssize_t c = member.cardinality, j, x, y, row, column = 0
    result = np.zeros((c * c, width - c + 1), np.int64)
    cdef int64_t[:, ::1] counts = result
    for j in range(n):
        if j == target:
            continue
        for y in range(members[j].cardinality):
            for row in range(c * c):
                counts[row, column] = member.rows[row * width + members[j].offset + y].moves
            for x in range(c):
                counts[x * c + x, column] = (
                    member.times[x * width + members[j].offset + y]
                    + members[j].times[y * width + member.offset + x]
                )
            column += 1
    return result


def pair_counts(EventScan scan, const int32_t[::1] targets):
    """Return, for each target, its table for each other variable as the only parent."""
    cdef const int32_t[::1] cardinalities = scan.cardinalities
    cdef Py_ssize_t n = cardinalities.shape[0], n_targets = targets.shape[0], j, k
    cdef int64_t width = np.sum(cardinalities), first = 0
    cdef uint64_t[:, ::1] times = np.zeros((width, width), np.uint64)
    cdef uint64_t[:, ::1] rows = np.zeros(
        (int(np.sum(np.square(np.take(cardinalities, targets), dtype=np.int64))), 2 * width), np.uint64
    )
    cdef int64_t[::1] place = np.empty(n, np.int64)
    cdef Member* members = <Member*> calloc(n, sizeof(Member))
    if members == NULL:
        raise MemoryError
    try:
        for j in range(n):
            members[j].offset = first
            members[j].cardinality = cardinalities[j]
            members[j].times = &times[first, 0]
            first += cardinalities[j]
        first = 0
        for k in range(n_targets):
            members[targets[k]].rows = <Cell*> &rows[first, 0]
            first += members[targets[k]].cardinality ** 2
        with nogil:
            if scan.wide:
                scan_pairs(&scan.data, scan.wide, &targets[0], n_targets, width, members, &place[0])
            else:
                scan_pairs(&scan.data, scan.narrow, &targets[0], n_targets, width, members, &place[0])
            for k in range(n_targets):
                ended_less_begun(members + targets[k], width)
        return [extended(targets[k], n, width, members) for k in range(n_targets)]
    finally:
        free(members)
