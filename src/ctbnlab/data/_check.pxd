"""Events that are known to be consistent, as other compiled modules take them."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t


cdef class CheckedEvents:
    cdef readonly object begin, stop, start, end, initial, time, variable, old, new, cardinalities
    cdef const int64_t[::1] begins
    cdef const int64_t[::1] stops
    cdef const double[::1] starts
    cdef const double[::1] ends
    cdef const uint8_t[:, ::1] initials
    cdef const double[::1] times
    cdef readonly bint tied  # whether several variables change at one instant
    cdef bint is_wide  # whether variables have two bytes; only one of the next two is set
    cdef const uint8_t[::1] narrow
    cdef const uint16_t[::1] wide
    cdef const uint8_t[::1] olds
    cdef const uint8_t[::1] news
    cdef const int32_t[::1] counts
