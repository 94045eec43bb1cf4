"""The cells of pairs, additions to them, and what the kernel knows of each variable."""

from libc.stdint cimport int32_t, int64_t, uint64_t

cdef enum:
    BYTES = 8               # groups of a word
    CELLS = BYTES * 256     # a word's cells


cdef extern from *:
    """
    typedef struct { uint64_t moments, moves; } Cell;

    #if defined(__GNUC__)
    #define fetch __builtin_prefetch
    #else
    #define fetch(address)
    #endif

    #if defined(__GNUC__)
    /* Compilers do not find that both can be added by one instruction. */
    typedef uint64_t Both __attribute__((vector_size(16), aligned(8), may_alias));
    static inline void add_by_bytes(
        Cell *cells, const int64_t *first, Py_ssize_t n, uint64_t word, uint64_t moment, uint64_t moves
    ) {
        const Both step = {moment, moves};
        for (Py_ssize_t j = 0; j < n; j++, word >>= 8) *(Both *)(cells + first[j] + (word & 0xFF)) += step;
    }
    static inline Cell folded(Cell *into, const Cell *from, Py_ssize_t n) {
        Both sum = {0, 0};
        for (Py_ssize_t j = 0; j < n; j++) {
            const Both cell = *(const Both *)(from + j);
            *(Both *)(into + j) += cell;
            sum += cell;
        }
        return (Cell){sum[0], sum[1]};
    }
    #else
    static inline void add_by_bytes(
        Cell *cells, const int64_t *first, Py_ssize_t n, uint64_t word, uint64_t moment, uint64_t moves
    ) {
        for (Py_ssize_t j = 0; j < n; j++, word >>= 8) {
            cells[first[j] + (word & 0xFF)].moments += moment;
            cells[first[j] + (word & 0xFF)].moves += moves;
        }
    }
    static inline Cell folded(Cell *into, const Cell *from, Py_ssize_t n) {
        Cell sum = {0, 0};
        for (Py_ssize_t j = 0; j < n; j++) {
            into[j].moments += from[j].moments;
            into[j].moves += from[j].moves;
            sum.moments += from[j].moments;
            sum.moves += from[j].moves;
        }
        return sum;
    }
    #endif
    """
    void fetch(const void* address) noexcept nogil

    ctypedef struct Cell:
        uint64_t moments
        uint64_t moves

    void add_by_bytes(
        Cell* cells, const int64_t* first, Py_ssize_t n, uint64_t word, uint64_t moment, uint64_t moves
    ) noexcept nogil
    # Adds `source` to `into`, and returns its sum.
    Cell folded(Cell* into, const Cell* source, Py_ssize_t n) noexcept nogil


cdef struct Member:
    bint is_target
    int64_t cardinality
    int64_t column        # first column of its states
    int64_t in_group      # distance between the cells of two of its states
    uint64_t in_word      # the same distance in the word of its group
    Py_ssize_t word
    Py_ssize_t n_words    # that its events keep: all for a target, for others those that have a target
    Py_ssize_t n_rows     # one per old and new state of a target; one per state of another variable
    Py_ssize_t size       # numbers per event: moment, words and, if variables change together, those before
    uint64_t* buffers     # [row, event, number]
    Cell* cells           # [row, cell] if there is one word only, instead of buffers
    int32_t* n_kept       # number of events in each row's buffer
    uint64_t* times       # [state, column]
    int64_t next_times    # distance between two states in it
    int64_t n_columns     # columns of the words that its events keep
    uint64_t* moves       # [old · c + new, column] of a target


cdef struct Words:
    Py_ssize_t count
    Py_ssize_t n_groups
    bint tied
    const Member** members  # those of a group one after the other, the slowest last
    const int64_t* ends     # number of members up to the end of each group
    const int64_t* cells    # first cell of each group in its word
    const int64_t* sizes    # number of cells of each group
    Cell* sums              # scratch: the cells of a word
    uint64_t* moments       # scratch: sums by column
    uint64_t* moves
    int32_t buffered        # events of a full buffer
    bint direct             # whether events are added to the cells of their row at once
    int64_t width           # cells of that row
