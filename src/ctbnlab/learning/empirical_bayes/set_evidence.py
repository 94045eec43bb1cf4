"""The evidence for a parent set: how much better rates that vary with it explain the data.

Under a parent set U each cell (u, x, x') has its own rate, Gamma-distributed around a mean rate μ_xx'
with one shape k for all cells: the smaller k, the more rates vary. Without parents the rate is μ_xx' itself.
Nothing is known about the mean rates beforehand (their density is 1/μ), so that the unit of time does not
matter. Integrated over the rates and the mean rates, the data are more likely under U and k by the factor

    exp D(U; k) = Π_{x≠x'} ∫ Π_u Γ(k + M) / (Γ(k) k^M) · μ^M (1 + μT/k)^−(k + M) dμ/μ  /  ∫ μ^ΣM e^−μΣT dμ/μ

with the transitions M and the time T of each cell. This is averaged over shapes with the weights below. The
integrand is log-concave in ln μ: both integrals are Laplace's, so that their errors cancel as rates vary
less. In a second model each parent multiplies the rates by its own factor (`_main_effects`), which finds
effects that are too weak to be seen in every cell. In large tables that takes long, and is in vain if
parents act together: there it is tried only if it explains some of the parents better than the first model.
Where clocks are among several parents, there is a third: the clocks multiply rates that vary freely with the
other parents, as what parents do together need not change with time. The evidence is the logarithm of the
mean of these factors.

The weights favour rates that vary by 35 to 70% of their mean. Where data are many, weak effects pay only a
few nats for being unlikely beforehand; where they are few, arcs of hardly any effect would otherwise keep
their prior probability, whatever the data say.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.learning.empirical_bayes import _main_effects, _set_evidence
from ctbnlab.learning.scores.empirical_bayes import base_rates

# Rates vary by 140, 71, 35, 18, 9, 4, 2% of their mean.
SHAPES = tuple(0.5 * 4.0**i for i in range(7))
WEIGHTS = (0.05, 0.7, 1.0, 0.1, 0.02, 0.01, 0.005)

_shapes = np.array(SHAPES)
_log_weights = np.log(WEIGHTS) - math.log(sum(WEIGHTS))

# The mode of main effects is found with the shape 8. Work is rows × factors² × pairs of states: main effects
# are tried up to the first limit, and up to the second one if they explain a table within the first better.
# Parents beside clocks are one factor if they have few joint states.
_START = 2
_MAX_WORK = 400_000
_MAX_LARGE_WORK = 12_000_000
_MAX_JOINT_STATES = 32

# The factors of the rates: for each, which of its values every row of a table has, and how many there are.
Factors = Sequence[tuple[NDArray[np.intp], int]]


def set_evidence(
    table: SufficientStatistics, clocks: Collection[int] = (), order: Sequence[int] | None = None
) -> float:
    """Return the log Bayes factor of `table.parents`, some of them clocks, against no parents.

    Of large tables, a smaller one of the first parents in `order` is looked at, too. By default, it is the
    table's own order.
    """
    if not table.parents:
        return 0.0
    models = [_freely_varying(table)]
    multiplying = _multiplying(table, clocks)
    rows = len(table.values)
    largest = max((_work(table, rows, len(factors)) for factors in multiplying), default=0)
    limit = _MAX_WORK
    if limit < largest <= _MAX_LARGE_WORK and _parts_multiply(table, order or table.parents):
        limit = _MAX_LARGE_WORK
    models += [
        _multiplied(table, factors) for factors in multiplying if _work(table, rows, len(factors)) <= limit
    ]
    return float(np.logaddexp.reduce(models)) - math.log(len(models))


def _freely_varying(table: SufficientStatistics) -> float:
    values = np.ascontiguousarray(table.values)
    moves = np.ascontiguousarray(values.sum(axis=0)[:, 1:])
    return float(_set_evidence.log_evidence(values, moves, base_rates(values), _shapes, _log_weights))


def _multiplied(table: SufficientStatistics, factors: Factors) -> float:
    values = np.ascontiguousarray(table.values)
    return float(_main_effects.log_evidence(values, *_parameters(factors), _shapes, _log_weights, _START))


def _work(table: SufficientStatistics, rows: int, factors: int) -> int:
    return rows * factors**2 * table.n_states * (table.n_states - 1)


def _parts_multiply(table: SufficientStatistics, order: Sequence[int]) -> bool:
    """Return whether main effects explain the first parents better than rates that vary freely.

    Of these, there are as many as a table within the limit has.
    """
    cardinalities = dict(zip(table.parents, table.parent_cardinalities, strict=True))
    chosen: list[int] = []
    rows = 1
    for j in (j for j in order if j in cardinalities):
        rows *= cardinalities[j]
        if _work(table, rows, len(chosen) + 1) > _MAX_WORK:
            break
        chosen.append(j)
    if len(chosen) < 2:
        return False
    part = table.marginal(chosen)
    (alone, *_) = _multiplying(part, ())
    return _multiplied(part, alone) > _freely_varying(part)


def _multiplying(table: SufficientStatistics, clocks: Collection[int]) -> list[Factors]:
    """Return the ways in which parents may multiply rates: each its own, and all but clocks together."""
    n = len(table.parents)
    if n == 1:
        return []
    rows = np.arange(len(table.values)) if table.configurations is None else table.configurations
    cardinalities = table.parent_cardinalities
    states = np.unravel_index(rows, cardinalities)
    alone = [(states[i], cardinalities[i]) for i in range(n)]
    timed = [alone[i] for i in range(n) if table.parents[i] in clocks]
    others = [i for i in range(n) if table.parents[i] not in clocks]
    if not timed or len(others) < 2:
        return [alone]
    shape = tuple(cardinalities[i] for i in others)
    if math.prod(shape) > _MAX_JOINT_STATES:
        return [alone]
    joint = np.ravel_multi_index(tuple(states[i] for i in others), shape)
    return [alone, [(joint, math.prod(shape)), *timed]]


def _parameters(factors: Factors) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return the parameter of each row and factor, and the first one of each factor; 0 is the mean rate."""
    first = np.cumsum([1, *(count for _, count in factors)])
    codes = np.stack([value + begin for (value, _), begin in zip(factors, first[:-1], strict=True)], axis=1)
    return np.ascontiguousarray(codes, np.int32), first.astype(np.intp)
