"""The tables of several targets against every single candidate, from one scan.

The time that two variables spend together in two states is the sum of the moments at which such a stay ends,
minus the sum of the moments at which one begins. So nothing about the past is needed: an event adds its
moment, and one transition, to the cell of the current state of every other variable, in the row of its old
and new state. With moments counted back from the end of a trajectory, a stay that lasts until then ends at 0.
The sums may overflow 2⁶⁴ in between; modulo 2⁶⁴ they end on the right time.

A few variables at a time form a group, whose joint state is a byte: one addition to its cell serves all its
members, and each member is summed out at the end. Eight groups make a word.

Rows of many variables do not fit a cache, and events that follow each other belong to different rows. So an
event only leaves its moment and the words of that moment in its row's buffer. A full buffer is added up: its
events go to the same cells, of one word after the other, which stay in the L1 cache. So the cost is
additions, not memory traffic, and one scan serves all targets. If there is one word only, rows fit the cache:
an event is added at once, and the word stays in a register, so that no event waits for the stores of the one
before.

If several variables change at one instant, transitions are added under the words just before it. The moments
of its events are added one by one: the stays in between begin and end at the same moment, and cancel.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from ctbnlab.counting._pair_cells cimport BYTES, CELLS, Cell, Member, Words, add_by_bytes, fetch, folded
from ctbnlab.counting._scan cimport Events, EventScan, Separate, Together, index_t, order_t, ticks


cdef void add_word(
    const Words* words, const Member* member, Py_ssize_t row, Py_ssize_t word
) noexcept nogil:
    """Add the events in a row's buffer to the cells of one word."""
    cdef Py_ssize_t j, _k, n_groups = min(BYTES, words.n_groups - BYTES * word)
    cdef Py_ssize_t last = BYTES * word + n_groups - 1
    cdef const int64_t* cells = words.cells + BYTES * word
    cdef const uint64_t* event = member.buffers + row * words.buffered * member.size
    memset(words.sums, 0, (words.cells[last] + words.sizes[last]) * sizeof(Cell))
    if words.tied:
        for _k in range(member.n_kept[row]):
            add_by_bytes(words.sums, cells, n_groups, event[1 + word], event[0], 0)
            add_by_bytes(words.sums, cells, n_groups, event[1 + member.n_words + word], 0, 1)
            event += member.size
    elif n_groups == BYTES:  # the compiler unrolls this
        for _k in range(member.n_kept[row]):
            if word == 0:
                for j in range(0, member.size, 8):
                    fetch(event + 16 * member.size + j)
            add_by_bytes(words.sums, cells, BYTES, event[1 + word], event[0], 1)
            event += member.size
    else:
        for _k in range(member.n_kept[row]):
            add_by_bytes(words.sums, cells, n_groups, event[1 + word], event[0], 1)
            event += member.size


cdef void sum_out(const Words* words, Py_ssize_t group, Cell* cells, Cell total) noexcept nogil:
    """Write the sums of a group's cells to the columns of its members, one member after the other."""
    cdef int64_t k, x, first = words.ends[group - 1] if group else 0
    cdef const Member* member
    cdef Cell sums, rest
    for k in range(words.ends[group] - 1, first - 1, -1):
        member = words.members[k]
        rest = total
        for x in range(1, member.cardinality):
            sums = folded(cells, cells + x * member.in_group, member.in_group)
            words.moments[member.column + x] = sums.moments
            words.moves[member.column + x] = sums.moves
            rest.moments -= sums.moments
            rest.moves -= sums.moves
        words.moments[member.column] = rest.moments
        words.moves[member.column] = rest.moves


