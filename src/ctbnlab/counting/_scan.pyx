"""The loops that count: one scan of the events per table, or per family of tables.

A table is a block of c × c whole numbers for each parent configuration u, where c is the cardinality of the
target: M[u, x, x'] off the diagonal and, on the diagonal, where no transition can be, T[u, x] in ticks. A
tick is a power of two, 1 / scale; times are cut to ticks from the start of their trajectory. Whole numbers
have the same sum in any order, so every route to a table gives the same table.

If several variables change at one instant, transitions are counted under the state just before it: by a scan
of a few variables in the cell of that moment (`before`), by others when they meet the first event of the
instant. Time needs no such care: the states in between last no time.

A scan takes `CheckedEvents` only: a variable or state out of range would write outside the table.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free

from ctbnlab.counting._select cimport CHUNK, OVER, chosen_events
from ctbnlab.counting._scan cimport Events, Separate, Together, event_at, index_t, order_t, ticks, with_state
from ctbnlab.data._check cimport CheckedEvents


cdef struct Group:
    int64_t place   # its current column
    int64_t since   # when that column, or its row, was last counted


cdef struct Column:
    int64_t step    # target and parents: distance between the rows of two states
    int64_t within  # candidates: distance between the columns of two states
    Group* group    # candidates: their group; other variables have a dummy
    uint64_t in_word  # candidates: the same distance in a word with one byte per group


cdef void scan_joint(
    const Events* data, const index_t* variable, int target,
    const index_t* wanted, Py_ssize_t n_wanted, const int64_t* steps, int64_t* counts, order_t order,
) noexcept nogil:
    cdef Py_ssize_t t, e, k, first, found
    cdef int64_t place, before = 0, now, last, change, mine
    cdef double origin, instant
    cdef uint16_t places[CHUNK + OVER]
    for t in range(data.n_trajectories):
        place = 0
        for k in range(data.n_variables):
            place += data.initial[t * data.n_variables + k] * steps[k]
        origin = instant = data.start[t]
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
                if order_t is Together:
                    if data.time[e] != instant:
                        instant = data.time[e]
                        before = place
                    counts[before + change * mine] += mine
                else:
                    counts[place + change * mine] += mine
                place += change * steps[variable[e]]
                last = now
            first += CHUNK
        counts[place] += ticks(data.end[t], origin, data.scale) - last


cdef void scan_extensions(
    const Events* data, const index_t* variable, int target,
    Group* groups, Py_ssize_t n_groups, const int64_t* first, const Column* columns, int64_t* counts,
    order_t order,
) noexcept nogil:
    cdef Py_ssize_t t, e, f, k, n = data.n_variables
    cdef int64_t now, change, place, width = first[n_groups] + 1
    cdef bint mine = False  # whether the transitions of the target are still to be counted
    cdef int64_t* row
    cdef int64_t* transitions
    cdef const Column* column
    cdef Group* group
    # Local copies that no addition can alias: the compiler keeps them in registers.
    cdef const double* time = data.time
    cdef const uint8_t* old = data.old
    cdef const uint8_t* new = data.new
    cdef double origin, instant, scale = data.scale
    for t in range(data.n_trajectories):
        row = counts
        for k in range(n_groups):
            groups[k].place = first[k]
            groups[k].since = 0
        for k in range(n):
            row += data.initial[t * n + k] * columns[k].step
            columns[k].group.place += data.initial[t * n + k] * columns[k].within
        origin = instant = data.start[t]
        for e in range(data.begin[t], data.stop[t]):
            if order_t is Together:
                if time[e] != instant:
                    instant = time[e]
                    f = event_at(variable, time, target, e, data.stop[t])
                    if f >= 0:
                        transitions = row + (<int64_t> new[f] - old[f]) * width
                        for k in range(n_groups):
                            transitions[groups[k].place] += 1
            now = ticks(time[e], origin, scale)
            column = columns + variable[e]
            change = <int64_t> new[e] - old[e]
            if column.step == 0:
                group = column.group
                row[group.place] += now - group.since
                group.since = now
                group.place += change * column.within
                continue
            if order_t is Separate:
                mine = variable[e] == target
            if mine:
                transitions = row + change * width
                for k in range(n_groups):
                    place = groups[k].place
                    row[place] += now - groups[k].since
                    groups[k].since = now
                    transitions[place] += 1
            else:
                for k in range(n_groups):
                    row[groups[k].place] += now - groups[k].since
                    groups[k].since = now
            row += change * column.step
        now = ticks(data.end[t], origin, data.scale)
        for k in range(n_groups):
            row[groups[k].place] += now - groups[k].since


cdef void scan_steadily(
    const Events* data, const index_t* variable, int target,
    Py_ssize_t n_groups, const int64_t* first, const Column* columns, int64_t* counts, order_t order,
) noexcept nogil:
    """Count every group at every event of any variable: more additions, but no mispredicted branch."""
    cdef Py_ssize_t t, e, f, k, n = data.n_variables
    cdef int64_t now, last, change, width = first[n_groups] + 1
    cdef bint mine = False
    cdef uint64_t word, rest
    cdef int64_t* row
    cdef int64_t* transitions
    cdef const Column* column
    cdef const double* time = data.time
    cdef const uint8_t* old = data.old
    cdef const uint8_t* new = data.new
    cdef double origin, instant, scale = data.scale
    for t in range(data.n_trajectories):
        row = counts
        word = 0
        for k in range(n):
            row += data.initial[t * n + k] * columns[k].step
            word += data.initial[t * n + k] * columns[k].in_word
        origin = instant = data.start[t]
        last = 0
        for e in range(data.begin[t], data.stop[t]):
            if order_t is Together:
                if time[e] != instant:
                    instant = time[e]
                    f = event_at(variable, time, target, e, data.stop[t])
                    if f >= 0:
                        transitions = row + (<int64_t> new[f] - old[f]) * width
                        rest = word
                        for k in range(n_groups):
                            transitions[first[k] + <int64_t> (rest & 0xFF)] += 1
                            rest >>= 8
            now = ticks(time[e], origin, scale)
            column = columns + variable[e]
            change = <int64_t> new[e] - old[e]
            rest = word
            for k in range(n_groups):
                row[first[k] + <int64_t> (rest & 0xFF)] += now - last
                rest >>= 8
            if order_t is Separate:
                mine = variable[e] == target
            if mine:
                transitions = row + change * width
                rest = word
                for k in range(n_groups):
                    transitions[first[k] + <int64_t> (rest & 0xFF)] += 1
                    rest >>= 8
            word += <uint64_t> change * column.in_word
            row += change * column.step
            last = now
        now = ticks(data.end[t], origin, scale)
        for k in range(n_groups):
            row[first[k] + <int64_t> (word >> 8 * k & 0xFF)] += now - last


cdef Separate SEPARATE
cdef Together TOGETHER


cdef void joint_in_order(
    const Events* data, const index_t* variable, int target,
    const index_t* wanted, Py_ssize_t n_wanted, const int64_t* steps, int64_t* counts,
) noexcept nogil:
    if data.tied:
        scan_joint(data, variable, target, wanted, n_wanted, steps, counts, TOGETHER)
    else:
        scan_joint(data, variable, target, wanted, n_wanted, steps, counts, SEPARATE)


cdef void extensions_in_order(
    const Events* data, const index_t* variable, int target,
    Group* groups, Py_ssize_t n_groups, const int64_t* first, const Column* columns, int64_t* counts,
    bint steadily,
) noexcept nogil:
    if data.tied and steadily:
        scan_steadily(data, variable, target, n_groups, first, columns, counts, TOGETHER)
    elif data.tied:
        scan_extensions(data, variable, target, groups, n_groups, first, columns, counts, TOGETHER)
    elif steadily:
        scan_steadily(data, variable, target, n_groups, first, columns, counts, SEPARATE)
    else:
        scan_extensions(data, variable, target, groups, n_groups, first, columns, counts, SEPARATE)


cdef object single_columns(
    const int64_t[:, ::1] counts, const int32_t[::1] states,
    const int32_t[::1] group, const int64_t[::1] step, const int64_t[::1] cells,
):
    """The columns of each candidate's states, summed from those of its group."""
    cdef Py_ssize_t row, k, y, column
    result = np.empty((counts.shape[0], np.sum(states)), np.int64)
    cdef int64_t[:, ::1] singles = result
    with nogil:
        for row in range(counts.shape[0]):
            column = 0
            for k in range(states.shape[0]):
                for y in range(states[k]):
                    singles[row, column] = with_state(
                        &counts[row, cells[group[k]]], 1,
                        cells[group[k] + 1] - cells[group[k]], step[k], states[k], y,
                    )
                    column += 1
    return result


