"""The check of trajectories: one pass over all events, and the only way to make events that scans accept."""

import numpy as np

from libc.math cimport isfinite
from libc.stdint cimport int32_t, uint8_t, uint16_t
from libc.stdlib cimport free, malloc

from ctbnlab.io import limits

ctypedef fused index_t:
    uint8_t
    uint16_t

cdef double MIN_DURATION = limits.MIN_DURATION, MAX_TOTAL_TIME = limits.MAX_TOTAL_TIME

# Given to the constructor for events that are known to be consistent. No other module can reach it.
cdef object PASSED = object()


class Fault(Exception):
    """The first inconsistency: its kind (a key of `trajectories.FAULTS`), trajectory and event, or -1."""


cdef class CheckedEvents:
    """The arrays of `Trajectories`, read-only and consistent: the constructor raises `Fault` otherwise.

    Compiled loops write to the cells that states and variables point to, without checking each one. They take
    events of this type only, so no code can forget the check.

    `ties` accepts several changes at one instant: equal times, in increasing order of the variables. `tied`
    is whether there are any. `cardinalities` counts codes: one more than states if a variable has gaps.
    """

    def __cinit__(
        self, begin, stop, start, end, initial, time, variable, old, new, cardinalities,
        bint ties=False, passed=None,
    ):
        self.begin, self.begins = _read_only(begin)
        self.stop, self.stops = _read_only(stop)
        self.start, self.starts = _read_only(start)
        self.end, self.ends = _read_only(end)
        self.initial, self.initials = _read_only(initial)
        self.time, self.times = _read_only(time)
        self.old, self.olds = _read_only(old)
        self.new, self.news = _read_only(new)
        self.cardinalities, self.counts = _read_only(cardinalities)
        self.is_wide = variable.dtype != np.uint8
        if self.is_wide:
            self.variable, self.wide = _read_only(variable)
        else:
            self.variable, self.narrow = _read_only(variable)
        self.tied = ties
        if passed is PASSED:
            return
        cdef Py_ssize_t h = self.begins.shape[0], n = self.counts.shape[0], m = self.times.shape[0]
        if not (
            h == self.stops.shape[0] == self.starts.shape[0] == self.ends.shape[0] == self.initials.shape[0]
        ):
            raise Fault("trajectory columns", -1, -1)
        if self.initials.shape[1] != n:
            raise Fault("initial", -1, -1)
        if not (m == self.olds.shape[0] == self.news.shape[0] == len(self.variable)):
            raise Fault("event columns", -1, -1)
        self.tied = False
        if self.is_wide:
            fault = _fault[uint16_t](self, self.wide, ties)
        else:
            fault = _fault[uint8_t](self, self.narrow, ties)
        if fault is not None:
            raise Fault(*fault)

    def subset(self, which):
        """Return the events of some trajectories; what holds for all of them holds for any."""
        per_trajectory = [
            np.ascontiguousarray(column[which])
            for column in (self.begin, self.stop, self.start, self.end, self.initial)
        ]
        with np.errstate(over="ignore"):
            total = (per_trajectory[3] - per_trajectory[2]).sum()
        if not total <= MAX_TOTAL_TIME:  # trajectories may be repeated
            raise Fault("total", -1, -1)
        return CheckedEvents(
            *per_trajectory, self.time, self.variable, self.old, self.new, self.cardinalities,
            self.tied, PASSED,
        )

    def __reduce__(self):
        columns = (self.begin, self.stop, self.start, self.end, self.initial, self.time, self.variable)
        return CheckedEvents, (*columns, self.old, self.new, self.cardinalities, self.tied)


cdef _read_only(values):
    """Return an array or a read-only view of it, twice: as the array, and to be taken as a memory view."""
    if values.flags.writeable:
        values = values.view()
        values.flags.writeable = False
    return values, values


cdef _fault(CheckedEvents data, const index_t[::1] variable, bint ties):
    """Return (kind, trajectory, event) of the first fault, or None."""
    # Local views stay in registers; the compiler must expect that writing a state changes those of `data`.
    cdef const double[::1] time = data.times
    cdef const uint8_t[::1] old = data.olds
    cdef const uint8_t[::1] new = data.news
    cdef const int32_t[::1] counts = data.counts
    cdef Py_ssize_t n = counts.shape[0], t = -1, e = -1, j
    cdef double now, end, total = 0
    cdef const char* kind = NULL
    cdef uint8_t* state = <uint8_t*> malloc(n)
    if state == NULL:
        raise MemoryError
    with nogil:
        for t in range(data.begins.shape[0]):
            e = -1
            kind = _fault_before_events(data, t, &total, state)
            if kind != NULL:
                break
            now, end = data.starts[t], data.ends[t]
            for e in range(data.begins[t], data.stops[t]):
                j = variable[e]
                if j >= n:
                    kind = "variable"
                elif new[e] >= counts[j]:
                    kind = "new state"
                elif old[e] != state[j]:
                    kind = "old state"
                elif new[e] == old[e]:
                    kind = "no change"
                elif not (now < time[e]):
                    if ties and e > data.begins[t] and time[e] == now and j > variable[e - 1]:
                        data.tied = True
                    else:
                        kind = "order"
                elif not (time[e] <= end):
                    kind = "end"
                if kind != NULL:
                    break
                state[j] = new[e]
                now = time[e]
            if kind != NULL:
                break
        free(state)
    return None if kind == NULL else (kind.decode(), t, e)


cdef const char* _fault_before_events(
    CheckedEvents data, Py_ssize_t t, double* total, uint8_t* state
) noexcept nogil:
    """Copy a trajectory's initial states and add its duration; return what is wrong with it, or NULL."""
    cdef double start = data.starts[t], end = data.ends[t]
    cdef Py_ssize_t j
    if data.begins[t] < 0 or data.stops[t] < data.begins[t] or data.stops[t] > data.times.shape[0]:
        return "bounds"
    if not isfinite(start) or not isfinite(end) or end < start:
        return "observation"
    if 0 < end - start < MIN_DURATION:
        return "duration"
    total[0] += end - start
    if not total[0] <= MAX_TOTAL_TIME:
        return "total"
    for j in range(data.counts.shape[0]):
        if data.initials[t, j] >= data.counts[j]:
            return "initial state"
        state[j] = data.initials[t, j]
    return NULL
