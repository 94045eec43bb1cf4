"""Loops over pairs of points: on which of the other variables do two moments in the life of a target agree?

Points come as bit planes (see `counting._points`): bit v of plane i is bit i of variable v's state. Two
points differ in the variables for which the exclusive or of some plane has a bit.
"""

import numpy as np

from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free, malloc

from ctbnlab.counting._marginals cimport add_states

cdef enum:
    THIRD = 2048  # values of 11 bits: three of them make a word
    TILE = 512    # pairs whose differences are computed at once
    SHORT = 48    # points: below this a bucket is too short for that to pay off


cdef void fill_lookups(const int64_t* shares, Py_ssize_t count, uint32_t* lookups) noexcept nogil:
    """For each third of a word and each of its values, the sum of the shares of the bits that are set."""
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
    cdef Py_ssize_t with_axis = kept | (<Py_ssize_t> 1 << axis), _a, k
    cdef double square = 0, squared_sum = 0, row
    if axis == axes - 1:
        for _a in range(outer):
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
