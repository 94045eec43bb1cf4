"""Tail probabilities for compiled code; see `_special.pyx`."""

cdef double f_tail(double f, double d1, double d2, bint upper) noexcept nogil
cdef double f_two_sided(double f, double d1, double d2) noexcept nogil
cdef bint f_bracket(double f, double d1, double d2, double* low, double* high) noexcept nogil
cdef double chi2_tail(double x, double df, bint upper) noexcept nogil
cdef double kolmogorov_tail(double square, bint series) noexcept nogil