cdef void empty(const Words* words, const Member* member, Py_ssize_t row) noexcept nogil:
    """Add up the events in a row's buffer, or those that are in its cells already."""
    cdef Py_ssize_t w, k
    cdef int64_t c = member.cardinality, old = row, new = 0
    cdef Cell* cells = words.sums
    cdef Cell total
    cdef uint64_t* left
    cdef uint64_t* entered
    cdef uint64_t* moves
    for w in range(member.n_words):
        if words.direct:
            cells = member.cells + row * words.width
        else:
            add_word(words, member, row, w)
        total.moments = total.moves = 0
        for k in range(words.sizes[BYTES * w]):
            total.moments += cells[k].moments
            total.moves += cells[k].moves
        for k in range(BYTES * w, min(BYTES * (w + 1), words.n_groups)):
            sum_out(words, k, cells + words.cells[k], total)
    if member.is_target:
        old, new = row // (c - 1), row % (c - 1)
        new += new >= old
        moves = member.moves + (old * c + new) * member.n_columns
        entered = member.times + new * member.next_times
        for k in range(member.n_columns):
            moves[k] += words.moves[k]
            entered[k] -= words.moments[k]
    left = member.times + old * member.next_times
    for k in range(member.n_columns):
        left[k] += words.moments[k]
    member.n_kept[row] = 0


cdef inline void keep(
    const Words* words, const Member* member, Py_ssize_t row, uint64_t moment,
    const uint64_t* now, const uint64_t* before,
) noexcept nogil:
    """Leave an event in a row's buffer."""
    cdef Py_ssize_t k
    cdef uint64_t* event = member.buffers + (row * words.buffered + member.n_kept[row]) * member.size
    event[0] = moment
    for k in range(member.n_words):
        event[1 + k] = now[k]
    if words.tied:
        for k in range(member.n_words):
            event[1 + member.n_words + k] = before[k]
    member.n_kept[row] += 1
    if member.n_kept[row] == words.buffered:
        empty(words, member, row)


cdef inline void add(
    Cell* cells, const int64_t* first, Py_ssize_t n_groups, uint64_t moment, uint64_t now, uint64_t before,
    order_t order,
) noexcept nogil:
    """Add an event to the cells of its row at once."""
    if order_t is Together:
        add_by_bytes(cells, first, n_groups, now, moment, 0)
        add_by_bytes(cells, first, n_groups, before, 0, 1)
    else:
        add_by_bytes(cells, first, n_groups, now, moment, 1)


cdef void add_whole_stays(
    const Member* members, const int32_t[::1] targets, Py_ssize_t n, const uint8_t* initial, uint64_t length
) noexcept nogil:
    """Add the time from a trajectory's beginning to its end to initial states, once for two targets."""
    cdef Py_ssize_t k, j, i
    cdef uint64_t* times
    for k in range(targets.shape[0]):
        i = targets[k]
        times = members[i].times + initial[i] * members[i].next_times
        for j in range(n):
            if j > i or not members[j].is_target:
                times[members[j].column + initial[j]] += length


cdef void scan_pairs(
    const Events* data, const index_t* variable, const int32_t[::1] targets,
    const Member* members, const Words* words, uint64_t* now, uint64_t* before, order_t order,
) noexcept nogil:
    """Add to times and transitions; `now` and `before` are scratch for the words of a moment."""
    cdef Py_ssize_t t, e, j, row, n = data.n_variables
    # Local copies that no addition can alias: the compiler keeps them in registers.
    cdef const double* time = data.time
    cdef const uint8_t* olds = data.old
    cdef const uint8_t* news = data.new
    cdef const int64_t* first = words.cells
    cdef int64_t n_groups = words.n_groups, width = words.width, old, new
    cdef bint direct = words.direct
    cdef double origin, instant, scale = data.scale
    cdef uint64_t length, moment, change, word, word_before
    cdef const Member* member
    for t in range(data.n_trajectories):
        memset(now, 0, words.count * sizeof(uint64_t))
        for j in range(n):
            now[members[j].word] += data.initial[t * n + j] * members[j].in_word
        memcpy(before, now, words.count * sizeof(uint64_t))
        word = word_before = now[0]  # if there is one word only, it stays in a register
        origin = instant = data.start[t]
        length = ticks(data.end[t], origin, scale)
        add_whole_stays(members, targets, n, data.initial + t * n, length)
        for e in range(data.begin[t], data.stop[t]):
            if order_t is Together:
                if time[e] != instant:
                    instant = time[e]
                    word_before = word
                    memcpy(before, now, words.count * sizeof(uint64_t))
            member = members + variable[e]
            old, new = olds[e], news[e]
            moment = <uint64_t> ticks(time[e], origin, scale) - length
            change = <uint64_t> (new - old) * member.in_word
            row = old * (member.cardinality - 1) + new - (new > old) if member.is_target else old
            if direct:
                add(member.cells + row * width, first, n_groups, moment, word, word_before, order)
                if not member.is_target:
                    add(member.cells + new * width, first, n_groups, -moment, word, word_before, order)
                word += change
            else:
                keep(words, member, row, moment, now, before)
                if not member.is_target:
                    keep(words, member, new, -moment, now, before)
                now[member.word] += change
    for j in range(n):
        for e in range(members[j].n_rows):
            empty(words, members + j, e)


