"""One step of a uniformised chain over joint states, without its matrix.

The vector has one number per joint state of the free variables, in C order. Its last variables, the low
ones, form contiguous blocks that fit in the first cache; a block has one state of each of the others, the
high ones. A step multiplies the vector by I + Q/Λ: a joint state keeps the share `stay`, and each variable
adds what comes from its other states. The share that comes depends on the variable's parents: on the high
ones by the number of the block, on the low ones by the place in it, along which the shares are stored as a
vector.

Every number is a sum of products of numbers that are not negative, in a fixed order, so small probabilities
keep their relative accuracy, and threads, which divide the blocks, do not change a bit.
"""

from libc.stdint cimport int32_t, int64_t

cdef struct Move:
    int64_t n_states
    int64_t stride      # between states of the variable: in a block if it is low, in blocks if it is high
    int64_t low         # whether it is a low variable
    int64_t shares      # where its shares begin
    int64_t width       # how many there are per configuration of high parents: after these they repeat
    int64_t gather      # where its slice of `places` begins; −1 if shares are stored along the block
    int64_t n_low       # if gathered: the number of configurations of low parents


# In C for two things that Cython cannot say: that the arrays do not overlap, and that a function is to be
# compiled for wider vectors too, chosen when the program starts. Sums and products are the same bits at any
# width.
cdef extern from *:
    """
    #if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) \\
        && !defined(__SANITIZE_ADDRESS__)
    #define WIDE __attribute__((target_clones("avx2", "default")))
    #else
    #define WIDE
    #endif

    typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
    typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

    /* out[i] += source[i] * share[i], with shares that repeat after `width` numbers */
    WIDE static void add_vector(
        double *restrict out, const double *restrict source, const double *restrict share,
        int64_t n, int64_t width
    ) {
        for (int64_t i = 0; i < n; i += width)
            for (int64_t k = 0; k < width; k++) out[i + k] += source[i + k] * share[k];
    }

    WIDE static void add_scaled(
        double *restrict out, const double *restrict source, double share, int64_t n
    ) {
        for (int64_t i = 0; i < n; i++) out[i] += source[i] * share;
    }

    /* Add what comes from the state `shift` further on, within a block: c states, s numbers apart. */
    WIDE static void add_low(
        double *restrict out, const double *restrict source, const double *restrict share,
        int64_t n, int64_t width, int64_t c, int64_t s, int64_t shift
    ) {
        for (int64_t end = width; end <= n; end += width, out += width, source += width) {
            if (c == 2 && s == 1) {
                for (int64_t i = 0; i < width; i += 2) {
                    double a = source[i + 1] * share[i], b = source[i] * share[i + 1];
                    out[i] += a;
                    out[i + 1] += b;
                }
            } else if (c == 2 && s == 2) {
                for (int64_t i = 0; i < width; i += 4) {
                    pair first = *(const pair *) (source + i), second = *(const pair *) (source + i + 2);
                    *(pair *) (out + i) += second * *(const pair *) (share + i);
                    *(pair *) (out + i + 2) += first * *(const pair *) (share + i + 2);
                }
            } else if (c == 2 && s % 4 == 0) {
                for (int64_t i = 0; i < width; i += 2 * s)
                    for (int64_t k = i; k < i + s; k += 4) {
                        quad first = *(const quad *) (source + k), second = *(const quad *) (source + k + s);
                        *(quad *) (out + k) += second * *(const quad *) (share + k);
                        *(quad *) (out + k + s) += first * *(const quad *) (share + k + s);
                    }
            } else {
                for (int64_t i = 0; i < width; i += c * s)
                    for (int64_t x = 0; x < c; x++) {
                        int64_t y = x + shift < c ? x + shift : x + shift - c;
                        for (int64_t k = 0; k < s; k++)
                            out[i + x * s + k] += source[i + y * s + k] * share[i + x * s + k];
                    }
            }
        }
    }
    """
    void add_vector(
        double* out, const double* source, const double* share, int64_t n, int64_t width
    ) noexcept nogil
    void add_scaled(double* out, const double* source, double share, int64_t n) noexcept nogil
    void add_low(
        double* out, const double* source, const double* share,
        int64_t n, int64_t width, int64_t c, int64_t s, int64_t shift,
    ) noexcept nogil


cdef class Stepper:
    """The layout of a chain (see `generator`), and its steps."""

    cdef const Move[::1] moves
    cdef const int32_t[:, ::1] configurations  # of its high parents, for each move and block
    cdef const int32_t[::1] places
    cdef const double[::1] stay, shares
    cdef readonly int64_t block, n_blocks

    def __init__(self, moves, configurations, places, stay, shares, int64_t block):
        self.moves, self.configurations, self.places = moves, configurations, places
        self.stay, self.shares = stay, shares
        self.block = block
        self.n_blocks = len(stay) // block

    def step(
        self, const double[::1] source, double[::1] out, double[::1] total, double weight,
        double[::1] scratch, int64_t first, int64_t last,
    ):
        """Write blocks `first` to `last` of the next vector to `out`, and add `weight` times them to `total`.

        `scratch` has the length of a block. With weight 0, nothing is added.
        """
        cdef int64_t h, i, n = self.block
        cdef double* o
        with nogil:
            for h in range(first, last):
                self.one_block(&source[0], &out[0], &scratch[0], h)
                if weight != 0:
                    o = &out[h * n]
                    for i in range(n):
                        total[h * n + i] += weight * o[i]

    cdef void one_block(self, const double* source, double* out, double* scratch, int64_t h) noexcept nogil:
        cdef int64_t n = self.block, i, k, configuration, row, x, y, m
        cdef const Move* move
        cdef const double* share
        cdef const double* table
        cdef const double* own = source + h * n
        cdef int64_t width
        cdef double* o = out + h * n
        cdef const double* stay = &self.stay[h * n]
        for i in range(n):
            o[i] = own[i] * stay[i]
        for m in range(self.moves.shape[0]):
            move = &self.moves[m]
            configuration = self.configurations[m, h]
            x = 0 if move.low else (h // move.stride) % move.n_states
            for k in range(1, move.n_states):
                row = configuration * (move.n_states - 1) + k - 1
                width = move.width
                if move.gather < 0:
                    share = &self.shares[move.shares + row * width]
                else:
                    table = &self.shares[move.shares + row * move.n_low]
                    for i in range(n):
                        scratch[i] = table[self.places[move.gather + i]]
                    share = scratch
                if move.low:
                    add_low(o, own, share, n, width, move.n_states, move.stride, k)
                    continue
                y = x + k
                y -= move.n_states if y >= move.n_states else 0
                if width > 1:
                    add_vector(o, own + (y - x) * move.stride * n, share, n, width)
                elif share[0] != 0:
                    add_scaled(o, own + (y - x) * move.stride * n, share[0], n)
