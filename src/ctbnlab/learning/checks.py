"""Does the model hold? Checks of a learned graph against its data.

A CTBN takes every rate to be constant while the parents' states are: waiting times are exponential, neither
the time since entry nor the date matters, and one trajectory is like another. Where that is not so, a learner
finds arcs that are not there. Each check compares observed transitions with those that the fitted rates make
one expect (`counting.residuals`), and warns if the difference is neither chance nor small. Times are checked,
too: changes at one instant, on a coarse grid, or too few.

With many events, a difference of no importance is significant; with many variables, some difference is
significant by chance. So a warning needs both a coefficient of variation of the rates above `MIN_VARIATION`
and a p-value below `LEVEL` divided by the number of variables (benchmarks/model_checks.py).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.residuals import MAX_PERIODS, Cuts, Residuals, TrajectoryCounts, residuals_of
from ctbnlab.data.clocks import with_own_clock
from ctbnlab.data.prepare import prepare
from ctbnlab.data.role_request import RoleRequest
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.learning.check_statistics import (
    PeriodTest,
    SpreadTest,
    period_test,
    shared_factor_test,
    trajectory_test,
    trajectory_weights,
)
from ctbnlab.learning.check_times import check_grid, check_scarcity, check_ties
from ctbnlab.learning.contract import Check, NodeResult
from ctbnlab.learning.graph import LearnedGraph

_log = logging.getLogger(__name__)

LEVEL = 0.001  # of each check of one data set, over all variables
MIN_VARIATION = 0.1
GIVEN_OWN_CLOCK = 0.35  # the same where the target has its own clock: its periods are not infinitely short
OWN, ENTRY, CALENDAR = "waiting times", "time since entry", "calendar time"
TRAJECTORIES, TIES, GRID, SCARCE = "trajectories", "ties", "grid", "scarce"
_KINDS = {ENTRY: "entry", CALENDAR: "calendar"}
Model = tuple[Trajectories, tuple[int, ...]]  # data, and the parents of a target in them
NAMES = (OWN, ENTRY, CALENDAR, TRAJECTORIES, TIES, GRID, SCARCE)


def model_checks(data: Trajectories, graph: LearnedGraph) -> tuple[Check, ...]:
    """Return what each check of a graph's model comes to, for every variable that was learned.

    `data` are those that the graph was learned from, with the same clocks. Rates are those of maximum
    likelihood.
    """
    began = time.perf_counter()
    data = data.compact()
    targets = [node for node in graph.nodes if data.names[node.target] not in data.roles.never_targets]
    times = [check_ties(data), check_grid(data)]
    work = _Work(data, targets, coarse=any(check.warns for check in times))
    candidates = _n_candidates(data)
    scarce = [
        check_scarcity(data, target, float(fit.counts.observed.sum()), candidates[target])
        for target, fit in work.fits.items()
    ]
    order = {name: k for k, name in enumerate(NAMES)}
    found = sorted([*times, *scarce, *work.checks()], key=lambda check: order[check.name])
    warnings = sum(check.warns for check in found)
    _log.info("model checks: made %d, warnings %d; %.2f s", len(found), warnings, time.perf_counter() - began)
    # The last digits depend on the order of columns.
    return tuple(replace(check, statistic=float(f"{check.statistic:.6g}")) for check in found)


def trajectory_pace(data: Trajectories, graph: LearnedGraph) -> NDArray[np.float64]:
    """Return the factor by which the rates of each trajectory differ from the fitted ones, with mean 1."""
    data = data.compact()
    targets = [node for node in graph.nodes if data.names[node.target] not in data.roles.never_targets]
    work = _Work(data, targets, coarse=False)
    given_clocks = [fit.counts for fit in work.given_clocks().values()]
    pace = trajectory_weights(given_clocks, shared_factor_test(given_clocks).variation)
    return np.asarray(pace / pace.mean())


def _n_candidates(data: Trajectories) -> list[int]:
    """Return for each variable how many others may be its parents, clocks aside."""
    clocks = set(data.roles.clock_names)
    ruled_out: dict[str, set[str]] = {name: {name} | clocks for name in data.names}
    for source, child in data.roles.forbidden(data.names):
        ruled_out[child].add(source)
    return [data.n_variables - len(ruled_out[name]) for name in data.names]


class _Fit(NamedTuple):
    """What is left of a variable's residuals: the tests, and the numbers per trajectory."""

    own: PeriodTest
    entry: PeriodTest
    calendar: PeriodTest
    spread: SpreadTest
    counts: TrajectoryCounts

    @classmethod
    def of(cls, found: Residuals) -> _Fit:
        """Test residuals, whose tables can be large."""
        own, entry, calendar = map(period_test, (found.own, found.entry, found.calendar))
        return cls(own, entry, calendar, trajectory_test(found), found.counts)


