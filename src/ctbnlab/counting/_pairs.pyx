"""The tables of several targets against every single candidate, from one scan.

The time that two variables spend together in two states is the sum of the moments at which such a stay ends,
minus the sum of the moments at which one begins. So nothing about the past is needed: an event adds its
moment, and one transition, to the cell of the current state of every other variable, in the row of its old
and new state. The sums may overflow 2⁶⁴ in between; modulo 2⁶⁴ they end on the right time.

A few variables at a time form a group: one addition to the cell of the group's joint state serves all its
members, and each member is summed out at the end. If there are at most eight groups their states are the
bytes of one word, which stays in a register, so that no event waits for the stores of the one before.

If several variables change at one instant, all its transitions are added at its first event. The moments of
its other events are added one by one: the stays in between begin and end at the same moment, and cancel.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free

from ctbnlab.counting._scan cimport (
    Events, EventScan, Separate, Together, index_t, order_t, ticks, with_state,
)


cdef extern from *:
    """
    typedef struct { uint64_t moments, moves; } Cell;

    #if defined(__GNUC__)
    /* Compilers do not find that both can be added by one instruction. */
    typedef uint64_t Both __attribute__((vector_size(16), aligned(8), may_alias));
    static inline void add_to_cells(Cell *row, const int64_t *place, Py_ssize_t n, uint64_t now) {
        const Both step = {now, 1};
        for (Py_ssize_t j = 0; j < n; j++) *(Both *)(row + place[j]) += step;
    }
    static inline void add_by_bytes(
        Cell *row, const int64_t *first, Py_ssize_t n, uint64_t word, uint64_t now
    ) {
        const Both step = {now, 1};
        for (Py_ssize_t j = 0; j < n; j++, word >>= 8) *(Both *)(row + first[j] + (word & 0xFF)) += step;
    }
    #else
    static inline void add_to_cells(Cell *row, const int64_t *place, Py_ssize_t n, uint64_t now) {
        for (Py_ssize_t j = 0; j < n; j++) { row[place[j]].moments += now; row[place[j]].moves += 1; }
    }
    static inline void add_by_bytes(
        Cell *row, const int64_t *first, Py_ssize_t n, uint64_t word, uint64_t now
    ) {
        for (Py_ssize_t j = 0; j < n; j++, word >>= 8) {
            row[first[j] + (word & 0xFF)].moments += now;
            row[first[j] + (word & 0xFF)].moves += 1;
        }
    }
    #endif
    """
    ctypedef struct Cell:
        uint64_t moments
        uint64_t moves

    void add_to_cells(Cell* row, const int64_t* place, Py_ssize_t n, uint64_t now) noexcept nogil
    void add_by_bytes(
        Cell* row, const int64_t* first, Py_ssize_t n, uint64_t word, uint64_t now
    ) noexcept nogil


cdef struct Member:
    int64_t cardinality
    int64_t first     # number of its state 0 among the states of all variables
    int64_t group
    int64_t step      # distance between the cells of two of its states
    uint64_t in_word  # the same distance in the word of all groups
    int64_t cells     # first cell of its group
    int64_t n_cells   # number of cells of its group
    Cell* rows        # targets only: one row per x and x'
    uint64_t* times   # one row per x: moments that end minus moments that begin


cdef struct Groups:
    int64_t count
    bint by_bytes          # whether their current cells are the bytes of a word
    const int64_t* first   # first cell of each
    int64_t width          # number of cells of all groups
    int64_t n_asked        # number of groups that have a target
    const int32_t* asked   # those groups


cdef void add_transitions(
    const Events* data, const index_t* variable, const Member* members, const Groups* groups,
    Py_ssize_t first_event, Py_ssize_t stop, uint64_t word, const int64_t* place,
) noexcept nogil:
    """Add the transitions of all targets that change at the instant of an event, before anything changes."""
    cdef Py_ssize_t e = first_event, j
    cdef int64_t cell
    cdef const Member* member
    cdef Cell* row
    while e < stop and data.time[e] == data.time[first_event]:
        member = members + variable[e]
        if member.rows != NULL:
            row = member.rows + (data.old[e] * member.cardinality + data.new[e]) * groups.width
            for j in range(groups.count):
                cell = groups.first[j] + (word >> 8 * j & 0xFF) if groups.by_bytes else place[j]
                row[cell].moves += 1
        e += 1


cdef void scan_pairs(
    const Events* data, const index_t* variable, const int32_t[::1] targets,
    const Member* members, const Groups* groups, int64_t* place, int64_t* state, uint64_t[:, ::1] ends,
    order_t order,
) noexcept nogil:
    """Add to the rows and times of members.

    `place` is scratch for the current cell of each group and `state` for the last state of each variable;
    `ends` takes the moments at which trajectories end, by the states of two variables, once for two targets.
    """
    cdef Py_ssize_t t, e, j, k, n = data.n_variables
    # Local copies that no addition can alias: the compiler keeps them in registers.
    cdef const double* time = data.time
    cdef const uint8_t* old = data.old
    cdef const uint8_t* new = data.new
    cdef const int64_t* first = groups.first
    cdef int64_t count = groups.count, width = groups.width
    cdef bint by_bytes = groups.by_bytes
    cdef double origin, instant, scale = data.scale
    cdef uint64_t now, word
    cdef int64_t change, cell
    cdef uint64_t* left
    cdef uint64_t* entered
    cdef Cell* row
    cdef const Member* member
    for t in range(data.n_trajectories):
        for j in range(count):
            place[j] = first[j]
        word = 0
        for j in range(n):
            place[members[j].group] += data.initial[t * n + j] * members[j].step
            word += data.initial[t * n + j] * members[j].in_word
        origin = instant = data.start[t]
        for e in range(data.begin[t], data.stop[t]):
            if order_t is Together:
                if time[e] != instant:
                    instant = time[e]
                    add_transitions(data, variable, members, groups, e, data.stop[t], word, place)
            now = ticks(time[e], origin, scale)
            member = members + variable[e]
            change = <int64_t> new[e] - old[e]
            if member.rows != NULL:
                row = member.rows + (old[e] * member.cardinality + new[e]) * width
                if order_t is Together:
                    for j in range(count):
                        cell = first[j] + (word >> 8 * j & 0xFF) if by_bytes else place[j]
                        row[cell].moments += now
                elif by_bytes:
                    add_by_bytes(row, first, count, word, now)
                else:
                    add_to_cells(row, place, count, now)
            else:
                left = member.times + old[e] * width
                entered = member.times + new[e] * width
                for k in range(groups.n_asked):
                    j = groups.asked[k]
                    cell = first[j] + (word >> 8 * j & 0xFF) if by_bytes else place[j]
                    left[cell] += now
                    entered[cell] -= now
            if by_bytes:
                word += <uint64_t> change * member.in_word
            else:
                place[member.group] += change * member.step
        for j in range(n):
            member = members + j
            cell = word >> 8 * member.group & 0xFF if by_bytes else place[member.group] - member.cells
            state[j] = cell // member.step % member.cardinality
        now = ticks(data.end[t], origin, scale)
        for k in range(targets.shape[0]):
            left = &ends[members[targets[k]].first + state[targets[k]], 0]
            for j in range(n):
                if j > targets[k] or members[j].rows == NULL:
                    left[members[j].first + state[j]] += now


cdef Separate SEPARATE
cdef Together TOGETHER


cdef void pairs_in_order(
    const Events* data, const index_t* variable, const int32_t[::1] targets,
    const Member* members, const Groups* groups, int64_t* place, int64_t* state, uint64_t[:, ::1] ends,
) noexcept nogil:
    if data.tied:
        scan_pairs(data, variable, targets, members, groups, place, state, ends, TOGETHER)
    else:
        scan_pairs(data, variable, targets, members, groups, place, state, ends, SEPARATE)


cdef void ended_less_begun(const Member* member, int64_t width) noexcept nogil:
    """Add the moments of a target's rows to its times."""
    cdef Py_ssize_t c = member.cardinality, x, y, k
    cdef const Cell* row
    for x in range(c):
        for y in range(c):
            row = member.rows + (x * c + y) * width
            for k in range(width):
                member.times[x * width + k] += row[k].moments
                member.times[y * width + k] -= row[k].moments


