"""Find the events in the rows of a table, and the states at the rows of trajectories."""

import numpy as np

from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint8_t


class Fault(Exception):
    """A faulty row: kind, row, trajectory, variable and other variable (-1: none), time, time before it."""


cdef class Follower:
    """Turns marks into events. A mark means: from this time on, this variable is in this state.

    A mark of variable -1 means that nothing changes; as the last mark of a trajectory it is the end of
    observation. The first marks of a trajectory, one per variable and all at the same time, are its initial
    state. The follower keeps the current trajectory between calls of `feed`, so chunks may end anywhere.
    """

    cdef Py_ssize_t n, n_known
    cdef bint closing, ties, unchanged
    cdef int64_t trajectory, row, idle_row, n_events
    cdef int32_t last_variable
    cdef double start, now, last_event
    cdef bint ended
    cdef uint8_t[::1] state, initial
    cdef uint8_t[::1] known
    cdef public object finished
    cdef public int64_t n_unchanged

    def __init__(self, Py_ssize_t n_variables, *, bint closing, bint ties, bint unchanged):
        """`closing`: the last mark must change nothing; `ties`, `unchanged`: accept these."""
        self.n = n_variables
        self.closing, self.ties, self.unchanged = closing, ties, unchanged
        self.state = np.zeros(n_variables, np.uint8)
        self.initial = np.zeros(n_variables, np.uint8)
        self.known = np.zeros(n_variables, np.uint8)
        self.trajectory = self.idle_row = -1
        self.n_events = self.n_unchanged = 0
        self.finished = []

    def feed(
        self,
        const int64_t[::1] trajectory,
        const int64_t[::1] row,
        const double[::1] time,
        const int32_t[::1] variable,
        const uint8_t[::1] new,
    ):
        """Return the events among the marks: time, variable, old state, new state, index of the mark."""
        cdef Py_ssize_t m = time.shape[0], i, found = 0
        cdef int32_t j
        cdef double t
        times = np.empty(m)
        variables = np.empty(m, np.int32)
        olds = np.empty(m, np.uint8)
        news = np.empty(m, np.uint8)
        marks = np.empty(m, np.int64)
        cdef double[::1] out_time = times
        cdef int32_t[::1] out_variable = variables
        cdef uint8_t[::1] out_old = olds
        cdef uint8_t[::1] out_new = news
        cdef int64_t[::1] out_mark = marks
        for i in range(m):
            t = time[i]
            j = variable[i]
            if trajectory[i] != self.trajectory:
                self.finish()
                self.trajectory = trajectory[i]
                self.start = self.now = self.last_event = t
                self.last_variable = -1
                self.n_known = 0
                self.ended = False
                self.known[:] = 0
            self.row = row[i]
            if not isfinite(t):
                self._fault("time", time=t)
            if t < self.now:
                self._fault("back", time=t)
            self.now = t
            if self.n_known < self.n:
                if j < 0 or self.known[j] or t != self.start:
                    self._fault("initial", self._unknown())
                self.known[j] = 1
                self.state[j] = self.initial[j] = new[i]
                self.n_known += 1
                continue
            if self.idle_row >= 0:
                self._drop()
            if j < 0 or new[i] == self.state[j]:
                self.idle_row = row[i]
                self.ended = True
                continue
            if t == self.last_event and not self.ties:
                self._fault("tie", j, self.last_variable, t)
            out_time[found] = t
            out_variable[found] = j
            out_old[found] = self.state[j]
            out_new[found] = new[i]
            out_mark[found] = i
            found += 1
            self.state[j] = new[i]
            self.last_event = t
            self.last_variable = j
            self.ended = not self.closing
            self.n_events += 1
        return times[:found], variables[:found], olds[:found], news[:found], marks[:found]

    def finish(self):
        """End the current trajectory: append (stop, start, end, initial states) to `finished`."""
        if self.trajectory < 0:
            return
        if self.n_known < self.n:
            self._fault("initial", self._unknown())
        if not self.ended:
            self._fault("end")
        self.finished.append((self.n_events, self.start, self.now, bytes(self.initial)))
        self.trajectory = self.idle_row = -1

    cdef int _drop(self) except -1:
        if not self.unchanged:
            self.row = self.idle_row
            self._fault("unchanged")
        self.n_unchanged += 1
        self.idle_row = -1
        return 0

    cdef Py_ssize_t _unknown(self):
        cdef Py_ssize_t j
        for j in range(self.n):
            if not self.known[j]:
                return j
        return -1

    def _fault(self, kind, variable=-1, other=-1, time=None):
        time = self.now if time is None else time
        raise Fault(kind, self.row, self.trajectory, variable, other, time, self.now)


def states_by_row(
    const int64_t[::1] trajectory,
    const int32_t[::1] variable,
    const uint8_t[::1] new,
    const uint8_t[:, ::1] initial,
    uint8_t[::1] state,
):
    """Return the states of all variables at each row: the inverse of finding events.

    A row changes `variable` to `new`; variable -1 changes nothing, -2 starts the row's trajectory. `state`
    holds the states before the first row and, after the call, those at the last row.
    """
    cdef Py_ssize_t i, m = variable.shape[0], n = state.shape[0]
    result = np.empty((m, n), np.uint8)
    cdef uint8_t[:, ::1] out = result
    for i in range(m):
        if variable[i] == -2:
            state[:] = initial[trajectory[i]]
        elif variable[i] >= 0:
            state[variable[i]] = new[i]
        out[i, :] = state
    return result
