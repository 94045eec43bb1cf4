"""The simulator's loop: draw the waiting time, the variable that changes and its new state; update the rates.

The exit rates of the nodes are the members of blocks of eight. The cumulative sums of a block are used to
draw a member, and its total is a member of a block one level up, until a single block covers all nodes. A
transition sums again the blocks of the nodes whose rates it changes: rounding errors do not accumulate, and a
thousand nodes cost little more than twenty.

A clock moves on when the next event would come at its cut or later. That event is not made: waiting times
have no memory, so the wait is drawn again from the cut on, with the rates of the clock's new period.
"""

import numpy as np

from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, log, nextafter
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from ctbnlab.model._philox cimport draw_row, philox, unit

from ctbnlab.errors import InputError

cdef enum:
    FAN = 8  # members per block

# The structures NODE, STEP and CUT of `layout`, which explains their fields.
cdef struct Node:
    int64_t origin
    int64_t n_rates
    int64_t rows
    int64_t width
    int64_t first_step
    int64_t last_step
    int64_t first_block
    int64_t last_block
    int64_t row
    uint64_t key
    double low
    double high
    double effect
    int32_t law
    int32_t n_states
    int32_t first_parent
    int32_t n_parents
    int32_t terminal

cdef struct Step:
    int64_t node
    int64_t size

cdef struct Cut:
    double time
    int64_t node


cdef inline int64_t pick(const double* cumulative, int64_t count, double target) noexcept nogil:
    """Return the first member whose cumulative sum exceeds the target; members with rate 0 are never picked.

    If rounding has put the target at or above the last sum, the last member with a positive rate is picked.
    """
    cdef int64_t k, chosen = 0
    for k in range(count):
        chosen += cumulative[k] <= target
    if chosen == count:
        chosen = 0
        for k in range(count):
            chosen += cumulative[k] < cumulative[count - 1]
    return chosen


cdef inline int64_t pick_node(
    const double* cumulative, const int64_t* levels, Py_ssize_t n_levels, double* target
) noexcept nogil:
    """Return the node that the target selects, from the top block down; the target becomes the rest."""
    cdef const double* sums
    cdef int64_t k, member = 0
    cdef Py_ssize_t level
    for level in range(n_levels - 1, -1, -1):
        sums = cumulative + (FAN + 1) * (levels[level] + member)
        k = pick(sums + 1, FAN, target[0])
        target[0] -= sums[k]
        member = FAN * member + k
    return member


cdef inline void sum_block(
    double* members, double* cumulative, const int64_t* above, int64_t block
) noexcept nogil:
    """Compute a block's cumulative sums, the second half on top of the first, and pass its sum one level up.

    The sums are stored after a leading 0, so that the sum before the first member is not a special case.
    """
    cdef const double* a = members + FAN * block
    cdef double* c = cumulative + (FAN + 1) * block + 1
    cdef double a1 = a[0], a2 = a1 + a[1], a3 = a2 + a[2], a4 = a3 + a[3]
    cdef double b1 = a[4], b2 = b1 + a[5], b3 = b2 + a[6], b4 = b3 + a[7]
    c[0], c[1], c[2], c[3] = a1, a2, a3, a4
    c[4], c[5], c[6], c[7] = a4 + b1, a4 + b2, a4 + b3, a4 + b4
    if above[block] >= 0:
        members[above[block]] = a4 + b4


