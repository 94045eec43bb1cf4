"""The joint states of sets of variables, with the transitions of several targets: many sets in one scan.

The time that variables spend in a joint state does not depend on which of them is a target: one table of
times serves all, and each target has its own transitions.

Events are taken in blocks that stay in the L1 cache. For each variable a block has a row of bits that marks
its events; the rows of a set's variables together mark the events of the set. For a single set, such as a
table that fills a cache on its own, events are selected without these rows.
"""

import numpy as np

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from ctbnlab.counting._select cimport OVER, chosen_events, put_places
from ctbnlab.counting._scan cimport Events, EventScan, Separate, Together, index_t, order_t, ticks

cdef enum:
    BLOCK = 2048         # events per block
    WORDS = BLOCK >> 6   # machine words of a row of bits; Cython cannot divide here if it checks divisions
    NEAR = 1 << 17       # cells: a larger table does not fit the L2 cache

MAX_CACHED_CELLS = NEAR


cdef struct Mover:
    int64_t step      # distance between the cells of two of its states
    int64_t kinds     # number of other states it can move to; 0 if it is not a target
    uint32_t* moves   # [cell · kinds] of a target; a dummy for others


cdef struct Cover:
    Py_ssize_t n_members
    const int32_t* members
    const int32_t* rows   # row of bits of each member
    Mover* movers         # one per variable of the data
    int64_t n_cells
    int64_t* times        # [cell]
    int64_t place         # the current cell
    int64_t last          # when it was last counted
    int64_t before        # the cell before the present instant, if variables change together
    double instant


cdef Py_ssize_t events_of(
    const Cover* cover, const uint64_t* bits, Py_ssize_t words, uint16_t* places
) noexcept nogil:
    """Write the positions of the events of a cover's members in a block, and return their number."""
    cdef Py_ssize_t word, k, quarter, found = 0
    cdef uint64_t mine
    for word in range(words):
        mine = 0
        for k in range(cover.n_members):
            mine |= bits[cover.rows[k] * WORDS + word]
        for quarter in range(0, 64, 16):
            found += put_places(
                places + found, <unsigned int> (mine >> quarter & 0xFFFF), 64 * word + quarter
            )
    return found


cdef struct Block:
    Py_ssize_t found                 # number of events of a cover
    uint16_t places[BLOCK + OVER]    # their positions
    # For every event: its time, the change of state, and the number of the new state among the others.
    int64_t moment[BLOCK]
    int16_t change[BLOCK]
    uint8_t kind[BLOCK]


