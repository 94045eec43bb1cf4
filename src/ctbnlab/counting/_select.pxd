"""The positions of the events of a few variables.

Most events do not concern a table, and a scan should spend as little on them as possible. Sixteen events at a
time are compared with each variable; the results become bits, and a lookup table has the positions of the
ones in a byte. No branch depends on the data: it would be mispredicted.
"""

from libc.stdint cimport uint8_t, uint16_t

from ctbnlab.counting._scan cimport index_t

cdef enum:
    CHUNK = 4096   # events per chunk: their positions fit 16 bits and the L1 cache
    OVER = 16      # positions that may be overwritten after the last one found


cdef extern from *:
    """
    typedef uint8_t Bytes __attribute__((vector_size(16), aligned(1), may_alias));
    typedef uint16_t Words __attribute__((vector_size(16), aligned(2), may_alias));
    typedef uint8_t HalfBytes __attribute__((vector_size(8)));

    static uint16_t PLACES_OF[256][8];
    static uint8_t ONES_OF[256];

    __attribute__((constructor)) static void fill_places(void) {
        for (int byte = 0; byte < 256; byte++) {
            ONES_OF[byte] = 0;
            for (int bit = 0; bit < 8; bit++)
                if (byte >> bit & 1) PLACES_OF[byte][ONES_OF[byte]++] = bit;
        }
    }

    /* The lowest bit of each of eight bytes. */
    static inline unsigned lowest_bits(const void *bytes) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        return (unsigned) ((word & 0x0101010101010101u) * 0x0102040810204080u >> 56);
    }

    static inline unsigned equal_bytes(const uint8_t *variable, const uint8_t *wanted, Py_ssize_t n) {
        const Bytes here = *(const Bytes *) variable;
        Bytes equal = (Bytes) (here == wanted[0]);
        for (Py_ssize_t k = 1; k < n; k++) equal |= (Bytes) (here == wanted[k]);
        return lowest_bits(&equal) | lowest_bits((const char *) &equal + 8) << 8;
    }

    static inline unsigned equal_words(const uint16_t *variable, const uint16_t *wanted, Py_ssize_t n) {
        unsigned bits = 0;
        for (int half = 0; half < 2; half++) {
            const Words here = *(const Words *) (variable + 8 * half);
            Words equal = (Words) (here == wanted[0]);
            for (Py_ssize_t k = 1; k < n; k++) equal |= (Words) (here == wanted[k]);
            const HalfBytes narrow = __builtin_convertvector(equal, HalfBytes);
            bits |= lowest_bits(&narrow) << 8 * half;
        }
        return bits;
    }

    /* Write the positions of the ones among 16 bits, counted from `first`; return their number. */
    static inline Py_ssize_t put_places(uint16_t *places, unsigned bits, Py_ssize_t first) {
        const unsigned low = bits & 0xFF, high = bits >> 8;
        *(Words *) places = *(const Words *) PLACES_OF[low] + (uint16_t) first;
        *(Words *) (places + ONES_OF[low]) = *(const Words *) PLACES_OF[high] + (uint16_t) (first + 8);
        return ONES_OF[low] + ONES_OF[high];
    }
    """
    unsigned int equal_bytes(const uint8_t* variable, const uint8_t* wanted, Py_ssize_t n) noexcept nogil
    unsigned int equal_words(const uint16_t* variable, const uint16_t* wanted, Py_ssize_t n) noexcept nogil
    Py_ssize_t put_places(uint16_t* places, unsigned int bits, Py_ssize_t first) noexcept nogil


cdef inline Py_ssize_t chosen_events(
    const index_t* variable, Py_ssize_t count, const index_t* wanted, Py_ssize_t n_wanted, uint16_t* places
) noexcept nogil:
    """Write the positions of the events of wanted variables, and return their number.

    Up to `OVER` positions after the last one may be overwritten.
    """
    cdef Py_ssize_t i, k, whole = count & ~15, found = 0
    cdef unsigned int bits = 0
    for i in range(0, whole, 16):
        if index_t is uint8_t:
            bits = equal_bytes(variable + i, wanted, n_wanted)
        else:
            bits = equal_words(variable + i, wanted, n_wanted)
        found += put_places(places + found, bits, i)
    bits = 0
    for i in range(count - whole):
        for k in range(n_wanted):
            bits |= <unsigned int> (variable[whole + i] == wanted[k]) << i
    return found + put_places(places + found, bits, whole)
