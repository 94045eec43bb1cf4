from libc.stdint cimport int64_t

ctypedef fused number_t:
    int64_t
    double

cdef void add_states(
    const number_t* source, number_t* out, Py_ssize_t outer, Py_ssize_t states, Py_ssize_t inner
) noexcept nogil

cdef void write_block(
    const int64_t* source, Py_ssize_t stride, Py_ssize_t c, double tick, double* out
) noexcept nogil
