"""How a question is answered: which variables matter, which engine follows them, the rows of the answer."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ctbnlab.errors import InputError
from ctbnlab.inference import exact, particles
from ctbnlab.inference.answer import Answer
from ctbnlab.inference.first_passage import Target, passage
from ctbnlab.inference.propagation import DENSE_STATES, Error
from ctbnlab.inference.scenario import code_of, parse_item
from ctbnlab.inference.simulated_answers import simulated_occupancy, simulated_passage
from ctbnlab.inference.timeline import Timeline

if TYPE_CHECKING:
    from ctbnlab.inference.question import Query

_log = logging.getLogger(__name__)

MAX_EXACT = 2**22  # joint states that the exact engine follows by itself
MAX_ASKED = 2**26  # joint states that it follows if asked to
_LONG = 1e12  # numbers to update, some twenty minutes: beyond, simulation answers unless told otherwise
MAX_ROWS = 2_000_000


def groups_of(query: Query, of: Iterable[str] | None, joint: bool) -> list[tuple[int, ...]]:
    """Return the variables asked for: each by itself or all together."""
    names = list(query.network.names if of is None else [of] if isinstance(of, str) else of)
    if not names or len(set(names)) < len(names):
        raise InputError("name the variables to ask for, each once")
    chosen = [query.network.index(name) for name in names]
    groups: list[tuple[int, ...]] = [tuple(chosen)] if joint else [(i,) for i in chosen]
    for group in groups:
        count = math.prod(len(query.network.variables[i].states) for i in group)
        if count > MAX_ROWS:
            raise InputError(f"{len(group)} variables have {count:.3g} joint states; name fewer of them")
    return groups


def is_exact(query: Query, timeline: Timeline, *, endless: bool = False) -> bool:
    """Return whether the exact engine is to answer; refuse if it is asked to and cannot."""
    size = max(stretch.chain.size for stretch in timeline.stretches)
    exact = _is_exact(query, timeline, size, endless)
    _log.info(
        "engine: %s, variables that matter %d, joint states up to %.3g",
        *("exact" if exact else "simulation", len(timeline.model.variables), size),
    )
    return exact


def _is_exact(query: Query, timeline: Timeline, size: int, endless: bool) -> bool:
    if query.engine == "simulation":
        return False
    if query.engine == "exact":
        if size > MAX_ASKED:
            raise InputError(
                f"{len(timeline.model.variables)} variables matter, with {size:.3g} joint states; the exact "
                f"engine follows at most {MAX_ASKED:,}; ask for fewer variables, or use the engine "
                "'simulation'"
            )
        return True
    if size <= DENSE_STATES:  # however long it takes
        return True
    duration = 1.0 if endless else timeline.horizon
    work = timeline.model.exit_rate_bound() * duration * size * len(timeline.model.variables)
    return size <= MAX_EXACT and work <= _LONG


def states_at(query: Query, times: list[float], of: Any, joint: bool, filtering: bool) -> Answer:
    """Return probabilities of states at times; each variable by the engine that it allows."""
    groups = groups_of(query, of, joint)
    tables: dict[tuple[int, ...], dict[float, tuple[Any, Any]]] = {}
    facts: list[dict[str, Any]] = []
    evidence_ends = [s.end for s in query.scenario.seen]
    horizon = max([*times, *(evidence_ends if not filtering else [])])
    whole = timeline_at(query, groups, horizon, times)
    if is_exact(query, whole):
        tables |= _exact_tables(query, whole, groups, times, filtering, facts)
    else:
        left = []
        for group in groups:
            part = timeline_at(query, [group], horizon, times) if len(groups) > 1 else whole
            if len(groups) > 1 and is_exact(query, part):
                tables |= _exact_tables(query, part, [group], times, filtering, facts)
            else:
                left.append(group)
        if left:
            tables |= _simulated_tables(query, left, horizon, times, filtering, facts)
    return _state_rows(query, "probability at times", groups, times, tables, facts, joint)


def timeline_at(
    query: Query, groups: Sequence[tuple[int, ...]], horizon: float, breaks: Sequence[float] = ()
) -> Timeline:
    """Return the timeline for groups of variables; given evidence, it breaks at the times asked for."""
    wanted = {i for group in groups for i in group}
    smoothing = breaks if query.scenario.seen or query.engine == "simulation" else ()
    return Timeline(query.scenario, wanted, horizon, smoothing, query.jobs)


def _exact_tables(
    query: Query,
    timeline: Timeline,
    groups: Any,
    times: list[float],
    filtering: bool,
    facts: list[dict[str, Any]],
) -> dict[Any, Any]:
    error = Error()
    local = [tuple(timeline.local[i] for i in group) for group in groups]
    if query.scenario.seen and not filtering:
        found, log_likelihood = exact.smooth(timeline, local, times, error)
    else:
        walked = exact.walk(timeline, local, times, error)
        found, log_likelihood = walked.tables, walked.log_likelihood
    facts.append(_exact_facts(timeline, error))
    if query.scenario.seen and not filtering:
        facts[-1]["log_likelihood"] = log_likelihood
    return {g: {t: (found[t][k], None) for t in times} for k, g in enumerate(groups)}


def _simulated_tables(
    query: Query,
    groups: Any,
    horizon: float,
    times: list[float],
    filtering: bool,
    facts: list[dict[str, Any]],
) -> dict[Any, Any]:
    wanted = {i for group in groups for i in group}
    timeline = Timeline(query.scenario, wanted, horizon, times, query.jobs)
    local = [tuple(timeline.local[i] for i in group) for group in groups]
    sampler = particles.Sampler(timeline, query.samples, query.seed)
    found = particles.simulated_tables(sampler, local, times, query.jobs, filtering=filtering)
    facts.append(
        {"engine": "simulation", "samples": query.samples, "variables": len(timeline.model.variables)}
    )
    return {
        g: {t: (found[t][k].mean, found[t][k].standard_error) for t in times} for k, g in enumerate(groups)
    }


def long_run(query: Query, of: Any, joint: bool) -> Answer:
    """Return the probabilities of states that are approached in the end."""
    groups = groups_of(query, of, joint)
    held = [h.start for h in query.scenario.held] + [h.end for h in query.scenario.held if h.end < math.inf]
    cuts = [cut for clock in query.network.roles.clocks for cut in clock.cuts]
    horizon = max([0.0, *held, *cuts])
    timeline = timeline_at(query, groups, horizon)
    if not is_exact(query, timeline, endless=True):
        raise InputError(
            f"{len(timeline.model.variables)} variables matter for the long run, too many joint states for "
            "the exact engine; ask for fewer variables, or for a late time with the engine 'simulation'"
        )
    error = Error()
    local = [tuple(timeline.local[i] for i in group) for group in groups]
    found = exact.long_run(timeline, local, error)
    tables = {g: {math.inf: (found[k], None)} for k, g in enumerate(groups)}
    facts = [_exact_facts(timeline, error)]
    return _state_rows(query, "probability in the long run", groups, [math.inf], tables, facts, joint)


def _state_rows(
    query: Query,
    question: str,
    groups: Any,
    times: list[float],
    tables: Any,
    facts: list[dict[str, Any]],
    joint: bool,
) -> Answer:
    """Return the rows of distributions: by time, variable and state, or by time and joint state."""
    rows, errors = [], []
    simulated = any(tables[g][t][1] is not None for g in groups for t in times)
    for t in times:
        for group in groups:
            mean, error = tables[group][t]
            variables = [query.network.variables[i] for i in group]
            for place, states in zip(
                np.ndindex(*mean.shape), product(*(v.states for v in variables)), strict=True
            ):
                key = states if joint else (variables[0].name, states[0])
                rows.append((t, *key, float(mean[place])))
                errors.append(0.0 if error is None else float(error[place]))
    names = [query.network.variables[i].name for i in groups[0]] if joint else ["variable", "state"]
    if joint and {"time", "probability"} & set(names):
        names = [f"state of {name}" for name in names]
    columns = _columns(["time", *names, "probability"], rows)
    if question == "probability in the long run":
        del columns["time"]
    if simulated:
        columns["standard_error"] = errors
    return Answer(question, "probability", columns, _merged(facts))


def expected(query: Query, begin: float, end: float, of: Any, joint: bool) -> Answer:
    """Return expected times in states and numbers of transitions."""
    groups = groups_of(query, of, joint)
    counted = sorted({i for group in groups for i in group})
    timeline = Timeline(query.scenario, counted, end, [begin], query.jobs)
    times: list[tuple[Any, Any]]
    if is_exact(query, timeline):
        error = Error()
        local = [tuple(timeline.local[i] for i in group) for group in groups]
        moving = [timeline.local[i] for i in counted]
        found = exact.occupancy(timeline, local, moving, (begin, end), error)
        times = [(table, None) for table in found.times]
        moves: dict[int, tuple[Any, Any]] = {i: (found.transitions[timeline.local[i]], None) for i in counted}
        facts = _exact_facts(timeline, error)
    elif joint:
        raise InputError(
            "simulation does not give times in joint states; ask for variables, or use the engine 'exact'"
        )
    else:
        by_variable, moves = simulated_occupancy(query, timeline, counted, begin)
        times = [by_variable[i] for (i,) in groups]
        facts = {"engine": "simulation", "samples": query.samples, "variables": len(timeline.model.variables)}
    names = ["quantity", "variable", "state", "to", "expected", "standard_error"]
    columns = _columns(names, [*_time_rows(query, groups, times), *_move_rows(query, moves)])
    if facts["engine"] == "exact":
        del columns["standard_error"]
    return Answer(f"expected from {begin:g} to {end:g}", "expected", columns, facts)


def _time_rows(query: Query, groups: Any, times: Sequence[tuple[Any, Any]]) -> Iterator[tuple[Any, ...]]:
    for group, (table, errors) in zip(groups, times, strict=True):
        variables = [query.network.variables[i] for i in group]
        name = ", ".join(v.name for v in variables)
        labels = product(*(v.states for v in variables))
        for place, states in zip(np.ndindex(*table.shape), labels, strict=True):
            error = None if errors is None else float(errors[place])
            yield "time", name, ", ".join(states), "", float(table[place]), error


def _move_rows(query: Query, moves: Mapping[int, tuple[Any, Any]]) -> Iterator[tuple[Any, ...]]:
    for i, (table, errors) in moves.items():
        name, labels = query.network.variables[i]
        for x, y in product(range(len(labels)), repeat=2):
            if x != y:
                error = None if errors is None else float(errors[x, y])
                yield "transitions", name, labels[x], labels[y], float(table[x, y]), error


def first_reached(query: Query, listed: Sequence[Any], times: list[float], levels: list[float]) -> Answer:
    """Return when targets are first reached."""
    targets, labels = [], []
    for given in listed:
        target, label = _target(query, given)
        targets.append(target)
        labels.append(label)
    wanted = {i for target in targets for i in target}
    held = [t for h in query.scenario.held for t in (h.start, h.end) if t < math.inf]
    cuts = [cut for clock in query.network.roles.clocks for cut in clock.cuts]
    timeline = Timeline(query.scenario, wanted, max([0.0, *held, *cuts]), (), query.jobs)
    if is_exact(query, timeline, endless=True):
        error = Error()
        found = passage(timeline, targets, times, levels, error)
        rows: list[tuple[Any, ...]] = [
            ("reached by", label, t, float(found.reached[k][g]))
            for k, t in enumerate(times)
            for g, label in enumerate(labels)
        ]
        rows += [("ever reached", label, None, float(found.ever[g])) for g, label in enumerate(labels)]
        what = "mean time" if len(labels) == 1 and found.ever[0] > 1 - 1e-9 else "mean time if reached first"
        rows += [(what, label, None, float(found.mean[g])) for g, label in enumerate(labels)]
        everything = " or ".join(labels)
        rows += [
            (f"quantile {level:g}", everything, None, q)
            for level, q in zip(levels, found.quantiles, strict=True)
        ]
        columns = _columns(["quantity", "target", "time", "value"], rows)
        return Answer("first passage", "value", columns, _exact_facts(timeline, error))
    return simulated_passage(query, targets, labels, times)


def _target(query: Query, given: Any) -> tuple[Target, str]:
    items = {name: state for _, name, state in _untimed(given)} if isinstance(given, str) else dict(given)
    if not items:
        raise InputError("a target must name a state of a variable")
    codes = [code_of(query.network, name, state, "target") for name, state in items.items()]
    return dict(codes), ", ".join(f"{name}={state}" for name, state in items.items())


def likelihood(query: Query) -> Answer:
    """Return the log-likelihood of the evidence."""
    horizon = max(s.end for s in query.scenario.seen)
    timeline = Timeline(query.scenario, (), horizon, (), query.jobs)
    columns: dict[str, list[Any]] = {"quantity": ["log-likelihood"]}
    if is_exact(query, timeline):
        error = Error()
        columns["value"] = [exact.walk(timeline, [], [], error).log_likelihood]
        return Answer("log-likelihood", "value", columns, _exact_facts(timeline, error))
    sampler = particles.Sampler(timeline, query.samples, query.seed)
    for _ in sampler.stretches(query.jobs):
        pass
    found = sampler.log_likelihood()
    columns |= {"value": [float(found.mean)], "standard_error": [float(found.standard_error)]}
    facts = {"engine": "simulation", "samples": query.samples, "variables": len(timeline.model.variables)}
    return Answer("log-likelihood", "value", columns, facts)


def paths_timeline(query: Query, end: float) -> Timeline:
    """Return the timeline of all variables along which paths can be drawn."""
    horizon = max([end, *(s.end for s in query.scenario.seen)])
    timeline = Timeline(query.scenario, range(len(query.network.variables)), horizon, [end], query.jobs)
    if not is_exact(query, timeline):
        raise InputError(
            f"paths given evidence are drawn by the exact engine, which would follow "
            f"{max(s.chain.size for s in timeline.stretches):.3g} joint states; observe more variables, or "
            "use `ctbnlab simulate` without evidence"
        )
    return timeline


def _untimed(text: str) -> list[tuple[Any, str, str]]:
    items = parse_item(text)
    if any(when is not None for when, _, _ in items):
        raise InputError(f"a target has no time: {text!r}")
    return items


def _columns(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


def _exact_facts(timeline: Timeline, error: Error) -> dict[str, Any]:
    return {
        "engine": "exact",
        "variables": len(timeline.model.variables),
        "joint_states": max(stretch.chain.size for stretch in timeline.stretches),
        "error": error.bound,
    }


def _merged(facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the facts of an answer that has several parts: the largest of each."""
    if len(facts) == 1:
        return dict(facts[0])
    engines = sorted({fact["engine"] for fact in facts})
    merged: dict[str, Any] = {"engine": " and ".join(engines)}
    for key in ("variables", "joint_states", "error", "samples"):
        values = [fact[key] for fact in facts if key in fact]
        if values:
            merged[key] = max(values)
    return merged