cdef class Walker:
    """Simulates trajectories one after another, and pauses whenever the output arrays are full."""

    cdef const Node[::1] nodes
    cdef const Step[::1] steps
    cdef const int64_t[::1] blocks, above, levels
    cdef const double[::1] tables
    cdef const int32_t[::1] parent_cardinalities
    cdef const int32_t[::1] initial_order
    cdef const Step[::1] initial_steps
    cdef const int64_t[::1] initial_offsets, initial_origins
    cdef const double[::1] initial_tables
    cdef const Cut[::1] cuts
    cdef const int32_t[::1] given
    cdef uint8_t[::1] initial, state
    cdef int64_t[::1] position
    cdef double[::1] members, cumulative, rows, scratch
    cdef uint64_t key, initial_key, trajectory, last_trajectory, drawn
    cdef double horizon, until, now  # `until`: the horizon, or just before the next cut
    cdef int64_t limit, left
    cdef Py_ssize_t next_cut
    cdef bint by_time, under_way, overflowed, cut_due, terminated, tied, wide

    def __init__(
        self, layout, uint64_t key, uint64_t initial_key, uint64_t first, uint64_t count,
        duration, transitions, given,
    ):
        self.nodes, self.steps = layout.nodes, layout.steps
        self.blocks, self.above, self.levels = layout.blocks, layout.above, layout.levels
        self.tables, self.parent_cardinalities = layout.tables, layout.parent_cardinalities
        self.initial_order, self.initial_steps = layout.initial_order, layout.initial_steps
        self.initial_offsets, self.initial_origins = layout.initial_offsets, layout.initial_origins
        self.initial_tables, self.cuts = layout.initial_tables, layout.cuts
        self.given = given
        n = len(layout.nodes)
        self.initial, self.state = np.zeros(n, np.uint8), np.zeros(n, np.uint8)
        self.position = np.zeros(n, np.int64)
        self.members = np.zeros(FAN * len(layout.above))
        self.cumulative = np.zeros((FAN + 1) * len(layout.above))
        self.rows, self.scratch = np.zeros(layout.row_memory), np.zeros(max(n + 1, 256))
        self.key, self.initial_key = key, initial_key
        self.trajectory, self.last_trajectory = first, first + count
        self.by_time = duration is not None
        self.horizon = duration if self.by_time else DBL_MAX
        self.limit = np.iinfo(np.int64).max if transitions is None else transitions
        self.under_way = self.overflowed = self.tied = False
        self.wide = n > 256

    @property
    def finished(self):
        """Whether every trajectory has ended."""
        return self.trajectory == self.last_trajectory

    @property
    def has_ties(self):
        """Whether several clocks have changed at one instant."""
        return self.tied

    def advance(
        self, double[::1] time, uint8_t[::1] variable, uint8_t[::1] old, uint8_t[::1] new,
        int64_t[::1] stop, double[::1] end, uint8_t[:, ::1] initial,
    ):
        """Fill the arrays from the beginning; return the numbers of events and of ended trajectories.

        `variable` is passed as bytes, two per event if there are more than 256 variables. `stop` counts from
        the first of these events.
        """
        cdef Py_ssize_t events = 0, ended = 0
        with nogil:
            while ended < stop.shape[0] and self.trajectory != self.last_trajectory:
                if not self.under_way:
                    self.begin()
                events = self.proceed(&time[0], &variable[0], &old[0], &new[0], events, time.shape[0])
                if self.under_way or self.overflowed:
                    break
                stop[ended] = events
                end[ended] = self.horizon if self.by_time and not self.terminated else self.now
                memcpy(&initial[ended, 0], &self.initial[0], self.initial.shape[0])
                self.trajectory += 1
                ended += 1
        if self.overflowed:
            raise InputError(f"the sum of all rates overflows in trajectory {self.trajectory}")
        return events, ended

    cdef void begin(self) noexcept nogil:
        """Draw the initial state of the next trajectory and set up the rates."""
        cdef Py_ssize_t n = self.nodes.shape[0], i, k, s
        cdef uint32_t words[4]
        cdef const double* row
        cdef int64_t x, n_states
        for i in range(0, n, 2):
            philox(
                self.initial_key, <uint32_t> (i >> 1), 0,
                <uint32_t> self.trajectory, <uint32_t> (self.trajectory >> 32), words,
            )
            self.scratch[i] = unit(words[0], words[1])
            self.scratch[i + 1] = unit(words[2], words[3])
            self.position[i] = self.initial_origins[i]
            if i + 1 < n:
                self.position[i + 1] = self.initial_origins[i + 1]
        for k in range(n):
            i = self.initial_order[k]
            n_states = self.nodes[i].n_states
            row = &self.initial_tables[self.position[i]]
            if self.given[i] >= 0:
                x = self.given[i]
            else:
                x = pick(row, n_states, self.scratch[i] * row[n_states - 1])
            self.initial[i] = self.state[i] = <uint8_t> x
            for s in range(self.initial_offsets[i], self.initial_offsets[i + 1]):
                self.position[self.initial_steps[s].node] += self.initial_steps[s].size * x
        for i in range(n):
            self.position[i] = self.nodes[i].origin
        for i in range(n):
            for s in range(self.nodes[i].first_step, self.nodes[i].last_step):
                k = self.steps[s].node if self.steps[s].node >= 0 else ~self.steps[s].node
                self.position[k] += self.steps[s].size * self.state[i]
        for i in range(n):
            if self.nodes[i].row < 0:
                self.members[i] = self.tables[self.position[i]]
            else:
                self.members[i] = self.drawn_exit_rate(i)
        for k in range(self.above.shape[0]):
            sum_block(&self.members[0], &self.cumulative[0], &self.above[0], k)
        self.now = 0
        self.left = self.limit
        self.drawn = 0
        self.next_cut = 0
        self.until = self.before_next_cut()
        self.terminated = self.cut_due = False
        self.under_way = True

    cdef double before_next_cut(self) noexcept nogil:
        """Return the last time before the next cut, or the horizon: a cut at the end is no event."""
        if self.next_cut < self.cuts.shape[0] and self.cuts[self.next_cut].time < self.horizon:
            return nextafter(self.cuts[self.next_cut].time, 0)
        return self.horizon

    cdef void pass_cut(
        self, double* time, uint8_t* variable, uint8_t* old, uint8_t* new, Py_ssize_t event
    ) noexcept nogil:
        """Move a clock to its next state, as an event at the next cut."""
        cdef const Cut* cut = &self.cuts[self.next_cut]
        cdef const Node* clock = &self.nodes[cut.node]
        cdef int64_t s, k, node
        self.tied |= cut.time == self.now  # no transition falls on a cut, but that of another clock may
        time[event] = cut.time
        if self.wide:
            (<uint16_t*> variable)[event] = <uint16_t> cut.node
        else:
            variable[event] = <uint8_t> cut.node
        old[event] = self.state[cut.node]
        self.state[cut.node] += 1
        new[event] = self.state[cut.node]
        for s in range(clock.first_step, clock.last_step):
            node = self.steps[s].node
            k = node if node >= 0 else ~node
            self.position[k] += self.steps[s].size
            self.members[k] = self.tables[self.position[k]] if node >= 0 else self.drawn_exit_rate(k)
        for s in range(clock.first_block, clock.last_block):
            sum_block(&self.members[0], &self.cumulative[0], &self.above[0], self.blocks[s])
        self.now = cut.time
        self.next_cut += 1
        self.until = self.before_next_cut()

    cdef double drawn_exit_rate(self, int64_t i) noexcept nogil:
        """Draw the current row of node i from its law, and return its exit rate."""
        cdef const Node* node = &self.nodes[i]
        cdef double* row = &self.rows[node.row]
        cdef int64_t k
        draw_row(
            node.law, node.low, node.high, node.effect, node.key, <uint64_t> self.position[i],
            &self.parent_cardinalities[node.first_parent], node.n_parents, self.state[i], node.n_states,
            row, &self.scratch[0],
        )
        for k in range(1, node.n_rates):
            row[k] += row[k - 1]
        return row[node.n_rates - 1]

    cdef Py_ssize_t proceed(
        self, double* time, uint8_t* variable, uint8_t* old, uint8_t* new,
        Py_ssize_t event, Py_ssize_t capacity,
    ) noexcept nogil:
        """Walk from cut to cut until the trajectory ends or the arrays are full; return the next index."""
        while True:
            if self.cut_due:
                if event == capacity:
                    return event
                self.pass_cut(time, variable, old, new, event)
                self.cut_due = False
                event += 1
            event = self.walk(time, variable, old, new, event, capacity)
            if self.under_way or self.overflowed or self.left == 0 or self.until == self.horizon:
                return event
            self.under_way = self.cut_due = True

    cdef Py_ssize_t walk(
        self, double* time, uint8_t* variable, uint8_t* old, uint8_t* new,
        Py_ssize_t event, Py_ssize_t capacity,
    ) noexcept nogil:
        """Make transitions until the end, the next cut or full arrays; return the next free index."""
        # Local copies: a byte store may alias any field of self, so the compiler would reload them all.
        cdef const Node* nodes = &self.nodes[0]
        cdef const Step* steps = &self.steps[0]
        cdef const int64_t* blocks = &self.blocks[0]
        cdef const int64_t* above = &self.above[0]
        cdef const int64_t* levels = &self.levels[0]
        cdef const double* tables = &self.tables[0]
        cdef double* members = &self.members[0]
        cdef double* cumulative = &self.cumulative[0]
        cdef int64_t* position = &self.position[0]
        cdef uint8_t* state = &self.state[0]
        cdef const double* row
        cdef Py_ssize_t top = self.above.shape[0] - 1, n_levels = self.levels.shape[0]
        cdef int64_t i, k, s, x, y, left = self.left
        cdef uint64_t key = self.key, trajectory = self.trajectory, drawn = self.drawn
        cdef uint32_t words[4]
        cdef double total, later, target, now = self.now, until = self.until
        cdef bint wide = self.wide
        while True:
            total = cumulative[(FAN + 1) * top + FAN]
            if left == 0 or not 0 < total <= DBL_MAX:
                self.overflowed = total != 0 and not total <= DBL_MAX
                self.under_way = False
                break
            if event == capacity:
                break
            # Event k of a trajectory uses block k of its stream: one number for the wait, one for the choice.
            philox(
                key, <uint32_t> drawn, <uint32_t> (drawn >> 32),
                <uint32_t> trajectory, <uint32_t> (trajectory >> 32), words,
            )
            drawn += 1
            later = now - log(1.0 - unit(words[0], words[1])) / total
            target = unit(words[2], words[3]) * total
            if not later > now:
                # The wait is lost in rounding, but times must increase.
                later = nextafter(now, INFINITY)
            if later > until:
                self.under_way = False
                break
            i = pick_node(cumulative, levels, n_levels, &target)
            if nodes[i].row < 0:
                row = &tables[nodes[i].rows + position[i] * nodes[i].width]
            else:
                row = &self.rows[nodes[i].row]
            x = state[i]
            y = pick(row, nodes[i].n_rates, target)
            y += y >= x
            state[i] = <uint8_t> y
            time[event] = later
            if wide:
                (<uint16_t*> variable)[event] = <uint16_t> i
            else:
                variable[event] = <uint8_t> i
            old[event] = <uint8_t> x
            new[event] = <uint8_t> y
            event += 1
            left -= 1
            now = later
            if nodes[i].terminal:
                self.terminated = True
                left = 0
            for s in range(nodes[i].first_step, nodes[i].last_step):
                k = steps[s].node
                if k >= 0:
                    position[k] += steps[s].size * (y - x)
                    members[k] = tables[position[k]]
                else:
                    position[~k] += steps[s].size * (y - x)
                    members[~k] = self.drawn_exit_rate(~k)
            for s in range(nodes[i].first_block, nodes[i].last_block):
                sum_block(members, cumulative, above, blocks[s])
        self.now, self.left, self.drawn = now, left, drawn
        return event
