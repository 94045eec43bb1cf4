"""The check of trajectories: one pass over all events."""

from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

ctypedef fused index_t:
    uint8_t
    uint16_t


def first_fault(
    const int64_t[::1] begin,
    const int64_t[::1] stop,
    const double[::1] start,
    const double[::1] end,
    const uint8_t[:, ::1] initial,
    const double[::1] time,
    const index_t[::1] variable,
    const uint8_t[::1] old,
    const uint8_t[::1] new,
    const int32_t[::1] cardinalities,
):
    """Return (kind, trajectory, event) of the first fault, or None; `trajectories.py` has the kinds."""
    cdef Py_ssize_t h = begin.shape[0], n = cardinalities.shape[0], total = time.shape[0]
    cdef Py_ssize_t t, e, j
    cdef double now
    cdef int kind = 0
    cdef uint8_t* state = <uint8_t*> malloc(n)
    if state == NULL:
        raise MemoryError
    try:
        with nogil:
            for t in range(h):
                e = -1
                if begin[t] < 0 or stop[t] < begin[t] or stop[t] > total:
                    kind = 1
                    break
                if not isfinite(start[t]) or not isfinite(end[t]) or end[t] < start[t]:
                    kind = 2
                    break
                for j in range(n):
                    if initial[t, j] >= cardinalities[j]:
                        kind = 3
                        break
                if kind:
                    break
                memcpy(state, &initial[t, 0], n)
                now = start[t]
                for e in range(begin[t], stop[t]):
                    j = variable[e]
                    if j >= n:
                        kind = 4
                    elif new[e] >= cardinalities[j]:
                        kind = 5
                    elif old[e] != state[j]:
                        kind = 6
                    elif new[e] == old[e]:
                        kind = 7
                    elif not (now < time[e]):
                        kind = 8
                    elif not (time[e] <= end[t]):
                        kind = 9
                    if kind:
                        break
                    state[j] = new[e]
                    now = time[e]
                if kind:
                    break
    finally:
        free(state)
    if not kind:
        return None
    return kind, t, e
