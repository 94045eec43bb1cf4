# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The joint states of some variables, and the transitions of several of them, from one scan.

How long variables are in a joint state does not depend on which of them is a target: one table of times
serves all, and each target has its transitions beside it.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc

from ctbnlab._chosen cimport CHUNK, OVER, chosen_events
from ctbnlab._counting cimport Events, EventScan, index_t, ticks


cdef struct Mover:
    int64_t step      # from the cell of one of its states to that of the next
    int64_t kinds     # how many other states there are to go to; 0 for those that are no target
    uint32_t* moves   # of a target, [cell · kinds]; of the others, a place for nothing


cdef void scan_states(
    const Events* data, const index_t* variable,
    const index_t* wanted, Py_ssize_t n_wanted, const Mover* movers, int64_t* times,
) noexcept nogil:
    cdef Py_ssize_t t, e, k, first, found
    cdef int64_t place, now, last, old, new
    cdef double origin
    cdef const Mover* mover
    cdef uint16_t places[CHUNK + OVER]
    for t in range(data.n_trajectories):
        place = 0
        for k in range(data.n_variables):
            place += data.initial[t * data.n_variables + k] * movers[k].step
        origin = data.start[t]
        last = 0
        first = data.begin[t]
        while first < data.stop[t]:
            found = chosen_events(
                variable + first, min(CHUNK, data.stop[t] - first), wanted, n_wanted, places
            )
            for k in range(found):
                e = first + places[k]
                mover = movers + variable[e]
                old = data.old[e]
                new = data.new[e]
                now = ticks(data.time[e], origin, data.scale)
                times[place] += now - last
                mover.moves[place * mover.kinds + new - (new > old)] += 1
                place += (new - old) * mover.step
                last = now
            first += CHUNK
        times[place] += ticks(data.end[t], origin, data.scale) - last


def joint_counts(EventScan scan, variables, targets):
    """Return the times of all joint states of some variables, and each target's transitions from them.

    Cells are in C order, the first variable slowest. A target's transitions are [cell · (c − 1)]: one
    number for each other state, in order, of at most 2³².
    """
    cdef const int32_t[::1] cardinalities = scan.cardinalities
    cdef Py_ssize_t n = cardinalities.shape[0], n_wanted = len(variables), k
    cdef int64_t cells = 1
    cdef uint32_t[256] nothing
    cdef uint32_t[::1] moves
    cdef Mover* movers = <Mover*> malloc(n * sizeof(Mover))
    if movers == NULL:
        raise MemoryError
    try:
        for k in range(n):
            movers[k].step = movers[k].kinds = 0
            movers[k].moves = nothing
        for k in reversed(variables):
            movers[k].step = cells
            cells *= cardinalities[k]
        times_array = np.zeros(cells, np.int64)
        moves_arrays = [np.zeros(cells * (cardinalities[k] - 1), np.uint32) for k in targets]
        for k, moves in zip(targets, moves_arrays):
            if cardinalities[k] > 1:
                movers[k].kinds = cardinalities[k] - 1
                movers[k].moves = &moves[0]
        run_scan(scan, np.array(variables), movers, times_array)
    finally:
        free(movers)
    return times_array, moves_arrays


cdef void run_scan(EventScan scan, variables, const Mover* movers, int64_t[::1] times):
    cdef Py_ssize_t n_wanted = len(variables)
    cdef const uint8_t[::1] narrow = variables.astype(np.uint8)
    cdef const uint16_t[::1] wide = variables.astype(np.uint16)
    with nogil:
        if scan.wide:
            scan_states(&scan.data, scan.wide, &wide[0], n_wanted, movers, &times[0])
        else:
            scan_states(&scan.data, scan.narrow, &narrow[0], n_wanted, movers, &times[0])