cdef class EventScan:
    """Scans of the same trajectories, without the interpreter lock. Immutable: threads may share one."""

    def __init__(self, CheckedEvents events, Py_ssize_t first, Py_ssize_t last, double scale):
        """Scan the trajectories from `first` to before `last`; `scale` is the number of ticks per time."""
        if not 0 <= first <= last <= events.begins.shape[0]:
            raise ValueError(f"no trajectories {first} to {last}")
        self.events = events  # keeps alive what the struct points to
        self.cardinalities = events.counts
        self.data.n_trajectories = last - first
        self.data.n_variables = events.counts.shape[0]
        self.data.scale = scale
        self.data.tied = events.tied
        if first < last:
            self.data.begin = &events.begins[first]
            self.data.stop = &events.stops[first]
            self.data.start = &events.starts[first]
            self.data.end = &events.ends[first]
            self.data.initial = &events.initials[first, 0]
        if events.times.shape[0]:
            self.data.time = &events.times[0]
            self.data.old = &events.olds[0]
            self.data.new = &events.news[0]
            if events.is_wide:
                self.wide = &events.wide[0]
            else:
                self.narrow = &events.narrow[0]

    def n_codes(self, int variable):
        """Return the number of codes of a variable: of its states, and of its gaps if it has any."""
        return self.cardinalities[variable]

    def joint(self, int target, const int32_t[::1] parents):
        """Return the table of all configurations: [u · c · c], the first parent slowest.

        Only events of the target and the parents are processed; others cost the reading of one byte.
        """
        cdef int64_t c = self.cardinalities[target]
        steps_array, size = self.steps(parents, c * c)
        cdef int64_t[::1] steps = steps_array
        # The target moves along the diagonal.
        steps[target] = c + 1
        result = np.zeros(size, np.int64)
        cdef int64_t[::1] counts = result
        cdef Py_ssize_t n_wanted = parents.shape[0] + 1
        cdef const uint8_t[::1] narrow = np.append(parents, target).astype(np.uint8)
        cdef const uint16_t[::1] wide = np.append(parents, target).astype(np.uint16)
        with nogil:
            if self.wide:
                joint_in_order(&self.data, self.wide, target, &wide[0], n_wanted, &steps[0], &counts[0])
            else:
                joint_in_order(&self.data, self.narrow, target, &narrow[0], n_wanted, &steps[0], &counts[0])
        return result

    def extensions(
        self,
        int target,
        const int32_t[::1] parents,
        const int32_t[::1] candidates,
        const int32_t[::1] group,
        const int64_t[::1] step,
        const int64_t[::1] cells,
    ):
        """Return the tables of the parents with each candidate: [u · c · c, columns].

        Candidates follow each other, with a column per state; columns after the last are meaningless.
        Candidates are counted in groups (see `scan.Groups`): an event of a candidate costs one addition, and
        only a change of the target or a parent visits every group.
        """
        cdef int64_t c = self.cardinalities[target], width = cells[cells.shape[0] - 1] + 1
        cdef Py_ssize_t n = self.data.n_variables, n_groups = cells.shape[0] - 1, k
        steps_array, size = self.steps(parents, c * c * width)
        cdef int64_t[::1] steps = steps_array
        steps[target] = (c + 1) * width
        result = np.zeros(size, np.int64)
        cdef int64_t[::1] counts = result
        cdef Column* columns = <Column*> calloc(n, sizeof(Column))
        cdef Group* groups = <Group*> calloc(n_groups + 1, sizeof(Group))
        if columns == NULL or groups == NULL:
            free(columns)
            free(groups)
            raise MemoryError
        groups[n_groups].place = width - 1  # the last column is the dummy
        for k in range(n):
            columns[k].step = steps[k]
            columns[k].group = groups + n_groups
        for k in range(candidates.shape[0]):
            columns[candidates[k]].within = step[k]
            columns[candidates[k]].in_word = <uint64_t> step[k] << 8 * group[k] if n_groups <= 8 else 0
            columns[candidates[k]].group = groups + group[k]
        # A mispredicted branch costs as much as a dozen additions (measured for 20 variables).
        cdef bint steadily = (
            n_groups <= 8
            and np.max(np.diff(cells), initial=0) <= 256
            and 12 * (parents.shape[0] + 1) > n * (n_groups - 2)
        )
        with nogil:
            if self.wide:
                extensions_in_order(
                    &self.data, self.wide, target, groups, n_groups, &cells[0], columns, &counts[0], steadily
                )
            else:
                extensions_in_order(
                    &self.data, self.narrow, target, groups, n_groups, &cells[0], columns, &counts[0],
                    steadily
                )
            free(columns)
            free(groups)
        result = result.reshape(-1, width)
        if n_groups == candidates.shape[0]:
            return result
        return single_columns(
            result, np.take(self.cardinalities, candidates), group, step, cells
        )

    def steps(self, const int32_t[::1] parents, int64_t step):
        """Return the distance in cells between states of each parent, `step` for the last; and the total."""
        result = np.zeros(self.data.n_variables, np.int64)
        cdef int64_t[::1] steps = result
        cdef Py_ssize_t k
        for k in range(parents.shape[0] - 1, -1, -1):
            steps[parents[k]] = step
            step *= self.cardinalities[parents[k]]
        return result, step