cdef void fill(
    Block* block, const double* time, const uint8_t* old, const uint8_t* new,
    Py_ssize_t count, double origin, double scale,
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(count):
        block.moment[i] = ticks(time[i], origin, scale)
    for i in range(count):
        block.change[i] = <int16_t> new[i] - old[i]
    for i in range(count):
        block.kind[i] = new[i] - (new[i] > old[i])


cdef void count_near(
    const index_t* variable, const double* time, const Block* block, Cover* cover, order_t order
) noexcept nogil:
    """Count the events of a block in tables that fit in the L2 cache."""
    cdef Py_ssize_t k, e
    cdef int64_t place = cover.place, last = cover.last, before = cover.before, now
    cdef double instant = cover.instant
    cdef const Mover* mover
    cdef const Mover* movers = cover.movers
    cdef int64_t* times = cover.times
    cdef Py_ssize_t found = block.found
    for k in range(found):
        e = block.places[k]
        mover = movers + variable[e]
        now = block.moment[e]
        times[place] += now - last
        if order_t is Together:
            if time[e] != instant:
                instant = time[e]
                before = place
            mover.moves[before * mover.kinds + block.kind[e]] += 1
        else:
            mover.moves[place * mover.kinds + block.kind[e]] += 1
        place += block.change[e] * mover.step
        last = now
    cover.place = place
    cover.last = last
    cover.before = before
    cover.instant = instant


cdef void count_far(
    const index_t* variable, const double* time, const Block* block, Cover* cover, order_t order
) noexcept nogil:
    """The same in larger tables: compute all addresses first, so that many cells are fetched at once."""
    cdef Py_ssize_t k, e, n_moves = 0
    cdef int64_t place = cover.place, last = cover.last, before = cover.before, now
    cdef double instant = cover.instant
    cdef const Mover* mover
    cdef const Mover* movers = cover.movers
    cdef int64_t* times = cover.times
    cdef Py_ssize_t found = block.found
    cdef int64_t* cells[BLOCK]
    cdef int64_t spans[BLOCK]
    cdef uint32_t* moves[BLOCK + 1]
    for k in range(found):
        e = block.places[k]
        mover = movers + variable[e]
        now = block.moment[e]
        cells[k] = times + place
        spans[k] = now - last
        if order_t is Together:
            if time[e] != instant:
                instant = time[e]
                before = place
            moves[n_moves] = mover.moves + before * mover.kinds + block.kind[e]
        else:
            moves[n_moves] = mover.moves + place * mover.kinds + block.kind[e]
        n_moves += mover.kinds > 0
        place += block.change[e] * mover.step
        last = now
    for k in range(found):
        cells[k][0] += spans[k]
    for k in range(n_moves):
        moves[k][0] += 1
    cover.place = place
    cover.last = last
    cover.before = before
    cover.instant = instant


cdef void scan_covers(
    const Events* data, const index_t* variable, const index_t* wanted, Cover* covers, Py_ssize_t n_covers,
    const int32_t* row_of, Py_ssize_t n_rows, uint64_t* bits, order_t order,
) noexcept nogil:
    """Add to the times and moves of covers.

    `row_of` has the row of bits of each variable, the last one for variables of no cover; `wanted` has the
    members if there is one cover only.
    """
    cdef Py_ssize_t t, i, k, c, first, count, words
    cdef int64_t now
    cdef double origin
    cdef Cover* cover
    cdef Block block
    for t in range(data.n_trajectories):
        for c in range(n_covers):
            cover = covers + c
            cover.place = cover.last = cover.before = 0
            cover.instant = data.start[t]
            for k in range(cover.n_members):
                i = cover.members[k]
                cover.place += data.initial[t * data.n_variables + i] * cover.movers[i].step
        origin = data.start[t]
        first = data.begin[t]
        while first < data.stop[t]:
            count = min(BLOCK, data.stop[t] - first)
            fill(&block, data.time + first, data.old + first, data.new + first, count, origin, data.scale)
            if n_covers == 1:
                block.found = chosen_events(variable + first, count, wanted, covers.n_members, block.places)
                if covers.n_cells > NEAR:
                    count_far(variable + first, data.time + first, &block, covers, order)
                else:
                    count_near(variable + first, data.time + first, &block, covers, order)
            else:
                words = (count + 63) // 64
                for k in range(n_rows):
                    memset(bits + k * WORDS, 0, words * sizeof(uint64_t))
                for i in range(count):
                    bits[row_of[variable[first + i]] * WORDS + (i >> 6)] |= <uint64_t> 1 << (i & 63)
                for c in range(n_covers):
                    block.found = events_of(covers + c, bits, words, block.places)
                    count_near(variable + first, data.time + first, &block, covers + c, order)
            first += BLOCK
        now = ticks(data.end[t], origin, data.scale)
        for c in range(n_covers):
            covers[c].times[covers[c].place] += now - covers[c].last


cdef Separate SEPARATE
cdef Together TOGETHER


cdef void covers_in_order(
    const Events* data, const index_t* variable, const index_t* wanted, Cover* covers, Py_ssize_t n_covers,
    const int32_t* row_of, Py_ssize_t n_rows, uint64_t* bits,
) noexcept nogil:
    if data.tied:
        scan_covers(data, variable, wanted, covers, n_covers, row_of, n_rows, bits, TOGETHER)
    else:
        scan_covers(data, variable, wanted, covers, n_covers, row_of, n_rows, bits, SEPARATE)


cdef class Counts:
    """The arrays of one cover, and the pointers into them."""

    cdef readonly object times
    cdef readonly list moves
    cdef const int32_t[::1] members
    cdef const int32_t[::1] rows
    cdef int64_t[::1] times_view
    cdef Mover* movers
    cdef uint32_t[256] dummy

    def __cinit__(self, EventScan scan, variables, targets, const int32_t[::1] row_of):
        cdef Py_ssize_t k, n = scan.data.n_variables
        cdef int64_t cells = 1
        cdef uint32_t[::1] moves
        self.movers = <Mover*> calloc(n, sizeof(Mover))
        if self.movers == NULL:
            raise MemoryError
        for k in range(n):
            self.movers[k].moves = self.dummy
        for k in reversed(variables):
            self.movers[k].step = cells
            cells *= scan.cardinalities[k]
        self.members = np.array(variables, np.int32)
        self.rows = np.take(row_of, variables)
        # One allocation: the system backs large ones with huge pages, which are much cheaper to map.
        kinds = [scan.cardinalities[k] - 1 for k in targets]
        counts = np.zeros(cells + (cells * sum(kinds) + 1) // 2, np.int64)
        self.times = counts[:cells]
        self.times_view = self.times
        self.moves = np.split(counts[cells:].view(np.uint32), cells * np.cumsum(kinds))[: len(kinds)]
        for k, array in zip(targets, self.moves):
            if array.size:
                moves = array
                self.movers[k].kinds = array.size // cells
                self.movers[k].moves = &moves[0]

    def __dealloc__(self):
        free(self.movers)

    cdef Cover cover(self):
        cdef Cover cover
        cover.n_members = self.members.shape[0]
        cover.members = &self.members[0]
        cover.rows = &self.rows[0]
        cover.movers = self.movers
        cover.n_cells = self.times_view.shape[0]
        cover.times = &self.times_view[0]
        cover.place = cover.last = cover.before = 0
        cover.instant = 0
        return cover


def joint_counts(EventScan scan, wanted):
    """Return, for each set of variables and targets among them, times and each target's transitions.

    Times are [cell] over all joint states in C order, the first variable slowest. A target's transitions are
    [cell · (c − 1)]: one number below 2³² for each other state, in order.
    """
    cdef Py_ssize_t k, n_covers = len(wanted)
    rows = sorted({variable for variables, _ in wanted for variable in variables})
    row_of_array = np.full(scan.data.n_variables, len(rows), np.int32)
    row_of_array[rows] = np.arange(len(rows))
    cdef const int32_t[::1] row_of = row_of_array
    cdef uint64_t[::1] bits = np.empty((len(rows) + 1) * WORDS, np.uint64)
    cdef Py_ssize_t n_rows = len(rows) + 1
    cdef const uint8_t[::1] narrow = np.array(rows).astype(np.uint8)
    cdef const uint16_t[::1] wide = np.array(rows, np.uint16)
    cdef Counts each
    counts = [Counts(scan, variables, targets, row_of) for variables, targets in wanted]
    cdef Cover* covers = <Cover*> calloc(max(n_covers, 1), sizeof(Cover))
    if covers == NULL:
        raise MemoryError
    for k in range(n_covers):
        each = counts[k]
        covers[k] = each.cover()
    with nogil:
        if scan.wide:
            covers_in_order(&scan.data, scan.wide, &wide[0], covers, n_covers, &row_of[0], n_rows, &bits[0])
        else:
            covers_in_order(
                &scan.data, scan.narrow, &narrow[0], covers, n_covers, &row_of[0], n_rows, &bits[0]
            )
        free(covers)
    return [(found.times, found.moves) for found in counts]
