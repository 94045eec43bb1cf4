"""What the scans share: events as bare pointers, time in ticks, sums over groups of variables."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t

from ctbnlab.data._check cimport CheckedEvents

ctypedef fused index_t:
    uint8_t
    uint16_t


# How events follow each other: one at a time, or several at one instant, all of which are counted under the
# state just before it. Every loop is compiled for both, so that data without ties pay nothing.
cdef struct Separate:
    char unused


cdef struct Together:
    char unused


ctypedef fused order_t:
    Separate
    Together


cdef struct Events:
    Py_ssize_t n_trajectories
    Py_ssize_t n_variables
    const int64_t* begin
    const int64_t* stop
    const double* start
    const double* end
    const uint8_t* initial
    const double* time
    const uint8_t* old
    const uint8_t* new
    double scale
    bint tied  # whether events may share an instant


cdef inline int64_t ticks(double time, double start, double scale) noexcept nogil:
    return <int64_t> ((time - start) * scale)


cdef inline Py_ssize_t event_at(
    const index_t* variable, const double* time, Py_ssize_t wanted, Py_ssize_t first, Py_ssize_t stop
) noexcept nogil:
    """The event of a variable at the instant of the event `first`, or −1."""
    cdef Py_ssize_t e = first
    while e < stop and time[e] == time[first]:
        if variable[e] == wanted:
            return e
        e += 1
    return -1


cdef inline int64_t with_state(
    const int64_t* numbers, Py_ssize_t stride, int64_t n_cells,
    int64_t step, int64_t cardinality, int64_t state,
) noexcept nogil:
    """The sum of a group's numbers, `stride` apart, in which one of its variables is in a given state."""
    cdef int64_t k = state * step, within
    cdef uint64_t total = 0  # sums of moments wrap around, which only unsigned integers may
    while k < n_cells:
        for within in range(step):
            total += <uint64_t> numbers[(k + within) * stride]
        k += step * cardinality
    return <int64_t> total


cdef class EventScan:
    cdef Events data
    cdef CheckedEvents events
    cdef const int32_t[::1] cardinalities
    cdef const uint8_t* narrow
    cdef const uint16_t* wide
