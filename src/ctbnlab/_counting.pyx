# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The loops that count: one scan of the events a table, or a family of tables.

A table is a block of c × c whole numbers for each parent configuration u, c the target's states: off
the diagonal M[u, x, x'], on the diagonal, where no transition can be, T[u, x] in ticks. A tick is a
power of two, 1 / scale; times are cut to ticks from the start of their trajectory. Whole numbers have
the same sum in any order, so every route to a table gives the same table.

Events must have passed `Trajectories.check`: a variable or state out of range would write anywhere.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libc.stdlib cimport free, malloc

from ctbnlab._chosen cimport CHUNK, OVER, chosen_events
from ctbnlab._counting cimport Events, index_t, ticks


cdef struct Column:
    int64_t since   # when the variable, or the row it is counted in, last changed
    int32_t place   # the column of its present state
    int32_t offset  # the column of its state 0
    int64_t step    # of the target and the parents: from the row of a state to that of the next
    int32_t mask    # 0 for variables that nobody asks for: they stay in one column


cdef void scan_joint(
    const Events* data, const index_t* variable, int target,
    const index_t* wanted, Py_ssize_t n_wanted, const int64_t* steps, int64_t* counts,
) noexcept nogil:
    cdef Py_ssize_t t, e, k, first, found
    cdef int64_t place, now, last, change, mine
    cdef double origin
    cdef uint16_t places[CHUNK + OVER]
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
        steps_array, size = self.steps(parents, c * c)
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
        steps_array, size = self.steps(parents, c * c * width)
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

    def steps(self, const int32_t[::1] parents, int64_t step):
        """Return from each parent's state to the next, in cells, the last parent `step`; and how many."""
        result = np.zeros(self.data.n_variables, np.int64)
        cdef int64_t[::1] steps = result
        cdef Py_ssize_t k
        for k in range(parents.shape[0] - 1, -1, -1):
            steps[parents[k]] = step
            step *= self.cardinalities[parents[k]]
        return result, step