class _Work:
    """The residuals of all variables, and the checks that compare them with the model.

    One fault can show in several checks. Rates that change with time make counts vary between trajectories
    if these last differently long, so trajectories are compared given the clocks that the data ask for.
    Trajectories of high and low rates mix short and long waits, so that waits are compared given the rates
    of each trajectory. Times on a coarse grid leave out short waits: then waits are not checked.
    """

    def __init__(self, data: Trajectories, targets: Sequence[NodeResult], coarse: bool):
        self.data = data
        self.coarse = coarse
        self.cuts = Cuts.of(data)
        self.nodes = {node.target: node for node in targets}
        self.fits = {target: fit for target in self.nodes if (fit := self._fit(target)) is not None}
        self.level = LEVEL / max(1, len(self.fits))

    def _fit(
        self,
        target: int,
        weights: NDArray[np.float64] | None = None,
        clocked: Trajectories | None = None,
    ) -> _Fit | None:
        """Return how a variable's model fits; None if it has too many cells.

        `weights` multiply the rates of each trajectory; the clocks that `clocked` has beyond the data are
        parents.
        """
        node = self.nodes[target]
        if clocked is not None:
            added = range(self.data.n_variables, clocked.n_variables)
            node = replace(node, parents=(*node.parents, *added))
        data, parents = modelled(self.data if clocked is None else clocked, node)
        with suppress(InputError):  # more configurations than can be numbered
            found = residuals_of(data, target, parents, self.cuts, weights)
            if found is not None:
                return _Fit.of(found)
        return None

    def checks(self) -> Iterator[Check]:
        """Yield the checks of waiting times, time and trajectories."""
        adjusted = self.given_clocks()
        shared = shared_factor_test([fit.counts for fit in adjusted.values()])
        differ = shared.p_value < LEVEL / 2 and shared.variation > MIN_VARIATION
        weights = None
        if differ:
            weights = trajectory_weights([fit.counts for fit in adjusted.values()], shared.variation)
        yield _spread_check(None, shared, differ)
        for target in self.fits:
            fit = self.fits[target] if weights is None else self._fit(target, weights) or self.fits[target]
            yield from self._time_checks(target, fit)
            own = self._own_check(target, fit.own)
            spread = adjusted[target].spread
            differs = spread.p_value < self.level / 2 and spread.variation > MIN_VARIATION and not differ
            if differs and own.warns:
                alone = trajectory_weights([adjusted[target].counts], spread.variation)
                own = self._own_check(target, (self._fit(target, alone) or fit).own)
            yield own
            yield _spread_check(self.data.names[target], spread, differs and not own.warns)

    def given_clocks(self) -> dict[int, _Fit]:
        """Return how the models fit given time, for the variables whose rates change with it."""
        result = dict(self.fits)
        clocked: dict[tuple[str, ...], Trajectories] = {}
        for target, fit in self.fits.items():
            kinds = tuple(_KINDS[check.name] for check in self._time_checks(target, fit) if check.warns)
            if kinds:
                if kinds not in clocked:
                    clocked[kinds] = with_clocks(self.data, kinds)
                result[target] = self._fit(target, clocked=clocked[kinds]) or fit
        return result

    def _time_checks(self, target: int, fit: _Fit) -> Iterator[Check]:
        """Yield the checks of time since entry and of calendar time; only the stronger one warns."""
        entry, calendar = fit.entry, fit.calendar
        if not len(self.cuts.calendar):
            yield self._time_check(ENTRY, target, entry)
            return
        later = calendar.statistic > entry.statistic
        yield self._time_check(ENTRY, target, entry, quiet=later and self._is_wrong(calendar))
        yield self._time_check(CALENDAR, target, calendar, quiet=not later and self._is_wrong(entry))

    def _is_wrong(self, test: PeriodTest, size: float = MIN_VARIATION) -> bool:
        return test.p_value < self.level and test.variation > size

    def _time_check(self, name: str, target: int, test: PeriodTest, quiet: bool = False) -> Check:
        variable = self.data.names[target]
        if quiet or not self._is_wrong(test):
            return Check(name, variable, test.statistic, False)
        kind = _KINDS[name]
        known = any(clock.kind == kind for clock in self.data.roles.clocks)
        advice = "more --periods" if known else f"--clock {kind}"
        return Check(name, variable, test.statistic, True, f"rates change with {name} {_size(test)}", advice)

    def _own_check(self, target: int, test: PeriodTest) -> Check:
        variable = self.data.names[target]
        given = self.nodes[target].own_clock is not None
        advice = "--clock own" if self.data.roles.own_clock is None else ""
        if self.coarse or not self._is_wrong(test, GIVEN_OWN_CLOCK if given else MIN_VARIATION):
            return Check(OWN, variable, test.statistic, False)
        half = len(test.ratios) // 2
        less = test.ratios[half:].mean() > test.ratios[:half].mean()
        message = f"waiting times vary {'less' if less else 'more'} than the model says {_size(test)}"
        return Check(OWN, variable, test.statistic, True, message, advice)


def _size(test: PeriodTest) -> str:
    return f"({test.ratios.min():.2g} to {test.ratios.max():.2g} times the fitted rates)"


def with_clocks(data: Trajectories, kinds: Sequence[str]) -> Trajectories:
    """Return data with clocks in addition; those that the data have, or cannot have, are left out."""
    for kind in kinds:
        if not any(clock.kind == kind for clock in data.roles.clocks):
            with suppress(InputError):  # another variable has the clock's name
                data, _ = prepare(data, RoleRequest(clocks=(kind,), periods=MAX_PERIODS))
    return data


def modelled(data: Trajectories, node: NodeResult) -> Model:
    """Return the data and the parents of a node's model: its own clock is among them if it has one."""
    if node.own_clock is None or data.roles.own_clock is None:
        return data, node.parents
    extended = with_own_clock(data, node.target, data.roles.own_clock, "\0own clock")
    if extended is None:
        return data, node.parents
    return extended, (*node.parents, data.n_variables)


def _spread_check(variable: str | None, test: SpreadTest, warns: bool) -> Check:
    if not warns:
        return Check(TRAJECTORIES, variable, test.statistic, False)
    size = f"(their standard deviation is about {test.variation:.0%} of the mean)"
    what = "rates differ between trajectories" if variable else "trajectories differ in all rates together"
    return Check(TRAJECTORIES, variable, test.statistic, True, f"{what} {size}", "--robust")
