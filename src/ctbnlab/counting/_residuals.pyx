"""What a target does against what its rates say: one scan for all residuals that the model checks need.

A cell is a parent configuration and a state of the target, with one exit rate. The integrated rate of a
stretch of time is the number of transitions to expect in it. The scan adds it up by cell and by period: of
the integrated rate since the target's last change, of time since entry, and of time itself; and counts the
transitions in the same places. While the target or a parent is unobserved nothing counts, and how long the
target has been in its state is unknown until its next change.

If several variables change at one instant, the cell of a transition is that just before it.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t

from ctbnlab.counting._scan cimport Events, EventScan, index_t
from ctbnlab.counting._table_rows cimport row_of


cdef struct Periods:
    Py_ssize_t n            # of periods
    const double* cuts      # n − 1 of them, increasing
    double* expected        # [cell, period]
    double* observed        # [cell, period]


cdef struct Model:
    Py_ssize_t target
    int64_t c                       # states of the target
    const int64_t* steps            # distance between two states of a parent; −1 for variables that are none
    const int64_t* configurations   # those that have a row, increasing; NULL if all have
    int64_t n_rows
    const double* rate              # [row, x]: the exit rate; below 0 if unobserved
    const double* weight            # of each trajectory: its rates are multiplied by this
    const double* total             # [row, x]: transitions, for the variance of estimated rates


cdef struct Spread:
    double* touched                 # [cell]: integrated rate in this trajectory
    int64_t* cells                  # those touched in this trajectory
    Py_ssize_t n_cells
    double* first_moment            # [cell]: ∫ M dA
    double second_moment            # ∫ M² dA
    double estimated                # Σ (integrated rate in a trajectory and cell)² / transitions of the cell


cdef inline Py_ssize_t spend(
    const Periods* periods, Py_ssize_t p, int64_t cell, double since, double until, double rate
) noexcept nogil:
    """Add the integrated rate of a stretch to the periods that it crosses; return the last of them."""
    cdef double* expected = periods.expected + cell * periods.n
    while p < periods.n - 1 and until > periods.cuts[p]:
        if periods.cuts[p] > since:
            expected[p] += (periods.cuts[p] - since) * rate
            since = periods.cuts[p]
        p += 1
    expected[p] += (until - since) * rate
    return p


cdef void scan_residuals(
    const Events* data, const index_t* variable, const Model* model, const Periods* own,
    const Periods* entry, const Periods* clock, Spread* spread, double* observed, double* expected,
) noexcept nogil:
    cdef Py_ssize_t t, e, j, n = data.n_variables, p_own, p_entry, p_clock
    cdef int64_t c = model.c, key, row, before, cell, x
    cdef double last, now, instant, rate, hazard, martingale, since_change
    cdef bint known  # whether the time since the target's last change is
    for t in range(data.n_trajectories):
        key = 0
        for j in range(n):
            if model.steps[j] > 0:
                key += data.initial[t * n + j] * model.steps[j]
        row = before = row_of(model.configurations, model.n_rows, key)
        x = data.initial[t * n + model.target]
        last = instant = data.start[t]
        martingale = since_change = 0.0
        p_own = p_entry = p_clock = 0
        known = False
        spread.n_cells = 0
        for e in range(data.begin[t], data.stop[t] + 1):
            if e < data.stop[t]:
                j = variable[e]
                if j != model.target and model.steps[j] < 0:
                    continue
                now = data.time[e]
            else:
                now = data.end[t]
            if now > last:
                cell = row * c + x
                rate = model.rate[cell] if row >= 0 and x < c else -1.0
                if rate < 0:
                    known = False
                elif rate > 0:
                    rate *= model.weight[t]
                    hazard = rate * (now - last)
                    if known:
                        p_own = spend(own, p_own, cell, since_change, since_change + hazard, 1.0)
                        since_change += hazard
                    p_entry = spend(
                        entry, p_entry, cell, last - data.start[t], now - data.start[t], rate
                    )
                    p_clock = spend(clock, p_clock, cell, last, now, rate)
                    spread.second_moment += (martingale**3 - (martingale - hazard)**3) / 3
                    spread.first_moment[cell] += martingale * hazard - hazard * hazard / 2
                    martingale -= hazard
                    expected[t] += hazard
                    if spread.touched[cell] == 0:
                        spread.cells[spread.n_cells] = cell
                        spread.n_cells += 1
                    spread.touched[cell] += hazard
                last = now
            if e == data.stop[t]:
                break
            if data.time[e] != instant or not data.tied:
                instant = data.time[e]
                before = row
            if j == model.target:
                cell = before * c + x
                if before >= 0 and x < c and data.new[e] < c and model.rate[cell] >= 0:
                    # The first stretch in a cell may have been of no length: places are found from cuts.
                    if known:
                        own.observed[cell * own.n + p_own] += 1
                    p_entry = spend(entry, p_entry, cell, now - data.start[t], now - data.start[t], 0.0)
                    p_clock = spend(clock, p_clock, cell, now, now, 0.0)
                    entry.observed[cell * entry.n + p_entry] += 1
                    clock.observed[cell * clock.n + p_clock] += 1
                    martingale += 1
                    observed[t] += 1
                known = x < c and data.new[e] < c
                since_change = 0.0
                p_own = 0
                x = data.new[e]
            else:
                key += (<int64_t> data.new[e] - data.old[e]) * model.steps[j]
                row = row_of(model.configurations, model.n_rows, key)
        for j in range(spread.n_cells):
            cell = spread.cells[j]
            if model.total[cell] > 0:
                spread.estimated += spread.touched[cell]**2 / model.total[cell]
            spread.touched[cell] = 0


def residuals(
    EventScan scan,
    int target,
    const int32_t[::1] parents,
    const int64_t[::1] configurations,
    const double[:, ::1] rates,
    const double[:, ::1] totals,
    const double[::1] weights,
    const double[::1] own_cuts,
    const double[::1] entry_cuts,
    const double[::1] clock_cuts,
):
    """Return (own, entry, clock, observed, expected, moments) of a target under exit rates.

    `rates[row, x]` are exit rates, below 0 for a row with an unobserved parent; `configurations` are those of
    the rows, in order, or empty if all have one. Each of `own`, `entry` and `clock` is [observed and
    expected, cell, period]. `observed` and `expected` have a number per trajectory. `moments` are
    ∫ M dA by cell, ∫ M² dA and the part of the expected that is due to estimated rates, where M is the
    martingale of one trajectory and A the integrated rate.
    """
    cdef Py_ssize_t n = scan.data.n_variables, k
    cdef int64_t c = rates.shape[1]
    cdef Py_ssize_t n_cells = rates.shape[0] * c
    if not 0 <= target < n or scan.n_codes(target) - c not in (0, 1) or rates.shape[0] < 1:
        raise ValueError("the rates are not those of this target")
    if totals.shape[0] != rates.shape[0] or totals.shape[1] != rates.shape[1]:
        raise ValueError("there is not one number of transitions per rate")
    if weights.shape[0] != scan.data.n_trajectories:
        raise ValueError("there is not one weight per trajectory")
    step_array, n_rows = scan.steps(parents, 1)
    if rates.shape[0] != (configurations.shape[0] or n_rows):
        raise ValueError("there is not one rate per configuration")
    steps_array = np.full(n, -1, np.int64)
    for k in range(parents.shape[0]):
        steps_array[parents[k]] = step_array[parents[k]]
    cdef int64_t[::1] steps = steps_array
    cdef double[:, :, ::1] own_table = np.zeros((2, n_cells, own_cuts.shape[0] + 1))
    cdef double[:, :, ::1] entry_table = np.zeros((2, n_cells, entry_cuts.shape[0] + 1))
    cdef double[:, :, ::1] clock_table = np.zeros((2, n_cells, clock_cuts.shape[0] + 1))
    cdef double[:, ::1] numbers = np.zeros((2, scan.data.n_trajectories + 1))
    cdef double[::1] touched = np.zeros(n_cells), first_moment = np.zeros(n_cells)
    cdef int64_t[::1] cells = np.zeros(n_cells, np.int64)
    cdef Model model
    cdef Spread spread
    cdef Periods own, entry, clock
    model.target, model.c, model.steps, model.n_rows = target, c, &steps[0], rates.shape[0]
    model.configurations = &configurations[0] if configurations.shape[0] else NULL
    model.rate, model.total = &rates[0, 0], &totals[0, 0]
    model.weight = &weights[0] if weights.shape[0] else NULL
    own.n, own.cuts = own_cuts.shape[0] + 1, &own_cuts[0] if own_cuts.shape[0] else NULL
    entry.n, entry.cuts = entry_cuts.shape[0] + 1, &entry_cuts[0] if entry_cuts.shape[0] else NULL
    clock.n, clock.cuts = clock_cuts.shape[0] + 1, &clock_cuts[0] if clock_cuts.shape[0] else NULL
    own.observed, own.expected = &own_table[0, 0, 0], &own_table[1, 0, 0]
    entry.observed, entry.expected = &entry_table[0, 0, 0], &entry_table[1, 0, 0]
    clock.observed, clock.expected = &clock_table[0, 0, 0], &clock_table[1, 0, 0]
    spread.touched, spread.cells, spread.first_moment = &touched[0], &cells[0], &first_moment[0]
    spread.second_moment = spread.estimated = 0
    with nogil:
        if scan.wide:
            scan_residuals(
                &scan.data, scan.wide, &model, &own, &entry, &clock, &spread, &numbers[0, 0], &numbers[1, 0]
            )
        else:
            scan_residuals(
                &scan.data, scan.narrow, &model, &own, &entry, &clock, &spread, &numbers[0, 0], &numbers[1, 0]
            )
    moments = np.asarray(first_moment), float(spread.second_moment), float(spread.estimated)
    found = np.asarray(numbers)[:, :-1]
    tables = np.asarray(own_table), np.asarray(entry_table), np.asarray(clock_table)
    return *tables, found[0], found[1], moments
