# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The loops that count: one scan of the events a table, or a family of tables.

A table is a block of c × c whole numbers for each parent configuration u, c the target's states: off
the diagonal M[u, x, x'], on the diagonal, where no transition can be, T[u, x] in ticks. A tick is a
power of two, 1 / scale; times are cut to ticks from the start of their trajectory. Whole numbers have
the same sum in any order, so every route to a table gives the same table.

Events must have passed `Trajectories.check`: a variable or state out of range would write anywhere.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from ctbnlab._counting cimport Events, index_t, ticks

cdef enum:
    CHUNK = 4096  # events looked through at once: their places fit 16 bits and the fastest cache


cdef extern from *:
    """
    /* Where the events of a few variables stand: most events are of no interest to a table, and the scan
       should cost them as little as possible. Sixteen events at a time are compared with each variable; the
       answers become bits, and a table has the places of the ones in a byte. No branch depends on the
       data: it would be guessed wrong. */
    typedef uint8_t Bytes __attribute__((vector_size(16), aligned(1), may_alias));
    typedef uint16_t Words __attribute__((vector_size(16), aligned(2), may_alias));
    typedef uint8_t HalfBytes __attribute__((vector_size(8)));

    static uint16_t PLACES_OF[256][8];
    static uint8_t ONES_OF[256];

    static void fill_places(void) {
        for (int byte = 0; byte < 256; byte++) {
            ONES_OF[byte] = 0;
            for (int bit = 0; bit < 8; bit++)
                if (byte >> bit & 1) PLACES_OF[byte][ONES_OF[byte]++] = bit;
        }
    }

    /* The lowest bit of each of eight bytes. */
    static inline unsigned lowest_bits(const void *bytes) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        return (unsigned) ((word & 0x0101010101010101u) * 0x0102040810204080u >> 56);
    }

    static inline unsigned equal_bytes(const uint8_t *variable, const uint8_t *wanted, Py_ssize_t n) {
        const Bytes here = *(const Bytes *) variable;
        Bytes equal = (Bytes) (here == wanted[0]);
        for (Py_ssize_t k = 1; k < n; k++) equal |= (Bytes) (here == wanted[k]);
        return lowest_bits(&equal) | lowest_bits((const char *) &equal + 8) << 8;
    }

    static inline unsigned equal_words(const uint16_t *variable, const uint16_t *wanted, Py_ssize_t n) {
        unsigned bits = 0;
        for (int half = 0; half < 2; half++) {
            const Words here = *(const Words *) (variable + 8 * half);
            Words equal = (Words) (here == wanted[0]);
            for (Py_ssize_t k = 1; k < n; k++) equal |= (Words) (here == wanted[k]);
            const HalfBytes narrow = __builtin_convertvector(equal, HalfBytes);
            bits |= lowest_bits(&narrow) << 8 * half;
        }
        return bits;
    }

    /* Write the places of the ones among 16 bits, counted from `first`; return how many they are. */
    static inline Py_ssize_t put_places(uint16_t *places, unsigned bits, Py_ssize_t first) {
        const unsigned low = bits & 0xFF, high = bits >> 8;
        *(Words *) places = *(const Words *) PLACES_OF[low] + (uint16_t) first;
        *(Words *) (places + ONES_OF[low]) = *(const Words *) PLACES_OF[high] + (uint16_t) (first + 8);
        return ONES_OF[low] + ONES_OF[high];
    }
    """
    void fill_places() noexcept nogil
    unsigned int equal_bytes(const uint8_t* variable, const uint8_t* wanted, Py_ssize_t n) noexcept nogil
    unsigned int equal_words(const uint16_t* variable, const uint16_t* wanted, Py_ssize_t n) noexcept nogil
    Py_ssize_t put_places(uint16_t* places, unsigned int bits, Py_ssize_t first) noexcept nogil


fill_places()


cdef struct Column:
    int64_t since   # when the variable, or the row it is counted in, last changed
    int32_t place   # the column of its present state
    int32_t offset  # the column of its state 0
    int64_t step    # of the target and the parents: from the row of a state to that of the next
    int32_t mask    # 0 for variables that nobody asks for: they stay in one column


cdef struct Sparse:
    int64_t rows      # configurations met so far
    int64_t room      # those there is memory for
    int64_t limit     # those there may be
    int64_t block
    int64_t capacity  # of `slots`, a power of two: row + 1 by hashed key, 0 where empty
    int64_t* slots
    int64_t* keys
    int64_t* counts


cdef inline Py_ssize_t chosen_events(
    const index_t* variable, Py_ssize_t count, const index_t* wanted, Py_ssize_t n_wanted, uint16_t* places
) noexcept nogil:
    """Write where the events of wanted variables stand, and return how many they are.

    Behind the last of them up to sixteen places more may be written over.
    """
    cdef Py_ssize_t i, k, whole = count & ~15, found = 0
    cdef unsigned int bits = 0
    for i in range(0, whole, 16):
        if index_t is uint8_t:
            bits = equal_bytes(variable + i, wanted, n_wanted)
        else:
            bits = equal_words(variable + i, wanted, n_wanted)
        found += put_places(places + found, bits, i)
    bits = 0
    for i in range(count - whole):
        for k in range(n_wanted):
            bits |= <unsigned int> (variable[whole + i] == wanted[k]) << i
    return found + put_places(places + found, bits, whole)


cdef void scan_joint(
    const Events* data, const index_t* variable, int target,
    const index_t* wanted, Py_ssize_t n_wanted, const int64_t* steps, int64_t* counts,
) noexcept nogil:
    cdef Py_ssize_t t, e, k, first, found
    cdef int64_t place, now, last, change, mine
    cdef double origin
    cdef uint16_t places[CHUNK + 16]
    for t in range(data.n_trajectories):
        place = 0
        for k in range(data.n_variables):
            place += data.initial[t * data.n_variables + k] * steps[k]
        origin = data.start[t]
        last = 0
        first = data.begin[t]
        while first < data.stop[t]:
            found = chosen_events(
                variable + first, min(CHUNK, data.stop[t] - first), wanted, n_wanted, places
            )
            for k in range(found):
                e = first + places[k]
                change = <int64_t> data.new[e] - data.old[e]
                now = ticks(data.time[e], origin, data.scale)
                counts[place] += now - last
                mine = variable[e] == target
                counts[place + change * mine] += mine
                place += change * steps[variable[e]]
                last = now
            first += CHUNK
        counts[place] += ticks(data.end[t], origin, data.scale) - last


cdef void scan_extensions(
    const Events* data, const index_t* variable, int target,
    const int32_t* candidates, Py_ssize_t m, int64_t width, Column* columns, int64_t* counts,
) noexcept nogil:
    cdef Py_ssize_t t, e, k, n = data.n_variables
    cdef int32_t place
    cdef int64_t now, since, change
    cdef uint8_t state
    cdef int64_t* row
    cdef int64_t* transitions
    cdef Column* column
    cdef double origin
    for t in range(data.n_trajectories):
        row = counts
        for k in range(n):
            state = data.initial[t * n + k]
            row += state * columns[k].step
            columns[k].place = columns[k].offset + (state & columns[k].mask)
            columns[k].since = 0
        origin = data.start[t]
        for e in range(data.begin[t], data.stop[t]):
            now = ticks(data.time[e], origin, data.scale)
            column = columns + variable[e]
            if column.step == 0:
                place = column.place
                since = column.since
                column.since = now
                column.place = column.offset + (data.new[e] & column.mask)
                row[place] += now - since
                continue
            change = <int64_t> data.new[e] - data.old[e]
            if variable[e] == target:
                transitions = row + change * width
                for k in range(m):
                    column = columns + candidates[k]
                    place = column.place
                    since = column.since
                    column.since = now
                    row[place] += now - since
                    transitions[place] += 1
            else:
                for k in range(m):
                    column = columns + candidates[k]
                    place = column.place
                    since = column.since
                    column.since = now
                    row[place] += now - since
            row += change * columns[variable[e]].step
        now = ticks(data.end[t], origin, data.scale)
        for k in range(m):
            column = columns + candidates[k]
            row[column.place] += now - column.since


cdef inline int64_t slot_of(const Sparse* table, int64_t key) noexcept nogil:
    """Where the key is, or would be put."""
    cdef uint64_t hashed = <uint64_t> key * 0x9E3779B97F4A7C15U
    cdef int64_t slot = <int64_t> (hashed >> 20) & (table.capacity - 1)
    while table.slots[slot] and table.keys[table.slots[slot] - 1] != key:
        slot = (slot + 1) & (table.capacity - 1)
    return slot


cdef int grow(Sparse* table) noexcept nogil:
    """Make room for more rows; −1 where there is no memory for them."""
    cdef int64_t room = table.room + table.room // 2 + 16, row
    cdef void* more = realloc(table.keys, room * sizeof(int64_t))
    if more == NULL:
        return -1
    table.keys = <int64_t*> more
    more = realloc(table.counts, room * table.block * sizeof(int64_t))
    if more == NULL:
        return -1
    table.counts = <int64_t*> more
    table.room = room
    if table.slots == NULL or table.capacity < 2 * room:
        while table.capacity < 2 * room:
            table.capacity *= 2
        free(table.slots)
        table.slots = <int64_t*> calloc(table.capacity, sizeof(int64_t))
        if table.slots == NULL:
            return -1
        for row in range(table.rows):
            table.slots[slot_of(table, table.keys[row])] = row + 1
    return 0


cdef int64_t row_of(Sparse* table, int64_t key) noexcept nogil:
    """The row of a key, a new one where it was never met; −1 without memory, −2 above the limit."""
    cdef int64_t slot = slot_of(table, key)
    if table.slots[slot]:
        return table.slots[slot] - 1
    if table.rows >= table.limit:
        return -2
    if table.rows == table.room:
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
    const index_t* wanted, Py_ssize_t n_wanted, const int64_t* steps, Sparse* table,
) noexcept nogil:
    cdef Py_ssize_t t, e, k, first, found
    cdef int64_t key, row, x, now, last, change
    cdef int64_t* counts
    cdef double origin
    cdef uint16_t places[CHUNK + 16]
    for t in range(data.n_trajectories):
        key = 0
        for k in range(data.n_variables):
            key += data.initial[t * data.n_variables + k] * steps[k]
        x = data.initial[t * data.n_variables + target]
        row = row_of(table, key)
        if row < 0:
            return row
        origin = data.start[t]
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


