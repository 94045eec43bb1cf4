"""The row of a parent configuration in a table that may have rows only for those that occur."""

from libc.stdint cimport int64_t


cdef inline int64_t row_of(const int64_t* configurations, int64_t n_rows, int64_t key) noexcept nogil:
    """The place of a key among increasing ones, −1 if it is not there; the key itself if they are NULL."""
    cdef int64_t low = 0, high = n_rows, middle
    if configurations == NULL:
        return key
    while low < high:
        middle = (low + high) // 2
        if configurations[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < n_rows and configurations[low] == key else -1
