"""Tables with rows only for the parent configurations that occur, from one scan into a hash table.

A row is a block as in `_scan`.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from ctbnlab.counting._select cimport CHUNK, OVER, chosen_events
from ctbnlab.counting._scan cimport Events, EventScan, Separate, Together, index_t, order_t, ticks


cdef struct Sparse:
    int64_t rows       # configurations found so far
    int64_t allocated  # rows there is memory for
    int64_t limit      # maximum number of rows
    int64_t block
    int64_t capacity   # of `slots`, a power of two: row + 1 by hashed key, 0 if empty
    int64_t* slots
    int64_t* keys
    int64_t* counts


cdef inline int64_t slot_of(const Sparse* table, int64_t key) noexcept nogil:
    """The slot of a key, or the free slot where it belongs."""
    cdef uint64_t hashed = <uint64_t> key * 0x9E3779B97F4A7C15U
    cdef int64_t slot = <int64_t> (hashed >> 20) & (table.capacity - 1)
    while table.slots[slot] and table.keys[table.slots[slot] - 1] != key:
        slot = (slot + 1) & (table.capacity - 1)
    return slot


cdef int grow(Sparse* table) noexcept nogil:
    """Allocate more rows; −1 if there is no memory for them."""
    cdef int64_t wanted = table.allocated + table.allocated // 2 + 16, row
    cdef void* more = realloc(table.keys, wanted * sizeof(int64_t))
    if more == NULL:
        return -1
    table.keys = <int64_t*> more
    more = realloc(table.counts, wanted * table.block * sizeof(int64_t))
    if more == NULL:
        return -1
    table.counts = <int64_t*> more
    table.allocated = wanted
    if table.slots == NULL or table.capacity < 2 * wanted:
        while table.capacity < 2 * wanted:
            table.capacity *= 2
        free(table.slots)
        table.slots = <int64_t*> calloc(table.capacity, sizeof(int64_t))
        if table.slots == NULL:
            return -1
        for row in range(table.rows):
            table.slots[slot_of(table, table.keys[row])] = row + 1
    return 0


cdef int64_t row_of(Sparse* table, int64_t key) noexcept nogil:
    """The row of a key, a new one if it is not known; −1 without memory, −2 above the limit."""
    cdef int64_t slot = slot_of(table, key)
    if table.slots[slot]:
        return table.slots[slot] - 1
    if table.rows >= table.limit:
        return -2
    if table.rows == table.allocated:
        if grow(table):
            return -1
        slot = slot_of(table, key)
    table.keys[table.rows] = key
    memset(table.counts + table.rows * table.block, 0, table.block * sizeof(int64_t))
    table.rows += 1
    table.slots[slot] = table.rows
    return table.rows - 1


cdef int64_t scan_sparse(
    const Events* data, const index_t* variable, int target, int64_t c,
    const index_t* wanted, Py_ssize_t n_wanted, const int64_t* steps, Sparse* table, order_t order,
) noexcept nogil:
    cdef Py_ssize_t t, e, k, first, found
    cdef int64_t key, row, before = 0, x, now, last, change
    cdef int64_t* counts
    cdef double origin, instant
    cdef uint16_t places[CHUNK + OVER]
    for t in range(data.n_trajectories):
        key = 0
        for k in range(data.n_variables):
            key += data.initial[t * data.n_variables + k] * steps[k]
        x = data.initial[t * data.n_variables + target]
        row = row_of(table, key)
        if row < 0:
            return row
        origin = instant = data.start[t]
        last = 0
        first = data.begin[t]
        while first < data.stop[t]:
            found = chosen_events(
                variable + first, min(CHUNK, data.stop[t] - first), wanted, n_wanted, places
            )
            for k in range(found):
                e = first + places[k]
                now = ticks(data.time[e], origin, data.scale)
                counts = table.counts + row * table.block
                counts[x * (c + 1)] += now - last
                last = now
                if order_t is Together:
                    if data.time[e] != instant:
                        instant = data.time[e]
                        before = row
                    counts = table.counts + before * table.block
                if variable[e] == target:
                    counts[x * c + data.new[e]] += 1
                    x = data.new[e]
                else:
                    change = <int64_t> data.new[e] - data.old[e]
                    key += change * steps[variable[e]]
                    row = row_of(table, key)
                    if row < 0:
                        return row
            first += CHUNK
        table.counts[row * table.block + x * (c + 1)] += ticks(data.end[t], origin, data.scale) - last
    return 0


cdef Separate SEPARATE
cdef Together TOGETHER


cdef int64_t sparse_in_order(
    const Events* data, const index_t* variable, int target, int64_t c,
    const index_t* wanted, Py_ssize_t n_wanted, const int64_t* steps, Sparse* table,
) noexcept nogil:
    if data.tied:
        return scan_sparse(data, variable, target, c, wanted, n_wanted, steps, table, TOGETHER)
    return scan_sparse(data, variable, target, c, wanted, n_wanted, steps, table, SEPARATE)


def sparse_counts(EventScan scan, int target, const int32_t[::1] parents, int64_t limit):
    """Return the configurations that occur, in order, and their blocks; None if above `limit`."""
    cdef int64_t c = scan.cardinalities[target], failure
    cdef Sparse table
    steps_array, _ = scan.steps(parents, 1)
    cdef int64_t[::1] steps = steps_array
    cdef Py_ssize_t n_wanted = parents.shape[0] + 1
    cdef const uint8_t[::1] narrow = np.append(parents, target).astype(np.uint8)
    cdef const uint16_t[::1] wide = np.append(parents, target).astype(np.uint16)
    memset(&table, 0, sizeof(Sparse))
    table.block = c * c
    table.limit = limit
    table.capacity = 64
    try:
        with nogil:
            failure = grow(&table)
            if failure == 0:
                if scan.wide:
                    failure = sparse_in_order(
                        &scan.data, scan.wide, target, c, &wide[0], n_wanted, &steps[0], &table
                    )
                else:
                    failure = sparse_in_order(
                        &scan.data, scan.narrow, target, c, &narrow[0], n_wanted, &steps[0], &table
                    )
        if failure == -1:
            raise MemoryError
        if failure == -2:
            return None
        if table.rows == 0:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        keys = np.asarray(<int64_t[:table.rows]> table.keys)
        counts = np.asarray(<int64_t[:table.rows, :table.block]> table.counts)
        order = np.argsort(keys)
        return keys[order], counts[order].reshape(-1)
    finally:
        free(table.slots)
        free(table.keys)
        free(table.counts)
