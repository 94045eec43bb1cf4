"""Find the events in the rows of a table, and the states at the rows of trajectories."""

import numpy as np

from libc.math cimport NAN, isfinite
from libc.stdint cimport int32_t, int64_t, uint8_t


cdef enum:
    GAP = 255  # the code of an unobserved variable


class Fault(Exception):
    """A faulty row: kind, row, trajectory, variable and other variable (-1: none), time, time before it.

    Of kind "twice", the other two are the codes of the states that a variable has at one instant.
    """


cdef class Follower:
    """Turns marks into events. A mark means: from this time on, this variable is in this state.

    A mark of variable -1 means that nothing changes; as the last mark of a trajectory it is the end of
    observation. The marks at a trajectory's first time, one per variable, are its initial state; with
    `gaps`, a variable without one is unobserved until its first mark. The follower keeps the current
    trajectory between calls of `feed`, so chunks may end anywhere. With `together`, the order of marks at
    one instant means nothing: observation also ends at an instant at which other marks follow the one that
    says so.
    """

    cdef Py_ssize_t n, n_known
    cdef bint closing, ties, unchanged, together, gaps, hold
    cdef int64_t trajectory, row, idle_row, n_events
    cdef int32_t last_variable
    cdef double start, now, last_event, idle_time, end_time
    cdef bint ended
    cdef uint8_t[::1] state, initial, known, terminal
    cdef double[::1] stated
    cdef int64_t[::1] counts
    cdef public object finished, single, n_gaps
    cdef public int64_t n_unchanged

    def __init__(
        self,
        Py_ssize_t n_variables,
        *,
        bint closing,
        bint ties,
        bint unchanged,
        bint together=False,
        bint gaps=False,
        bint hold=False,
        terminal=(),
    ):
        """`closing`: the last mark must change nothing, or be one of the `terminal` variables.

        `ties`, `unchanged` and `gaps` accept these; `together`: a variable has one state at an instant;
        `hold`: a missing state is the last known one.
        """
        self.n = n_variables
        self.closing, self.ties, self.unchanged = closing, ties, unchanged
        self.together, self.gaps, self.hold = together, gaps, hold
        self.state = np.zeros(n_variables, np.uint8)
        self.initial = np.zeros(n_variables, np.uint8)
        self.known = np.zeros(n_variables, np.uint8)
        self.stated = np.zeros(n_variables)
        ends = np.zeros(n_variables, np.uint8)
        ends[list(terminal)] = 1
        self.terminal = ends
        self.n_gaps = np.zeros(n_variables, np.int64)
        self.counts = self.n_gaps
        self.trajectory = self.idle_row = -1
        self.n_events = self.n_unchanged = 0
        self.finished = []
        self.single = []  # (trajectory, row) of those with one row only, unless `closing`

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
        cdef uint8_t value
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
            value = new[i]
            if trajectory[i] != self.trajectory:
                self._begin(trajectory[i], t)
            self.row = row[i]
            if not isfinite(t):
                self._fault("time", time=t)
            if t < self.now:
                self._fault("back", time=t)
            self.now = t
            if self.n_known < self.n:
                if j >= 0 and not self.known[j] and t == self.start:
                    self.known[j] = 1
                    self.state[j] = self.initial[j] = value
                    self.stated[j] = t
                    self.counts[j] += value == GAP
                    self.n_known += 1
                    continue
                if not self.gaps:
                    self._fault("initial", self._unknown())
            if self.idle_row >= 0 and not (self.together and t == self.idle_time):
                self._drop()
            # A state that is missing at an instant at which it is also given is not missing.
            if j >= 0 and value == GAP and (self.hold or (self.together and self.stated[j] == t)):
                value = self.state[j]
            if j < 0 or value == self.state[j]:
                if self.idle_row >= 0:
                    self._drop()
                self.idle_row = row[i]
                self.idle_time = self.end_time = t
                self.ended = True
                if j >= 0:
                    self.stated[j] = t
                continue
            if self.together and self.stated[j] == t:
                raise Fault("twice", self.row, self.trajectory, j, -1, self.state[j], value)
            if t == self.last_event and not self.ties:
                self._fault("tie", j, self.last_variable, t)
            out_time[found] = t
            out_variable[found] = j
            out_old[found] = self.state[j]
            out_new[found] = value
            out_mark[found] = i
            found += 1
            self.state[j] = value
            self.stated[j] = t
            self.counts[j] += value == GAP
            self.last_event = t
            self.last_variable = j
            if not (self.together and self.ended and t == self.end_time):
                self.ended = not self.closing or self.terminal[j]
                self.end_time = t
            self.n_events += 1
        return times[:found], variables[:found], olds[:found], news[:found], marks[:found]

    cdef int _begin(self, int64_t trajectory, double t) except -1:
        cdef Py_ssize_t j
        self.finish()
        self.trajectory = trajectory
        self.start = self.now = self.last_event = t
        self.idle_time = self.end_time = NAN
        self.last_variable = -1
        self.n_known = 0
        self.ended = False
        for j in range(self.n):
            self.known[j] = 0
            self.stated[j] = NAN
            self.state[j] = self.initial[j] = GAP
        return 0

    def finish(self):
        """End the current trajectory: append (stop, start, end, initial states) to `finished`."""
        cdef Py_ssize_t j
        if self.trajectory < 0:
            return
        if self.n_known < self.n:
            if not self.gaps:
                self._fault("initial", self._unknown())
            for j in range(self.n):
                self.counts[j] += not self.known[j]
        if not self.ended:
            if self.closing:
                self._fault("end")
            self.single.append((self.trajectory, self.row))
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