cdef uint64_t in_state(
    const uint64_t* row, Py_ssize_t stride, const Member* member, Py_ssize_t state
) noexcept nogil:
    """The sum of a row's numbers, `stride` apart, in which a member is in a given state."""
    cdef const int64_t* numbers = <const int64_t*> (row + member.cells * stride)
    return <uint64_t> with_state(numbers, stride, member.n_cells, member.step, member.cardinality, state)


cdef object extended(
    Py_ssize_t target, Py_ssize_t n, int64_t width, const Member* members, const uint64_t[:, ::1] ends
):
    """The table of one target, as `EventScan.extensions` returns it for all others and no parents."""
    cdef const Member* member = members + target
    cdef const Member* other
    cdef Py_ssize_t c = member.cardinality, j, x, y, row, column = 0
    result = np.zeros((c * c, ends.shape[0] - c), np.int64)
    cdef int64_t[:, ::1] counts = result
    for j in range(n):
        if j == target:
            continue
        other = members + j
        for y in range(other.cardinality):
            for row in range(c * c):
                counts[row, column] = in_state(&member.rows[row * width].moves, 2, other, y)
            for x in range(c):
                counts[x * c + x, column] = (
                    in_state(member.times + x * width, 1, other, y)
                    + in_state(other.times + y * width, 1, member, x)
                    + ends[member.first + x, other.first + y]
                    + ends[other.first + y, member.first + x]
                )
            column += 1
    return result