cdef Separate SEPARATE
cdef Together TOGETHER


cdef void pairs_in_order(
    const Events* data, const index_t* variable, const int32_t[::1] targets,
    const Member* members, const Words* words, uint64_t* now, uint64_t* before,
) noexcept nogil:
    if data.tied:
        scan_pairs(data, variable, targets, members, words, now, before, TOGETHER)
    else:
        scan_pairs(data, variable, targets, members, words, now, before, SEPARATE)


cdef void both_sides(const Member* members, const int32_t[::1] targets, Py_ssize_t n) noexcept nogil:
    """Sum the times that events of a target and those of the other variable have added."""
    cdef Py_ssize_t k, i, j, x, y
    cdef uint64_t* mine
    cdef uint64_t* others
    for k in range(targets.shape[0]):
        i = targets[k]
        for j in range(n):
            if j == i or (j < i and members[j].is_target):
                continue
            for x in range(members[i].cardinality):
                for y in range(members[j].cardinality):
                    mine = members[i].times + x * members[i].next_times + members[j].column + y
                    others = members[j].times + y * members[j].next_times + members[i].column + x
                    mine[0] += others[0]
                    others[0] = mine[0]


cdef class Counts:
    """The tables of some targets, and what it takes to count them."""

    cdef readonly list tables
    cdef Words words
    cdef Member* members
    cdef uint64_t[:, ::1] moments   # the words of now and before
    # What the structs point to.
    cdef const int64_t[::1] ends
    cdef const int64_t[::1] cells
    cdef const int64_t[::1] sizes
    cdef uint64_t[:, ::1] sums
    cdef uint64_t[:, ::1] by_column
    cdef uint64_t[::1] buffers
    cdef uint64_t[:, ::1] times     # of variables that are not targets
    cdef int32_t[::1] n_kept
    cdef uint8_t[::1] all_members
    cdef uint8_t[::1] addresses

    def __cinit__(
        self, const int32_t[::1] cardinalities, Py_ssize_t n_targets, const int32_t[::1] order,
        group, step, cells, int32_t buffered, bint tied,
    ):
        cdef Py_ssize_t n = order.shape[0], n_groups = len(cells) - 1
        self.ends = np.searchsorted(group, np.arange(n_groups), "right")
        self.cells = cells[:n_groups] - cells[np.arange(n_groups) // BYTES * BYTES]
        self.sizes = np.diff(cells)
        self.moments = np.zeros((2, (n_groups + BYTES - 1) // BYTES), np.uint64)
        self.sums = np.zeros((CELLS, 2), np.uint64)
        self.by_column = np.zeros((2, np.sum(cardinalities)), np.uint64)
        self.all_members = np.zeros(n * sizeof(Member), np.uint8)
        self.addresses = np.zeros(n * sizeof(Member*), np.uint8)
        self.members = <Member*> &self.all_members[0]
        self.words.members = <const Member**> &self.addresses[0]
        self.words.ends, self.words.cells, self.words.sizes = &self.ends[0], &self.cells[0], &self.sizes[0]
        self.words.count, self.words.n_groups, self.words.tied = self.moments.shape[1], n_groups, tied
        self.words.sums, self.words.buffered = <Cell*> &self.sums[0, 0], buffered
        self.words.direct, self.words.width = buffered == 0, cells[n_groups]
        self.words.moments, self.words.moves = &self.by_column[0, 0], &self.by_column[1, 0]
        self.place(cardinalities, n_targets, order, group, step)
        self.allocate(order)

    cdef place(
        self, const int32_t[::1] cardinalities, Py_ssize_t n_targets, const int32_t[::1] order,
        const int32_t[::1] group, const int64_t[::1] step,
    ):
        """Set where each variable is in words and columns, targets first."""
        cdef Py_ssize_t k
        cdef Py_ssize_t asked = 1 + group[n_targets - 1] // BYTES  # words that have a target
        cdef int64_t c, column = 0
        cdef Member* member
        for k in range(order.shape[0]):
            member = self.members + order[k]
            self.words.members[k] = member
            c = cardinalities[order[k]]
            member.is_target = k < n_targets
            member.cardinality, member.column = c, column
            member.in_group, member.in_word = step[k], <uint64_t> step[k] << 8 * (group[k] % BYTES)
            member.word = group[k] // BYTES
            member.n_words = self.words.count if member.is_target else asked
            member.n_rows = c * (c - 1) if member.is_target else c
            member.size = 1 + member.n_words * (1 + self.words.tied)
            column += c

    cdef allocate(self, const int32_t[::1] order):
        """Give every variable its tables and buffers."""
        cdef Py_ssize_t k, numbers = 0, rows = 0, others = 0
        cdef int64_t states = 0, asked = 0
        cdef Member* member
        cdef uint64_t[:, ::1] table
        for k in range(order.shape[0]):
            member = self.members + order[k]
            numbers += member.n_rows * member.size * self.words.buffered
            rows += member.n_rows
            states += member.cardinality
            others += 0 if member.is_target else member.cardinality
            if member.word < self.members[order[order.shape[0] - 1]].n_words:
                asked = states  # columns of the words that have a target
        if self.words.direct:
            self.buffers = np.zeros(2 * (rows * self.words.width + 1), np.uint64)
        else:
            self.buffers = np.empty(numbers + 1, np.uint64)
        self.n_kept = np.zeros(rows + 1, np.int32)
        self.times = np.zeros((others + 1, asked), np.uint64)
        self.tables = []
        numbers = rows = others = 0
        for k in range(order.shape[0]):
            member = self.members + order[k]
            member.n_kept = &self.n_kept[rows]
            if self.words.direct:
                member.cells = <Cell*> &self.buffers[0] + rows * self.words.width
            else:
                member.buffers = &self.buffers[numbers]
            numbers += member.n_rows * member.size * self.words.buffered
            rows += member.n_rows
            if member.is_target:
                self.tables.append(np.zeros((member.cardinality ** 2, states), np.int64))
                table = self.tables[k].view(np.uint64)
                member.moves = member.times = &table[0, 0]
                member.next_times = (member.cardinality + 1) * states  # on the diagonal
                member.n_columns = states
            else:
                member.times, member.next_times, member.n_columns = &self.times[others, 0], asked, asked
                others += member.cardinality


def pair_counts(
    EventScan scan,
    const int32_t[::1] targets,
    const int32_t[::1] order,
    const int32_t[::1] group,
    const int64_t[::1] step,
    const int64_t[::1] cells,
    int32_t buffered,
):
    """Return, for each target, its table for each other variable as the only parent: [c · c, columns].

    `order` has the variables in the order of their columns, targets first; a target's columns of itself are
    meaningless. Variable `order[k]` is in the group `group[k]`, whose cells run from `cells[group[k]]` to the
    next group's first; two of its states are `step[k]` cells apart. A buffer holds `buffered` events; with 0
    there are no buffers, for at most eight groups.
    """
    cdef Counts counts = Counts(
        scan.cardinalities, targets.shape[0], order, np.asarray(group), np.asarray(step), np.asarray(cells),
        buffered, scan.data.tied,
    )
    cdef uint64_t[:, ::1] moments = counts.moments
    cdef Py_ssize_t n = order.shape[0]
    with nogil:
        if scan.wide:
            pairs_in_order(
                &scan.data, scan.wide, targets, counts.members, &counts.words, &moments[0, 0], &moments[1, 0]
            )
        else:
            pairs_in_order(
                &scan.data, scan.narrow, targets, counts.members, &counts.words, &moments[0, 0],
                &moments[1, 0],
            )
        both_sides(counts.members, targets, n)
    return counts.tables
