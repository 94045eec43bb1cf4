"""A test over the whole table of W = S ∪ {Y}, in one call.

The order is the paper's: configurations s of the separating set, values y of the candidate, states x of the
target; for each (s, y) the waiting times of all x and then the transitions of all x. A decision stops at the
first rejection. Most comparisons are settled without a distribution function: F by bounds on its tail, χ² and
Kolmogorov–Smirnov by critical values found once.

A `TableTester` holds the rules of a test and never changes; what one run needs is in a `Run` on its stack. So
threads can share a test.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ctbnlab.learning.independence._comparisons cimport (
    CHI2, EVERY, FIRST, KS, NOTHING, OFF, TABLED, Comparison, Rules, block_exits, bounds,
    compare_transitions, compare_waiting, level, normal_p, p_value, rejects,
)

from ctbnlab.learning.independence._special import chi2_critical, kolmogorov_critical, normal_critical

# Verdicts below 0; from 0 on a verdict is the p-value of the comparison that rejected.
cdef double _INDEPENDENT = -1, _RULE_OF_THUMB = -2, _FIXED = -3
INDEPENDENT, RULE_OF_THUMB, FIXED = _INDEPENDENT, _RULE_OF_THUMB, _FIXED

cdef enum:
    MAX_STATES = 256

_KINDS = {None: NOTHING, "chi2": CHI2, "ks": KS}
_RULES = {"off": OFF, "every": EVERY, "first": FIRST}
_NAMES = ("nothing", "waiting time", "chi2", "ks")

ctypedef const double* Block


cdef struct Run:
    int c                       # states of the target
    int c_y                     # states of the candidate
    int64_t cells               # configurations (s, y)
    int64_t n_s                 # configurations s
    int64_t inner               # configurations of the parents after the candidate
    Py_ssize_t block            # numbers of a configuration
    bint complete               # make all comparisons, not only up to the first rejection
    double largest              # p-values up to this one need not be exact
    double* total               # the block of s
    double* rest                # the block of s without y
    Block[MAX_STATES] row       # the block of each y in the present s; NULL: not in the table
    bint[MAX_STATES] seen       # the values of y that occur; filled in if complete
    Comparison best
    double best_ratio           # p / alpha of the best
    int64_t made                # comparisons


cdef class TableTester:
    """The comparisons to make, their levels and conventions."""

    cdef Rules rules
    cdef readonly tuple arguments

    def __init__(self, waiting, transitions, double alpha_transitions, conventions):
        cdef int degrees
        self.arguments = (waiting, transitions, alpha_transitions, conventions)
        memset(&self.rules, 0, sizeof(Rules))
        self.rules.waiting = waiting is not None
        self.rules.alpha_waiting = 1 if waiting is None else waiting
        self.rules.transitions = _KINDS[transitions]
        self.rules.alpha_transitions = alpha_transitions
        self.rules.rule = _RULES[conventions.rule_of_thumb] if transitions == "chi2" else OFF
        self.rules.against_rest = conventions.against == "rest"
        self.rules.columns = conventions.ks_divides == "columns"
        self.rules.series = conventions.ks_tail == "series"
        self.rules.left_out = conventions.empty_bins == "left-out"
        self.rules.fewer = conventions.chi2_degrees == "bins-1"
        self.rules.pseudo_count = conventions.pseudo_count
        self.rules.pseudo_time = conventions.pseudo_time
        self.rules.degrees = conventions.degrees_per_transition
        self.rules.threshold = conventions.threshold
        self.rules.ks_pseudo = conventions.ks_pseudo_count
        self.rules.normal_level = normal_critical(self.rules.alpha_waiting / 2)
        # Close to 0 the bounds' roots lose digits; only levels near 1 reach there.
        self.rules.bracket = self.rules.normal_level > 0.05
        if transitions == "ks":
            self.rules.ks_level = kolmogorov_critical(alpha_transitions, self.rules.series)
        for degrees in range(1, TABLED + 1 if transitions == "chi2" else 1):
            self.rules.chi2_level[degrees] = chi2_critical(alpha_transitions, degrees)

    def __reduce__(self):
        return TableTester, self.arguments

    def verdicts(self, const double[:, :, ::1] values, configurations, cardinalities, axes, largest):
        """Return a verdict for each candidate, given by its axis among the table's parents.

        A p-value that cannot exceed the candidate's `largest` so far may be given as 0.
        """
        cdef Run run
        cdef list result = []
        begin(&run, values, cardinalities, False)
        if ruled_out(&self.rules, &run, values):
            return [_RULE_OF_THUMB] * len(axes)
        try:
            allocate(&run)
            for axis, p in zip(axes, largest):
                run.largest = p
                result.append(walk(&self.rules, &run, values, configurations, cardinalities, axis))
        finally:
            free(run.total)
        return result

    def compare(self, const double[:, :, ::1] values, configurations, cardinalities, int axis, bint complete):
        """Return (verdict, kind, statistic, d1, d2, p, s, y, x, comparisons made, in all, values of y seen).

        The comparison described is the one with the smallest p-value relative to its level if `complete`,
        otherwise the first that rejects.
        """
        cdef Run run
        cdef double verdict = _RULE_OF_THUMB
        cdef int y, seen = 0, levels
        begin(&run, values, cardinalities, complete)
        if not ruled_out(&self.rules, &run, values):
            try:
                allocate(&run)
                verdict = walk(&self.rules, &run, values, configurations, cardinalities, axis)
            finally:
                free(run.total)
        for y in range(run.c_y):
            seen += run.seen[y]
        levels = self.rules.waiting + (self.rules.transitions != NOTHING and run.c > 2)
        return (
            verdict, _NAMES[run.best.kind], run.best.statistic, run.best.d1, run.best.d2, run.best.p,
            run.best.s, run.best.y, run.best.x, run.made, int(run.cells) * (run.c * levels), seen,
        )


cdef int begin(Run* run, const double[:, :, ::1] values, cardinalities, bint complete) except -1:
    """Set what all candidates of a table have in common."""
    memset(run, 0, sizeof(Run))
    run.c = <int> values.shape[1]
    run.block = <Py_ssize_t> run.c * (run.c + 1)
    run.complete = complete
    run.largest = -1
    run.cells = 1
    for cardinality in cardinalities:
        run.cells *= <int64_t> cardinality
    return 0


cdef int allocate(Run* run) except -1:
    run.total = <double*> malloc(2 * run.block * sizeof(double))
    if run.total == NULL:
        raise MemoryError
    run.rest = run.total + run.block
    return 0


cdef bint ruled_out(const Rules* rules, const Run* run, const double[:, :, ::1] values) noexcept:
    """Whether the rule of thumb finds every (y, s) of the table too small."""
    cdef double bound
    cdef Py_ssize_t u
    if rules.rule != EVERY or run.c <= 2:
        return False
    bound = rules.threshold * (run.c - 1) * (run.c - 1) * run.cells
    for u in range(values.shape[0]):
        if block_exits(&values[u, 0, 0], run.c) >= bound:
            return False
    return bound > 0


cdef double walk(
    const Rules* rules, Run* run, const double[:, :, ::1] values, configurations, cardinalities, int axis
) except? -9:
    """Make the comparisons for one candidate; return the verdict."""
    cdef int k
    run.inner = 1
    for k in range(axis + 1, len(cardinalities)):
        run.inner *= <int64_t> cardinalities[k]
    run.c_y = cardinalities[axis]
    run.n_s = run.cells // run.c_y
    run.made = 0
    run.best_ratio = INFINITY
    memset(&run.best, 0, sizeof(Comparison))
    run.best.p = 1
    if configurations is None:
        return over_dense(rules, run, &values[0, 0, 0])
    # Rows of a sparse table in the order (s, y).
    numbers = np.asarray(configurations, np.int64)
    s = numbers // (run.inner * run.c_y) * run.inner + numbers % run.inner
    numbers = s * run.c_y + numbers // run.inner % run.c_y
    order = np.argsort(numbers, kind="stable").astype(np.int64)
    return over_sparse(rules, run, values, numbers[order], order)


cdef double over_dense(const Rules* rules, Run* run, const double* values) noexcept:
    cdef int64_t s, first
    cdef int y
    cdef double verdict
    for s in range(run.n_s):
        first = s // run.inner * run.inner * run.c_y + s % run.inner
        for y in range(run.c_y):
            run.row[y] = values + (first + y * run.inner) * run.block
        if stratum(rules, run, s, &verdict):
            return verdict
    return conclusion(run)


cdef double over_sparse(
    const Rules* rules, Run* run, const double[:, :, ::1] values, const int64_t[::1] keys,
    const int64_t[::1] rows,
) noexcept:
    cdef int64_t s, expected = 0
    cdef Py_ssize_t k = 0
    cdef int y
    cdef double verdict
    while k < keys.shape[0]:
        s = keys[k] // run.c_y
        if s > expected and too_few(rules, run, 0):
            return _FIXED
        for y in range(run.c_y):
            run.row[y] = NULL
        while k < keys.shape[0] and keys[k] // run.c_y == s:
            run.row[keys[k] % run.c_y] = &values[rows[k], 0, 0]
            k += 1
        if stratum(rules, run, s, &verdict):
            return verdict
        expected = s + 1
    if expected < run.n_s and too_few(rules, run, 0):
        return _FIXED
    return conclusion(run)


cdef bint too_few(const Rules* rules, const Run* run, double exits_of_s) noexcept:
    """The rule of thumb that fixes an arc for later levels; it applies only while nothing was rejected."""
    if rules.rule != FIRST or run.c <= 2 or run.best_ratio < 1:
        return False
    return exits_of_s < rules.threshold * (run.c - 1) * (run.c - 1) * run.cells


cdef double conclusion(const Run* run) noexcept:
    return run.best.p if run.best_ratio < 1 else _INDEPENDENT


cdef void add_block(double* sums, const double* block, Py_ssize_t n) noexcept:
    cdef Py_ssize_t i
    for i in range(n):
        sums[i] += block[i]


cdef bint stratum(const Rules* rules, Run* run, int64_t s, double* verdict) noexcept:
    """Make the comparisons in one s; True if they settle the verdict."""
    cdef int y, z, x
    cdef const double* other = run.total
    memset(run.total, 0, run.block * sizeof(double))
    for y in range(run.c_y):
        if run.row[y] != NULL:
            add_block(run.total, run.row[y], run.block)
    if too_few(rules, run, block_exits(run.total, run.c)):
        verdict[0] = _FIXED
        return True
    for y in range(run.c_y):
        if run.row[y] == NULL:
            continue
        if run.complete:
            for x in range(run.c):
                run.seen[y] |= run.row[y][<Py_ssize_t> x * (run.c + 1)] > 0
        if rules.against_rest:
            # Summed, not subtracted: a difference of times would lose digits.
            memset(run.rest, 0, run.block * sizeof(double))
            for z in range(run.c_y):
                if z != y and run.row[z] != NULL:
                    add_block(run.rest, run.row[z], run.block)
            other = run.rest
        if cell(rules, run, other, s, y):
            verdict[0] = run.best.p
            return True
    return False


cdef bint cell(const Rules* rules, Run* run, const double* other, int64_t s, int y) noexcept:
    """Make the comparisons of one (s, y); True if one rejects and that is all that was asked."""
    cdef Comparison found
    cdef int x
    found.s, found.y = s, y
    if rules.waiting:
        for x in range(run.c):
            found.x = x
            if compare_waiting(rules, run.row[y], other, run.c, x, &found) and take(rules, run, &found):
                return True
    if rules.transitions != NOTHING and run.c > 2:
        for x in range(run.c):
            found.x = x
            if compare_transitions(rules, run.row[y], other, run.c, x, &found) and take(rules, run, &found):
                return True
    return False


cdef bint take(const Rules* rules, Run* run, Comparison* found) noexcept:
    """Record a comparison; True if it rejects and that is all that was asked."""
    cdef double nearest = 0, farthest = 0
    cdef bint bounded = bounds(rules, found, &nearest, &farthest)
    run.made += 1
    if run.complete:
        if bounded and normal_p(farthest) > run.best_ratio * level(rules, found):
            return False
        found.p = p_value(rules, found)
        if found.p / level(rules, found) < run.best_ratio:
            run.best_ratio = found.p / level(rules, found)
            run.best = found[0]
        return False
    if bounded and farthest < rules.normal_level:
        return False
    if not (bounded and nearest > rules.normal_level) and not rejects(rules, found):
        return False
    run.best_ratio = 0
    found.p = 0 if bounded and normal_p(nearest) < run.largest else p_value(rules, found)
    run.best = found[0]
    return True