cdef class EventScan:
    """Scans of the same trajectories; they hold no Python lock."""

    def __init__(
        self,
        const int64_t[::1] begin,
        const int64_t[::1] stop,
        const double[::1] start,
        const double[::1] end,
        const uint8_t[:, ::1] initial,
        const double[::1] time,
        variable,
        const uint8_t[::1] old,
        const uint8_t[::1] new,
        const int32_t[::1] cardinalities,
        double scale,
    ):
        cdef const uint8_t[::1] narrow
        cdef const uint16_t[::1] wide
        # The struct has bare pointers; these keep what they point to.
        self.kept = (begin, stop, start, end, initial, time, variable, old, new)
        self.cardinalities = cardinalities
        self.data.n_trajectories = begin.shape[0]
        self.data.n_variables = cardinalities.shape[0]
        self.data.begin = &begin[0]
        self.data.stop = &stop[0]
        self.data.start = &start[0]
        self.data.end = &end[0]
        self.data.initial = &initial[0, 0]
        self.data.time = &time[0]
        self.data.old = &old[0]
        self.data.new = &new[0]
        self.data.scale = scale
        self.narrow = NULL
        self.wide = NULL
        if variable.dtype == np.uint8:
            narrow = variable
            self.narrow = &narrow[0]
        else:
            wide = variable
            self.wide = &wide[0]

    def joint(self, int target, const int32_t[::1] parents):
        """Return the table of all configurations: [u · c · c], the first parent slowest.

        Only events of the target and the parents are touched; the others cost the reading of a byte.
        """
        cdef int64_t c = self.cardinalities[target]
        steps_array, size = self._steps(parents, c * c)
        cdef int64_t[::1] steps = steps_array
        # The target's step leads from one cell of the diagonal to the next.
        steps[target] = c + 1
        result = np.zeros(size, np.int64)
        cdef int64_t[::1] counts = result
        cdef Py_ssize_t n_wanted = parents.shape[0] + 1
        cdef const uint8_t[::1] narrow = np.append(parents, target).astype(np.uint8)
        cdef const uint16_t[::1] wide = np.append(parents, target).astype(np.uint16)
        with nogil:
            if self.wide:
                scan_joint(&self.data, self.wide, target, &wide[0], n_wanted, &steps[0], &counts[0])
            else:
                scan_joint(&self.data, self.narrow, target, &narrow[0], n_wanted, &steps[0], &counts[0])
        return result

    def extensions(self, int target, const int32_t[::1] parents, const int32_t[::1] candidates):
        """Return the tables of the parents and one candidate more, for each: [u · c · c, columns].

        A candidate has a column for each of its states, one candidate after the other; the last column
        is for nothing. An event of a candidate costs one addition; only where the target or a parent
        changes does the scan visit every candidate.
        """
        cdef int64_t c = self.cardinalities[target]
        cdef Py_ssize_t n = self.data.n_variables, m = candidates.shape[0], k
        cdef int64_t width = 1
        for k in range(m):
            width += self.cardinalities[candidates[k]]
        steps_array, size = self._steps(parents, c * c * width)
        cdef int64_t[::1] steps = steps_array
        steps[target] = (c + 1) * width
        result = np.zeros(size, np.int64)
        cdef int64_t[::1] counts = result
        cdef const int32_t* chosen = &candidates[0] if m else NULL
        cdef Column* columns = <Column*> malloc(n * sizeof(Column))
        if columns == NULL:
            raise MemoryError
        for k in range(n):
            columns[k].step = steps[k]
            columns[k].offset = <int32_t> width - 1
            columns[k].mask = 0
        width = 0
        for k in range(m):
            columns[candidates[k]].offset = <int32_t> width
            columns[candidates[k]].mask = 0xFF
            width += self.cardinalities[candidates[k]]
        width += 1
        with nogil:
            if self.wide:
                scan_extensions(&self.data, self.wide, target, chosen, m, width, columns, &counts[0])
            else:
                scan_extensions(&self.data, self.narrow, target, chosen, m, width, columns, &counts[0])
            free(columns)
        return result.reshape(-1, width)

    def sparse(self, int target, const int32_t[::1] parents, int64_t limit):
        """Return the configurations that occur, in order, and their blocks; None if above `limit`."""
        cdef int64_t c = self.cardinalities[target], failure
        cdef Sparse table
        steps_array, _ = self._steps(parents, 1)
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
                    if self.wide:
                        failure = scan_sparse(
                            &self.data, self.wide, target, c, &wide[0], n_wanted, &steps[0], &table
                        )
                    else:
                        failure = scan_sparse(
                            &self.data, self.narrow, target, c, &narrow[0], n_wanted, &steps[0], &table
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

    def _steps(self, const int32_t[::1] parents, int64_t step):
        """Return from each parent's state to the next, in cells, the last parent `step`; and how many."""
        result = np.zeros(self.data.n_variables, np.int64)
        cdef int64_t[::1] steps = result
        cdef Py_ssize_t k
        for k in range(parents.shape[0] - 1, -1, -1):
            steps[parents[k]] = step
            step *= self.cardinalities[parents[k]]
        return result, step
