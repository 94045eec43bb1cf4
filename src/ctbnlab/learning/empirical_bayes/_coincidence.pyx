"""Loops over pairs of points: which of the other variables do two moments in the life of a target share?

A point is a moment while the target is in x: an event, where it goes from x to x', or a control, taken at
random from the time it spends in x. It is kept as the states of up to 32 other variables in bit planes:
bit v of plane i is bit i of variable v's state. Two points differ in the variables where the exclusive or
of some plane has a bit.

Events must have passed `Trajectories.check`.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from ctbnlab.counting._scan cimport Events, EventScan, index_t
from ctbnlab.counting._marginals cimport add_states

cdef enum:
    PLANES = 8    # of 256 states
    THIRD = 2048  # values of 11 bits: three of them make a word
    TILE = 512    # pairs whose differences are found at once …
    SHORT = 48    # … unless a bucket has too few points for that to pay


cdef inline uint64_t mixed(uint64_t z) noexcept nogil:
    """A number that looks random, the same for the same z (the finaliser of SplitMix64)."""
    z += 0x9E3779B97F4A7C15U
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU
    return z ^ (z >> 31)


cdef struct Planes:
    Py_ssize_t count                # of bit planes
    const int32_t* bit              # each variable's place in them, or −1
    uint32_t state[PLANES]          # the present states


cdef struct Taking:
    Py_ssize_t c
    const uint64_t* rarity          # [x, x']: what a number, mixed up, must not exceed
    const int64_t* room             # [x, x']: where the points of this kind must stop
    int64_t* taken                  # [x, x']: where the next one goes
    int64_t* seen                   # [x, x']: events met
    const double* due               # when controls are due in the time spent in x, all x in turn
    const int64_t* last_due         # [x]: where those of x stop
    int64_t* next_due               # [x]: the next one
    double* spent                   # [x]: the time spent in x so far


cdef void scan_points(
    const Events* data, const index_t* variable, Py_ssize_t target, Planes* planes, const Taking* how,
    uint32_t[:, ::1] event_points, uint32_t[:, ::1] control_points,
) noexcept nogil:
    cdef Py_ssize_t n = data.n_variables, t, e, j, p, x, kind
    cdef uint32_t change
    cdef double last, now
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
            how.spent[x] += now - last
            last = now
            while how.next_due[x] < how.last_due[x] and how.due[how.next_due[x]] <= how.spent[x]:
                for p in range(planes.count):
                    control_points[p, how.next_due[x]] = planes.state[p]
                how.next_due[x] += 1
            if e == data.stop[t]:
                break
            j = variable[e]
            if j == target:
                kind = x * how.c + data.new[e]
                if mixed(how.seen[kind]) <= how.rarity[kind] and how.taken[kind] < how.room[kind]:
                    for p in range(planes.count):
                        event_points[p, how.taken[kind]] = planes.state[p]
                    how.taken[kind] += 1
                how.seen[kind] += 1
                x = data.new[e]
            elif planes.bit[j] >= 0:
                change = data.old[e] ^ data.new[e]
                for p in range(planes.count):
                    planes.state[p] ^= ((change >> p) & 1) << planes.bit[j]


def points(
    EventScan scan,
    int target,
    const int32_t[::1] bit,
    Py_ssize_t n_planes,
    const uint64_t[:, ::1] rarity,
    const int64_t[:, ::1] room,
    const double[::1] due,
    const int64_t[::1] controls,
):
    """Return the points (events, how many of each x and x', controls, how many of each x), from one scan.

    `bit[j]` is variable j's place in the planes, or −1. Of the events from x to x' those are taken whose
    number, mixed up, is not above `rarity[x, x']`, and at most `room[x, x']`. `due` has, for each x in
    turn, when controls are due in the time spent in x, increasing, `controls[x]` of them.
    """
    cdef Py_ssize_t c = room.shape[0]
    lasts = np.cumsum(room).reshape(c, c)
    due_last = np.cumsum(controls)
    firsts, due_first = lasts - room, due_last - controls
    event_array = np.zeros((n_planes, int(np.sum(room)) + 1), np.uint32)
    control_array = np.zeros((n_planes, int(np.sum(controls)) + 1), np.uint32)
    taken_array, next_array = firsts.copy(), due_first.copy()
    cdef uint32_t[:, ::1] event_points = event_array, control_points = control_array
    cdef int64_t[:, ::1] taken = taken_array, last_room = lasts, seen = np.zeros((c, c), np.int64)
    cdef int64_t[::1] next_due = next_array, last_due = due_last
    cdef double[::1] spent = np.zeros(c)
    cdef Planes planes
    cdef Taking how
    planes.count, planes.bit = n_planes, &bit[0]
    how.c, how.rarity, how.room = c, &rarity[0, 0], &last_room[0, 0]
    how.taken, how.seen = &taken[0, 0], &seen[0, 0]
    how.due, how.last_due, how.next_due = &due[0], &last_due[0], &next_due[0]
    how.spent = &spent[0]
    with nogil:
        if scan.wide:
            scan_points(&scan.data, scan.wide, target, &planes, &how, event_points, control_points)
        else:
            scan_points(&scan.data, scan.narrow, target, &planes, &how, event_points, control_points)
    return event_array, taken_array - firsts, control_array, next_array - due_first


cdef void fill_lookups(const int64_t* shares, Py_ssize_t count, uint32_t* lookups) noexcept nogil:
    """For each third of a word and each value of it, the sum of the shares of the bits that are set."""
    cdef Py_ssize_t part, value, bit
    for part in range(3):
        lookups[part * THIRD] = 0
        for bit in range(11):
            for value in range(1 << bit):
                lookups[part * THIRD + (1 << bit) + value] = lookups[part * THIRD + value] + (
                    <uint32_t> shares[11 * part + bit] if 11 * part + bit < count else 0
                )


cdef inline uint32_t looked_up(const uint32_t* lookups, uint32_t word) noexcept nogil:
    return (
        lookups[word & (THIRD - 1)]
        + lookups[THIRD + (word >> 11 & (THIRD - 1))]
        + lookups[2 * THIRD + (word >> 22)]
    )


def bucketed(
    const uint32_t[:, ::1] source,
    Py_ssize_t first,
    Py_ssize_t count,
    const int64_t[::1] steps,
    const int64_t[::1] free_bits,
    Py_ssize_t n_keys,
):
    """Return some points' free variables, sorted by the block's states, and where each bucket begins.

    The bucket of a point is the sum of state · step over all variables (0 outside the block); the free
    variables move to the bits whose values `free_bits` has (0 inside the block).
    """
    cdef Py_ssize_t planes = source.shape[0], n = steps.shape[0], i, k, p
    starts_array = np.zeros(n_keys + 1, np.int64)
    result = np.empty((planes, count), np.uint32)
    cdef int64_t[::1] starts = starts_array, place_view
    cdef uint32_t[:, ::1] out = result
    cdef uint32_t[::1] keys_view = np.zeros(count + 1, np.uint32)
    cdef uint32_t[:, ::1] lookups = np.empty((2, 3 * THIRD), np.uint32)
    cdef uint32_t* keys = &keys_view[0]
    cdef const uint32_t* steps_of = &lookups[0, 0]
    cdef const uint32_t* bits_of = &lookups[1, 0]
    cdef const uint32_t* words
    cdef int64_t* place
    with nogil:
        fill_lookups(&steps[0], n, &lookups[0, 0])
        fill_lookups(&free_bits[0], n, &lookups[1, 0])
        for p in range(planes):
            words = &source[p, first]
            for i in range(count):
                keys[i] += looked_up(steps_of, words[i]) << p
        for i in range(count):
            starts[keys[i] + 1] += 1
        for k in range(n_keys):
            starts[k + 1] += starts[k]
    place_view = starts_array.copy()
    place = &place_view[0]
    with nogil:
        # The keys become places, so that every plane is written in a loop of its own.
        for i in range(count):
            k = keys[i]
            keys[i] = <uint32_t> place[k]
            place[k] += 1
        for p in range(planes):
            words = &source[p, first]
            for i in range(count):
                out[p, keys[i]] = looked_up(bits_of, words[i])
    return result, starts_array


def count_pairs(
    const uint32_t[:, ::1] a,
    const int64_t[::1] a_starts,
    const uint32_t[:, ::1] b,
    const int64_t[::1] b_starts,
    bint same,
    uint32_t[::1] histogram,
):
    """Add to `histogram[d]` the pairs from the same buckets that differ in the set of variables d.

    With `same` a and b are one set of points, and each pair of two different ones counts once.
    """
    cdef Py_ssize_t planes = a.shape[0], bucket, i, j, p, first, last, size
    cdef uint32_t d[TILE]
    cdef uint32_t s, s1
    cdef const uint32_t* a0 = &a[0, 0]
    cdef const uint32_t* a1 = &a[planes - 1, 0]
    cdef const uint32_t* b0 = &b[0, 0]
    cdef const uint32_t* b1 = &b[planes - 1, 0]
    cdef const uint32_t* q
    cdef uint32_t* bins = &histogram[0]
    with nogil:
        for bucket in range(a_starts.shape[0] - 1):
            last = b_starts[bucket + 1]
            if last - b_starts[bucket] < SHORT and planes <= 2:
                # With one plane the second pointer is the first again.
                for i in range(a_starts[bucket], a_starts[bucket + 1]):
                    s = a0[i]
                    s1 = a1[i]
                    for j in range(i + 1 if same else b_starts[bucket], last):
                        bins[(s ^ b0[j]) | (s1 ^ b1[j])] += 1
                continue
            for i in range(a_starts[bucket], a_starts[bucket + 1]):
                first = i + 1 if same else b_starts[bucket]
                while first < last:
                    size = min(TILE, last - first)
                    s = a0[i]
                    q = b0 + first
                    for j in range(size):
                        d[j] = s ^ q[j]
                    for p in range(1, planes):
                        s = a[p, i]
                        q = &b[p, first]
                        for j in range(size):
                            d[j] |= s ^ q[j]
                    for j in range(size):
                        bins[d[j]] += 1
                    first += size


def subset_sums(double[::1] table):
    """Replace each entry T of a table over all sets by the sum over the sets within T."""
    cdef Py_ssize_t size = table.shape[0], half = 1, block, k
    with nogil:
        while half < size:
            block = 0
            while block < size:
                for k in range(block, block + half):
                    table[k + half] += table[k]
                block += 2 * half
            half *= 2


cdef void add_squares(
    const double* table, double* scratch, const int64_t* states, Py_ssize_t axes,
    Py_ssize_t axis, Py_ssize_t kept, Py_ssize_t outer, Py_ssize_t inner, double* sums,
) noexcept nogil:
    """Go on with a table of `outer` configurations of axes that stay, and `inner` numbers for each."""
    cdef Py_ssize_t with_axis = kept | (<Py_ssize_t> 1 << axis), a, k
    cdef double square = 0, squared_sum = 0, row
    if axis == axes - 1:
        for a in range(outer):
            row = 0
            for k in range(inner):
                row += table[k]
                square += table[k] * table[k]
            squared_sum += row * row
            table += inner
        sums[with_axis] += square
        sums[kept] += squared_sum
        return
    inner = inner // states[axis]
    add_squares(table, scratch, states, axes, axis + 1, with_axis, outer * states[axis], inner, sums)
    add_states(table, scratch, outer, states[axis], inner)
    add_squares(scratch, scratch + outer * inner, states, axes, axis + 1, kept, outer, inner, sums)


def squared_marginals(const double[::1] table, const int64_t[::1] states, double[::1] sums):
    """Add to `sums[S]` the sum of squares of the table's marginal on S, for every set of its axes.

    Bit i of S is axis i, the first axis slowest; there is at least one.
    """
    # A sum is at most half as large as the table below it, but over an axis of one state as large.
    cdef Py_ssize_t room = table.shape[0] * (1 + int(np.sum(np.equal(states, 1))))
    cdef double* scratch = <double*> malloc(room * sizeof(double))
    if scratch == NULL:
        raise MemoryError
    with nogil:
        add_squares(&table[0], scratch, &states[0], states.shape[0], 0, 0, 1, table.shape[0], &sums[0])
        free(scratch)
