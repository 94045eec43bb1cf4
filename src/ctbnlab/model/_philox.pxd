"""Counter-based random numbers: Philox4x32-10 (Salmon et al., SC 2011).

A block of random bits is a pure function of a key and a counter, so any number can be computed at any time,
in any order, in any process: rates by (node, parent configuration), waiting times by (trajectory, event).
This file defines the random numbers of both; changing it changes the result of every published seed.
"""

from libc.math cimport exp, log, log1p
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

cdef enum RateLaw:
    UNIFORM = 0      # every off-diagonal rate uniform in [low, high]
    SPLIT = 1        # exit rate uniform in [low, high], split over next states uniformly at random
    LOG_UNIFORM = 2  # log of every off-diagonal rate uniform in [log low, log high]
    ADDITIVE = 3     # uniform base rates times exp(sum of one effect per parent, each in [-effect, effect])


cdef inline void philox(
    uint64_t key, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t* out
) noexcept nogil:
    cdef uint32_t k0 = <uint32_t> key, k1 = <uint32_t> (key >> 32)
    cdef uint64_t p0, p1
    cdef int _round
    for _round in range(10):
        p0 = <uint64_t> 0xD2511F53U * c0
        p1 = <uint64_t> 0xCD9E8D57U * c2
        c0 = (<uint32_t> (p1 >> 32)) ^ c1 ^ k0
        c1 = <uint32_t> p1
        c2 = (<uint32_t> (p0 >> 32)) ^ c3 ^ k1
        c3 = <uint32_t> p0
        k0 += 0x9E3779B9U
        k1 += 0xBB67AE85U
    out[0] = c0
    out[1] = c1
    out[2] = c2
    out[3] = c3


cdef inline double unit(uint32_t high, uint32_t low) noexcept nogil:
    """Return 53 random bits as a double in [0, 1)."""
    return ((high >> 5) * 67108864.0 + (low >> 6)) * (1.0 / 9007199254740992.0)


cdef inline void units(uint64_t key, uint64_t index, uint32_t stream, int count, double* out) noexcept nogil:
    """Write `count` doubles of the row (index, stream) to `out`, two from each block."""
    cdef uint32_t words[4]
    cdef int k
    for k in range(0, count, 2):
        philox(key, <uint32_t> index, <uint32_t> (index >> 32), stream, <uint32_t> (k >> 1), words)
        out[k] = unit(words[0], words[1])
        if k + 1 < count:
            out[k + 1] = unit(words[2], words[3])


cdef inline void draw_row(
    int law, double low, double high, double effect, uint64_t key,
    uint64_t configuration, const int32_t* parent_cardinalities, int n_parents,
    int x, int n_states, double* rates, double* scratch,
) noexcept nogil:
    """Write the n_states − 1 off-diagonal rates out of state x to `rates`; `scratch` has the same length.

    The low byte of the stream is x; the bytes above it are the purpose of the numbers: 0 the row itself,
    1 the exit rate of a split row or the base of an additive row, 2 + k the effect of parent k.
    """
    cdef int k, p, m = n_states - 1
    cdef double total, rest
    cdef uint64_t value
    if law == SPLIT:
        # The exit rate needs one number more than there are rates: it is taken from another stream.
        units(key, configuration, <uint32_t> x, m, rates)
        units(key, configuration, <uint32_t> (x | 0x100), 1, &rest)
        total = 0
        for k in range(m):
            rates[k] = -log1p(-rates[k])
            total += rates[k]
        rest = low + (high - low) * rest
        for k in range(m):
            rates[k] = rest * (rates[k] / total) if total > 0 else rest / m
    elif law == LOG_UNIFORM:
        units(key, configuration, <uint32_t> x, m, rates)
        for k in range(m):
            rates[k] = exp(log(low) + (log(high) - log(low)) * rates[k])
    elif law == ADDITIVE:
        units(key, 0, <uint32_t> (x | 0x100), m, rates)
        for k in range(m):
            rates[k] = log(low + (high - low) * rates[k])
        for p in range(n_parents - 1, -1, -1):
            value = configuration % <uint64_t> parent_cardinalities[p]
            configuration = configuration // <uint64_t> parent_cardinalities[p]
            units(key, value, <uint32_t> (x | ((2 + p) << 8)), m, scratch)
            for k in range(m):
                rates[k] += effect * (2 * scratch[k] - 1)
        for k in range(m):
            rates[k] = exp(rates[k])
    else:
        units(key, configuration, <uint32_t> x, m, rates)
        for k in range(m):
            rates[k] = low + (high - low) * rates[k]
