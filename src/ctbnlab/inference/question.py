"""Questions to a network: the one class that users call."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab import seeds
from ctbnlab.data.formats.reading import trajectories_of
from ctbnlab.errors import InputError, one_line
from ctbnlab.inference import answering
from ctbnlab.inference.answer import Answer
from ctbnlab.inference.rate_draws import RateDraws
from ctbnlab.inference.scenario import Item, RateChange, Scenario, scenario
from ctbnlab.io.limits import MAX_JOBS, require_between
from ctbnlab.io.shown import counted
from ctbnlab.model.network import Network

if TYPE_CHECKING:
    from ctbnlab.data.trajectories import Trajectories

ENGINES = ("auto", "exact", "simulation")


@dataclass(frozen=True, eq=False, repr=False)
class Query:
    """Questions to a network, from a start, under interventions, given evidence.

    `start` gives states, {variable: state}, or distributions, {variable: {state: probability}}; other
    variables start as in the network. With `start_like` (trajectories, a DataFrame or a path) the start is a
    joint initial state of these trajectories, all equally likely, in which `start` replaces states. `do`
    holds variables in states: {variable: state} from the start on, or items such as `"2:X=x"` (from time 2)
    and `"2..5:X=x"`. `observe` is evidence in the same form, at a time or throughout an interval; as (time,
    variable, {state: likelihood}) it may be soft. Intervals that follow each other with different states say
    that the variable changed at that time. `rates` replaces rates: (variable, {parent: state}, from, to,
    rate).

    The engine is "exact" if the joint states of the variables that matter are few enough, else "simulation"
    with `samples` copies. `compare` adds each answer without the interventions and changed rates.
    `posterior`, a table of rates as `fit_parameters(…).rates`, adds the bounds of intervals of the given
    `level` from `draws` networks.

    Example:
        >>> import ctbnlab
        >>> query = ctbnlab.Query(ctbnlab.gallery.get("eating"), start={"Hungry": "yes"}, do={"Full": "no"})
        >>> query
        <Query: 3 variables, start {'Hungry': 'yes'}, do {'Full': 'no'}>
        >>> query.at([0.0, 1.0], ["Eating"])
        <Answer: probability at times, 4 rows, exact>
    """

    network: Network
    start: Mapping[str, Any] | None = None
    do: Mapping[str, str] | Iterable[Item] = ()
    observe: Mapping[str, str] | Iterable[Item] = ()
    rates: Iterable[RateChange] = ()
    compare: bool = False
    posterior: Any = None
    draws: int = 200
    level: float = 0.95
    engine: str = "auto"
    samples: int = 10_000
    seed: int = 1
    jobs: int = 1
    start_like: Any = None

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise InputError(f"unknown engine {self.engine!r}; choose {', '.join(ENGINES)}")
        require_between(self.samples, 100, 10_000_000, "the number of samples")
        require_between(self.draws, 10, 100_000, "the number of draws")
        require_between(self.jobs, 1, MAX_JOBS, "the number of jobs")
        require_between(self.seed, 0, math.inf, "the seed")
        if not 0 < self.level < 1:
            raise InputError(f"the level must be between 0 and 1, not {self.level}")
        for name in ("do", "observe", "rates"):  # iterables may be read several times
            value = getattr(self, name)
            listed = [value] if isinstance(value, str) else list(value)
            object.__setattr__(self, name, dict(value) if isinstance(value, Mapping) else listed)
        if self.compare and not (self.do or self.rates):
            raise InputError("there is nothing to compare with: give an intervention or a changed rate")
        if self.start_like is not None:
            object.__setattr__(self, "start_like", trajectories_of(self.start_like))
        _ = self.scenario

    def __repr__(self) -> str:
        parts = [counted(len(self.network.variables), "variable")]
        for name in ("start", "do", "observe", "rates"):
            if value := getattr(self, name):
                parts.append(f"{name} {shorten(one_line(str(value)), 60, placeholder='…')}")
        if self.start_like is not None:
            parts.append(f"start like {counted(len(self.start_like), 'trajectory', 'trajectories')}")
        return f"<Query: {', '.join(parts)}>"

    @cached_property
    def scenario(self) -> Scenario:
        """What is asked about, checked."""
        return scenario(
            self.network, self.start, self.do, self.observe, self.rates, self.start_like, self.seed
        )

    # ---- Questions ----

    def at(
        self,
        times: float | Sequence[float],
        of: Iterable[str] | None = None,
        *,
        joint: bool = False,
        filtering: bool = False,
    ) -> Answer:
        """Return the probabilities of the states of variables at times.

        All variables by default, each by itself or, if `joint`, together. All evidence counts; with
        `filtering`, only the evidence up to each time.
        """
        moments = checked_times(times)
        return self._asked(lambda query: answering.states_at(query, moments, of, joint, filtering))

    def long_run(self, of: Iterable[str] | None = None, *, joint: bool = False) -> Answer:
        """Return the probabilities that are approached in the long run: the stationary ones, if they are
        unique.
        """
        if self.observe:
            raise InputError("the long run does not depend on evidence; leave it out")
        return self._asked(lambda query: answering.long_run(query, of, joint))

    def expect(
        self, begin: float, end: float, of: Iterable[str] | None = None, *, joint: bool = False
    ) -> Answer:
        """Return expected times in states and numbers of transitions between two times.

        If `joint`, the times are those in the joint states of the variables.
        """
        first, last = (checked_times(time)[0] for time in (begin, end))
        if not first < last:
            raise InputError(f"the interval from {begin:g} to {end:g} is empty")
        if self.observe:
            raise InputError(
                "expected times and transitions are not available given evidence; ask for states with at"
            )
        return self._asked(lambda query: answering.expected(query, first, last, of, joint))

    def until(
        self,
        targets: str | Mapping[str, str] | Sequence[str | Mapping[str, str]],
        times: float | Sequence[float] = (),
        quantiles: Sequence[float] = (0.25, 0.5, 0.75),
    ) -> Answer:
        """Return when a set of joint states is first reached: by which times, ever, on average, and
        quantiles.

        A target is {variable: state} or `"A=x,B=y"`: all must hold. Several targets compete: each gets the
        probability that it is reached first, and its mean time if it is; quantiles are those of the first of
        all.
        """
        moments = checked_times(times) if not isinstance(times, Sequence) or times else []
        for level in quantiles:
            if not 0 < level < 1:
                raise InputError(f"a quantile must be between 0 and 1, not {level}")
        if self.observe:
            raise InputError("first passage is not available given evidence; give a start instead")
        listed = [targets] if isinstance(targets, str | Mapping) else list(targets)
        if not listed:
            raise InputError("there is no target to reach")
        return self._asked(lambda query: answering.first_reached(query, listed, moments, list(quantiles)))

    def likelihood(self) -> Answer:
        """Return the log-likelihood of the evidence: a density if it has changes at given times."""
        if not self.observe:
            raise InputError("there is no evidence")
        return self._asked(answering.likelihood)

    def most_probable(
        self, times: float | Sequence[float], of: Iterable[str] | None = None, *, joint: bool = False
    ) -> Answer:
        """Return the most probable state at each time, of each variable or, if `joint`, of all of them
        together.
        """
        answer = replace(self, compare=False, posterior=None).at(times, of, joint=joint)
        rows: dict[Any, dict[str, Any]] = {}
        for row in answer.rows():
            key = row["time"] if joint else (row["time"], row["variable"])
            if key not in rows or row["probability"] > rows[key]["probability"]:
                rows[key] = row
        columns = {name: [row[name] for row in rows.values()] for name in answer.columns}
        return Answer("most probable state", "probability", columns, answer.about)

    def sample(self, trajectories: int, end: float) -> Trajectories:
        """Return trajectories until a time, drawn given all the evidence and interventions."""
        from ctbnlab.inference.sampled_paths import sampled_paths

        (last,) = checked_times([end])
        return sampled_paths(answering.paths_timeline(self, last), trajectories, self.seed, last)

    def sensitivity(self, ask: Callable[[Query], Answer], of: Iterable[str] | None = None) -> Answer:
        """Return how much each answer changes per relative change of each rate: dP / d ln q.

        `ask` puts a question, as in `lambda query: query.at(2.0, ["Pain"])`. `of` limits the rates to some
        variables.
        """
        from ctbnlab.inference.sensitivity import sensitivity

        return sensitivity(replace(self, compare=False, posterior=None), ask, of)

    # ---- Comparison and bands ----

    def _asked(self, ask: Callable[[Query], Answer]) -> Answer:
        """Answer for the network itself, without interventions, and for draws of its rates."""
        answer = ask(self)
        without = replace(self, do=(), rates=(), compare=False) if self.compare else None
        added: dict[str, Any] = {}
        about: dict[str, Any] = {}
        if without is not None:
            other = ask(without)
            added["without"] = other.values
            added["difference"] = [a - b for a, b in zip(answer.values, other.values, strict=True)]
        if self.posterior is not None:
            added |= self._bands(ask, without)
            about = {"level": self.level, "draws": self.draws}
        return answer.with_columns(added, about) if added else answer

    def _bands(self, ask: Callable[[Query], Answer], without: Query | None) -> dict[str, Any]:
        draws = RateDraws(self.network, _rows(self.posterior))
        rng = seeds.generator(self.seed, "query", "rates")
        values, differences = [], []
        for _ in range(self.draws):
            network = draws.draw(rng)
            found = np.array(ask(replace(self, network=network, posterior=None, compare=False)).values)
            values.append(found)
            if without is not None:
                differences.append(found - ask(replace(without, network=network, posterior=None)).values)
        tail = (1 - self.level) / 2
        columns: dict[str, Any] = {}
        for prefix, drawn in (("", values), ("difference_", differences)):
            if drawn:
                low, high = _quantiles(np.array(drawn), tail)
                columns |= {f"{prefix}low": low.tolist(), f"{prefix}high": high.tolist()}
        return columns


def checked_times(times: float | Sequence[float]) -> list[float]:
    """Return times as a list; each must be finite and 0 or more."""
    listed = [float(t) for t in (times if isinstance(times, Sequence | np.ndarray) else [times])]
    for t in listed:
        if math.isinf(t) and t > 0:
            raise InputError("an infinite time is the long run; ask for that instead")
        if not t >= 0:
            raise InputError(f"a time must be 0 or more, not {t}")
    if not listed:
        raise InputError("give at least one time")
    return sorted(set(listed))


def _rows(posterior: Any) -> list[Mapping[str, Any]]:
    """Return the rows of a DataFrame, of an Arrow table, or of a list."""
    if hasattr(posterior, "to_dict"):
        rows: list[Mapping[str, Any]] = posterior.to_dict("records")
        return rows
    return list(posterior.to_pylist() if hasattr(posterior, "to_pylist") else posterior)


def _quantiles(drawn: NDArray[np.float64], tail: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return lower and upper quantiles; values may be infinite, so no interpolation between two of them."""
    ordered = np.sort(drawn, axis=0)
    last = len(ordered) - 1
    return ordered[math.floor(tail * last)], ordered[math.ceil((1 - tail) * last)]
