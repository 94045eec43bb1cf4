"""Occupancies and first passages by simulation, with standard errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ctbnlab.errors import InputError
from ctbnlab.inference.answer import Answer
from ctbnlab.inference.first_passage import Target
from ctbnlab.inference.particles import Sampler, estimate
from ctbnlab.inference.timeline import Timeline

if TYPE_CHECKING:
    from ctbnlab.inference.question import Query


def simulated_occupancy(
    query: Query, timeline: Timeline, counted: Sequence[int], begin: float
) -> tuple[dict[int, tuple[Any, Any]], dict[int, tuple[Any, Any]]]:
    """Return times in states and transitions of variables (of the network), each with its standard errors."""
    model = timeline.model
    local = [timeline.local[i] for i in counted]
    sampler = Sampler(timeline, query.samples, query.seed)
    for stretch in sampler.stretches(query.jobs):
        if stretch.begin == begin:
            sampler.count(local, local)
    weights = sampler.weights()
    times, moves = {}, {}
    for i, v in zip(counted, local, strict=True):
        size, codes = model.sizes[v], model.codes[v]
        n_states = len(model.network.variables[i].states)
        spent = np.zeros((query.samples, n_states))
        first = sampler.slots[v]
        for x, code in enumerate(codes.tolist()):
            spent[:, code] += sampler.time[:, first + x]
        found = estimate(spent, weights)
        times[i] = (found.mean, found.standard_error)
        first = sampler.move_slots[v]
        changed = sampler.moves[:, first : first + size**2].reshape(-1, size, size)
        counts = np.zeros((query.samples, n_states, n_states))
        for (x, before), (y, after) in product(enumerate(codes.tolist()), repeat=2):
            counts[:, before, after] += changed[:, x, y]
        found = estimate(counts.reshape(len(counts), -1), weights)
        shape = (n_states, n_states)
        moves[i] = (found.mean.reshape(shape), found.standard_error.reshape(shape))
    return times, moves


def simulated_passage(
    query: Query, targets: Sequence[Target], labels: Sequence[str], times: Sequence[float]
) -> Answer:
    """Return the probabilities that targets are reached first by each time; what comes later is not
    simulated.
    """
    if not times:
        raise InputError(
            "there are too many joint states for the exact engine; simulation needs times by which to arrive"
        )
    wanted = {i for target in targets for i in target}
    timeline = Timeline(query.scenario, wanted, max(times), (), query.jobs)
    sampler = Sampler(timeline, query.samples, query.seed, targets)
    for _ in sampler.stretches(query.jobs):
        pass
    rows = []
    for t in times:
        for g, label in enumerate(labels):
            share = float(((sampler.label == g) & (sampler.hit <= t)).mean())
            rows.append(("reached by", label, t, share, math.sqrt(share * (1 - share) / query.samples)))
    names = ("quantity", "target", "time", "value", "standard_error")
    columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    facts = {"engine": "simulation", "samples": query.samples, "variables": len(timeline.model.variables)}
    return Answer("first passage", "value", columns, facts)
