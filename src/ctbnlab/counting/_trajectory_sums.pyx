"""A sum for each trajectory: of numbers per unit of time and per transition of a target, by cell.

Cells are as in `_residuals`: a row of a table of parent configurations, and a state of the target.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t

from ctbnlab.counting._scan cimport Events, EventScan, index_t
from ctbnlab.counting._table_rows cimport row_of


cdef struct Values:
    Py_ssize_t target
    int64_t c
    const int64_t* steps            # distance between two states of a parent; −1 for variables that are none
    const int64_t* configurations   # those that have a row, increasing; NULL if all have
    int64_t n_rows
    const double* per_time          # [row, x]
    const double* per_transition    # [row, x, x']


cdef void scan_sums(
    const Events* data, const index_t* variable, const Values* values, double* sums
) noexcept nogil:
    cdef Py_ssize_t t, e, j, n = data.n_variables
    cdef int64_t c = values.c, key, row, before, x
    cdef double last, now, instant
    for t in range(data.n_trajectories):
        key = 0
        for j in range(n):
            if values.steps[j] > 0:
                key += data.initial[t * n + j] * values.steps[j]
        row = before = row_of(values.configurations, values.n_rows, key)
        x = data.initial[t * n + values.target]
        last = instant = data.start[t]
        for e in range(data.begin[t], data.stop[t] + 1):
            if e < data.stop[t]:
                j = variable[e]
                if j != values.target and values.steps[j] < 0:
                    continue
                now = data.time[e]
            else:
                now = data.end[t]
            if row >= 0 and x < c:
                sums[t] += values.per_time[row * c + x] * (now - last)
            last = now
            if e == data.stop[t]:
                break
            if now != instant or not data.tied:
                instant = now
                before = row
            if j == values.target:
                if before >= 0 and x < c and data.new[e] < c:
                    sums[t] += values.per_transition[(before * c + x) * c + data.new[e]]
                x = data.new[e]
            else:
                key += (<int64_t> data.new[e] - data.old[e]) * values.steps[j]
                row = row_of(values.configurations, values.n_rows, key)


def trajectory_sums(
    EventScan scan,
    int target,
    const int32_t[::1] parents,
    const int64_t[::1] configurations,
    const double[:, ::1] per_time,
    const double[:, :, ::1] per_transition,
):
    """Return Σ time · `per_time[row, x]` + Σ transitions `per_transition[row, x, x']` of each trajectory.

    `configurations` are those of the rows, in order, or empty if all have a row.
    """
    cdef Py_ssize_t n = scan.data.n_variables, k
    cdef int64_t c = per_time.shape[1]
    if not 0 <= target < n or scan.n_codes(target) - c not in (0, 1) or per_time.shape[0] < 1:
        raise ValueError("the numbers are not those of this target")
    if (
        per_transition.shape[0] != per_time.shape[0]
        or per_transition.shape[1] != c
        or per_transition.shape[2] != c
    ):
        raise ValueError("there is not one number per transition")
    step_array, n_rows = scan.steps(parents, 1)
    if per_time.shape[0] != (configurations.shape[0] or n_rows):
        raise ValueError("there is not one row per configuration")
    steps_array = np.full(n, -1, np.int64)
    for k in range(parents.shape[0]):
        steps_array[parents[k]] = step_array[parents[k]]
    cdef int64_t[::1] steps = steps_array
    cdef double[::1] sums = np.zeros(scan.data.n_trajectories + 1)
    cdef Values values
    values.target, values.c, values.steps, values.n_rows = target, c, &steps[0], per_time.shape[0]
    values.configurations = &configurations[0] if configurations.shape[0] else NULL
    values.per_time, values.per_transition = &per_time[0, 0], &per_transition[0, 0, 0]
    with nogil:
        if scan.wide:
            scan_sums(&scan.data, scan.wide, &values, &sums[0])
        else:
            scan_sums(&scan.data, scan.narrow, &values, &sums[0])
    return np.asarray(sums)[:-1]
