"""Simulates many copies of a network through one stretch of time, with the weights that evidence gives them.

A copy waits for the next change of a free variable; while it waits, an observed variable, which is known
not to leave its state, costs weight at its rate. Each copy has a separate random stream, so threads and
batches change nothing.
"""

from libc.math cimport INFINITY, log1p
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from ctbnlab.model._philox cimport philox, unit


cdef class Copies:
    """The rates of a network as flat tables."""

    cdef const int64_t[::1] sizes, tables, parent_start, parents, steps, child_start, children
    cdef const double[::1] rates

    def __init__(self, sizes, tables, parent_start, parents, steps, child_start, children, rates):
        self.sizes, self.tables, self.rates = sizes, tables, rates
        self.parent_start, self.parents, self.steps = parent_start, parents, steps
        self.child_start, self.children = child_start, children

    def advance(
        self, uint8_t[:, ::1] states, const uint8_t[::1] status, double duration, double[::1] log_weight,
        uint64_t key, int64_t first, uint64_t[::1] drawn, double[::1] scratch,
        const int64_t[::1] slots, double[:, ::1] time, double[:, ::1] moves, const int64_t[::1] move_slots,
        const int64_t[::1] target_start, const int32_t[:, ::1] target, double begin, double[::1] hit,
        int32_t[::1] label,
    ):
        """Advance the copies `first`, `first` + 1, … by a duration.

        `status` of a variable is 0 if it moves freely, 1 if it does not, 2 if it is observed. For variables
        with a slot, times in states and transitions [x, x'] are added up. A copy whose `hit` is finite has
        arrived at a target and stays; target rows are (variable, state, other state), those of target g
        from target_start[g] on.
        """
        cdef Py_ssize_t p, n_copies = states.shape[0]
        with nogil:
            for p in range(n_copies):
                if hit[p] < INFINITY:
                    continue
                self.one(
                    &states[p, 0], &status[0], duration, &log_weight[p], key, <uint64_t> (first + p),
                    &drawn[p], &scratch[0], &slots[0], &time[p, 0], &moves[p, 0], &move_slots[0],
                    target_start, target, begin, &hit[p], &label[p],
                )

    cdef inline const double* row(self, Py_ssize_t v, const uint8_t* state) noexcept nogil:
        """Return the rates of a variable out of its state."""
        cdef int64_t k, place = self.tables[v]
        for k in range(self.parent_start[v], self.parent_start[v + 1]):
            place += self.steps[k] * state[self.parents[k]]
        return &self.rates[place + state[v] * self.sizes[v]]

    cdef inline double exit_rate(self, Py_ssize_t v, const uint8_t* state) noexcept nogil:
        cdef const double* rates = self.row(v, state)
        cdef double total = 0
        cdef int64_t x
        for x in range(self.sizes[v]):
            total += rates[x]
        return total

    cdef bint arrived(
        self, const uint8_t* state, const int64_t[::1] start, const int32_t[:, ::1] target, int32_t* label
    ) noexcept nogil:
        cdef Py_ssize_t g, k
        cdef bint inside
        for g in range(start.shape[0] - 1):
            inside = True
            for k in range(start[g], start[g + 1]):
                # A terminal variable may have a state twice; else the second is −1.
                inside &= state[target[k, 0]] == target[k, 1] or state[target[k, 0]] == target[k, 2]
            if inside:
                label[0] = <int32_t> g
                return True
        return False

    cdef void one(
        self, uint8_t* state, const uint8_t* status, double duration, double* log_weight, uint64_t key,
        uint64_t copy, uint64_t* drawn, double* exits, const int64_t* slots, double* time, double* moves,
        const int64_t* move_slots, const int64_t[::1] target_start, const int32_t[:, ::1] target,
        double begin, double* hit, int32_t* label,
    ) noexcept nogil:
        cdef Py_ssize_t v, w, n = self.sizes.shape[0]
        cdef int64_t k, x, y
        cdef double now = 0, total, lost, wait, choice
        cdef const double* rates
        cdef uint32_t words[4]
        for v in range(n):
            exits[v] = 0 if status[v] == 1 else self.exit_rate(v, state)
        while True:
            if target_start.shape[0] > 1 and self.arrived(state, target_start, target, label):
                hit[0] = begin + now
                return
            total = lost = 0
            for v in range(n):
                if status[v] == 0:
                    total += exits[v]
                elif status[v] == 2:
                    lost += exits[v]
            wait = INFINITY
            if total > 0:
                philox(
                    key, <uint32_t> drawn[0], <uint32_t> (drawn[0] >> 32),
                    <uint32_t> copy, <uint32_t> (copy >> 32), words,
                )
                drawn[0] += 1
                wait = -log1p(-unit(words[0], words[1])) / total
            if now + wait > duration:
                wait = duration - now
                self.spend(state, slots, time, wait, n)
                log_weight[0] -= lost * wait
                return
            self.spend(state, slots, time, wait, n)
            log_weight[0] -= lost * wait
            now += wait
            choice = unit(words[2], words[3]) * total
            w = -1
            for v in range(n):
                if status[v] == 0 and exits[v] > 0:
                    w = v
                    if choice < exits[v]:
                        break
                    choice -= exits[v]
            rates = self.row(w, state)
            x = state[w]
            y = -1
            for k in range(self.sizes[w]):
                if rates[k] > 0:
                    y = k
                    if choice < rates[k]:
                        break
                    choice -= rates[k]
            if move_slots[w] >= 0:
                moves[move_slots[w] + x * self.sizes[w] + y] += 1
            state[w] = <uint8_t> y
            if status[w] != 1:
                exits[w] = self.exit_rate(w, state)
            for k in range(self.child_start[w], self.child_start[w + 1]):
                v = self.children[k]
                if status[v] != 1:
                    exits[v] = self.exit_rate(v, state)

    cdef inline void spend(
        self, const uint8_t* state, const int64_t* slots, double* time, double wait, Py_ssize_t n
    ) noexcept nogil:
        cdef Py_ssize_t v
        for v in range(n):
            if slots[v] >= 0:
                time[slots[v] + state[v]] += wait