def pair_counts(
    EventScan scan,
    const int32_t[::1] targets,
    const int32_t[::1] group,
    const int64_t[::1] step,
    const int64_t[::1] cells,
):
    """Return, for each target, its table for each other variable as the only parent.

    Variable j is in the group `group[j]`, whose cells run from `cells[group[j]]` to the next group's first;
    two of its states are `step[j]` cells apart.
    """
    cdef const int32_t[::1] cardinalities = scan.cardinalities
    cdef Py_ssize_t n = cardinalities.shape[0], n_targets = targets.shape[0], j, k
    cdef int64_t states = np.sum(cardinalities), width = cells[cells.shape[0] - 1], first = 0
    cdef Py_ssize_t n_rows = np.sum(np.square(np.take(cardinalities, targets), dtype=np.int64))
    cdef uint64_t[:, ::1] rows = np.zeros((n_rows, 2 * width), np.uint64)
    cdef uint64_t[:, ::1] times = np.zeros((states, width), np.uint64)
    cdef uint64_t[:, ::1] ends = np.zeros((states, states), np.uint64)
    cdef const int32_t[::1] asked = np.unique(np.take(group, targets))
    cdef int64_t[::1] place = np.empty(cells.shape[0], np.int64), state = np.empty(n, np.int64)
    cdef Groups groups
    groups.count, groups.width = cells.shape[0] - 1, width
    groups.first = &cells[0]
    groups.by_bytes = groups.count <= 8 and np.max(np.diff(cells)) <= 256
    groups.n_asked, groups.asked = asked.shape[0], &asked[0]
    cdef Member* members = <Member*> calloc(n, sizeof(Member))
    if members == NULL:
        raise MemoryError
    for j in range(n):
        members[j].cardinality = cardinalities[j]
        members[j].first = first
        members[j].group = group[j]
        members[j].step = step[j]
        members[j].in_word = <uint64_t> step[j] << 8 * group[j] if groups.by_bytes else 0
        members[j].cells = cells[group[j]]
        members[j].n_cells = cells[group[j] + 1] - cells[group[j]]
        members[j].times = &times[first, 0]
        first += cardinalities[j]
    first = 0
    for k in range(n_targets):
        members[targets[k]].rows = <Cell*> &rows[first, 0]
        first += members[targets[k]].cardinality ** 2
    try:
        with nogil:
            if scan.wide:
                pairs_in_order(&scan.data, scan.wide, targets, members, &groups, &place[0], &state[0], ends)
            else:
                pairs_in_order(&scan.data, scan.narrow, targets, members, &groups, &place[0], &state[0], ends)
            for k in range(n_targets):
                ended_less_begun(members + targets[k], width)
        return [extended(targets[k], n, width, members, ends) for k in range(n_targets)]
    finally:
        free(members)
