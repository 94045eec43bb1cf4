"""The shape of Gamma-distributed rates that the spread of the counts in a table suggests."""


cdef inline double moment_shape(
    const double* values, Py_ssize_t rows, Py_ssize_t c, const double* rates
) noexcept nogil:
    """Σ E² / Σ [(M − E)² − M], the shape that the spread of counts suggests.

    Negative if there is no excess spread.
    """
    cdef double time, m, e, square = 0, excess = 0
    cdef Py_ssize_t _u, x, y
    cdef const double* row = values
    for _u in range(rows):
        for x in range(c):
            time = row[0]
            if time > 0:
                for y in range(c):
                    e = rates[x * c + y] * time
                    if e > 0:
                        m = row[1 + y]
                        square += e * e
                        excess += (m - e) * (m - e) - m
            row += c + 1
    return square / excess if excess > 0 else -1
