"""ln Γ(x) that threads can call at the same time: C's plain lgamma writes the sign to a global variable."""

cdef extern from "math.h" nogil:
    double lgamma_r(double x, int* sign)


cdef inline double log_gamma(double x) noexcept nogil:
    cdef int sign
    return lgamma_r(x, &sign)
