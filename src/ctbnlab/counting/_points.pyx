"""Points sampled from the life of a target, with the states of other variables at those moments.

A point is a moment while the target is in x: an event, when it goes from x to x', or a control, taken at
random from the time it spends in x. A point is stored as the states of up to 32 other variables in bit
planes: bit v of plane i is bit i of variable v's state.

At an instant at which several variables change, the states are those just before it.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from ctbnlab.counting._scan cimport Events, EventScan, event_at, index_t

cdef enum:
    PLANES = 8  # of 256 states


cdef inline uint64_t hashed(uint64_t z) noexcept nogil:
    """A pseudo-random number that depends on z alone (the finaliser of SplitMix64)."""
    z += 0x9E3779B97F4A7C15U
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU
    return z ^ (z >> 31)


cdef struct Planes:
    Py_ssize_t count                # of bit planes
    const int32_t* bit              # each variable's place in them, or −1
    uint32_t state[PLANES]          # the present states


cdef struct Sampling:
    Py_ssize_t c
    const uint64_t* rarity          # [x, x']: a hashed ordinal number above this is skipped
    const int64_t* stop             # [x, x']: the end of the points of this kind
    int64_t* taken                  # [x, x']: the place of the next point
    int64_t* seen                   # [x, x']: events seen
    const double* due               # times at which controls are due, in time spent in x, for each x in turn
    const int64_t* last_due         # [x]: the end of those of x
    int64_t* next_due               # [x]: the next one
    double* spent                   # [x]: the time spent in x so far


cdef inline void take_event(
    const Sampling* sampling, Py_ssize_t kind, const Planes* planes, uint32_t[:, ::1] event_points
) noexcept nogil:
    """Take an event with the present states, unless it is thinned out."""
    cdef Py_ssize_t p
    if hashed(sampling.seen[kind]) <= sampling.rarity[kind] and sampling.taken[kind] < sampling.stop[kind]:
        for p in range(planes.count):
            event_points[p, sampling.taken[kind]] = planes.state[p]
        sampling.taken[kind] += 1
    sampling.seen[kind] += 1


cdef void scan_points(
    const Events* data, const index_t* variable, Py_ssize_t target, Planes* planes, const Sampling* sampling,
    uint32_t[:, ::1] event_points, uint32_t[:, ::1] control_points,
) noexcept nogil:
    cdef Py_ssize_t n = data.n_variables, t, e, f, j, p, x
    cdef uint32_t change
    cdef double last, now
    cdef bint tied = data.tied
    for t in range(data.n_trajectories):
        for p in range(planes.count):
            planes.state[p] = 0
            for j in range(n):
                if planes.bit[j] >= 0:
                    planes.state[p] |= <uint32_t> ((data.initial[t * n + j] >> p) & 1) << planes.bit[j]
        x = data.initial[t * n + target]
        last = data.start[t]
        for e in range(data.begin[t], data.stop[t] + 1):
            now = data.time[e] if e < data.stop[t] else data.end[t]
            # The first event of an instant takes the target's, before anything changes.
            f = e if not tied else -1
            if tied and e < data.stop[t] and now != last:
                f = event_at(variable, data.time, target, e, data.stop[t])
            sampling.spent[x] += now - last
            last = now
            while (
                sampling.next_due[x] < sampling.last_due[x]
                and sampling.due[sampling.next_due[x]] <= sampling.spent[x]
            ):
                for p in range(planes.count):
                    control_points[p, sampling.next_due[x]] = planes.state[p]
                sampling.next_due[x] += 1
            if e == data.stop[t]:
                break
            j = variable[e]
            if f >= 0 and variable[f] == target:
                take_event(sampling, x * sampling.c + data.new[f], planes, event_points)
            if j == target:
                x = data.new[e]
            elif planes.bit[j] >= 0:
                change = data.old[e] ^ data.new[e]
                for p in range(planes.count):
                    planes.state[p] ^= ((change >> p) & 1) << planes.bit[j]


def sampled_points(
    EventScan scan,
    int target,
    const int32_t[::1] bit,
    Py_ssize_t n_planes,
    const uint64_t[:, ::1] rarity,
    const int64_t[:, ::1] max_events,
    const double[::1] due,
    const int64_t[::1] controls,
):
    """Return (events, their number by x and x', controls, their number by x), from one scan.

    `bit[j]` is variable j's place in the planes, or −1. An event from x to x' is taken if the hash of its
    ordinal number is at most `rarity[x, x']`, up to `max_events[x, x']` of them. `due` has, for each x in
    turn, `controls[x]` increasing times: controls are taken when the time spent in x reaches them.
    """
    cdef Py_ssize_t c = max_events.shape[0]
    lasts = np.cumsum(max_events).reshape(c, c)
    due_last = np.cumsum(controls)
    firsts, due_first = lasts - max_events, due_last - controls
    event_array = np.zeros((n_planes, int(np.sum(max_events)) + 1), np.uint32)
    control_array = np.zeros((n_planes, int(np.sum(controls)) + 1), np.uint32)
    taken_array, next_array = firsts.copy(), due_first.copy()
    cdef uint32_t[:, ::1] event_points = event_array, control_points = control_array
    cdef int64_t[:, ::1] taken = taken_array, last_place = lasts, seen = np.zeros((c, c), np.int64)
    cdef int64_t[::1] next_due = next_array, last_due = due_last
    cdef double[::1] spent = np.zeros(c)
    cdef Planes planes
    cdef Sampling sampling
    planes.count, planes.bit = n_planes, &bit[0]
    sampling.c, sampling.rarity, sampling.stop = c, &rarity[0, 0], &last_place[0, 0]
    sampling.taken, sampling.seen = &taken[0, 0], &seen[0, 0]
    sampling.due = &due[0] if due.shape[0] else NULL
    sampling.last_due, sampling.next_due = &last_due[0], &next_due[0]
    sampling.spent = &spent[0]
    with nogil:
        if scan.wide:
            scan_points(&scan.data, scan.wide, target, &planes, &sampling, event_points, control_points)
        else:
            scan_points(&scan.data, scan.narrow, target, &planes, &sampling, event_points, control_points)
    return event_array, taken_array - firsts, control_array, next_array - due_first
