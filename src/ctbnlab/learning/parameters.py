"""Parameters of a given graph: its conditional intensity matrices by maximum likelihood or Bayes.

Maximum likelihood: q_xx'|u = M_xx'|u / T_x|u. A state that was visited and never left has rate 0: it is
absorbing. A row (u, x) without any time has no estimate; it takes the rates of x over all configurations,
or 0 if x was never visited, and is marked.

Bayes: the mean of the posteriors in the paper, Gamma(α_x|u + M_x|u, τ_x|u + T_x|u) for the exit rate and
Dirichlet(α_xx'|u + M_xx'|u) for the next state, which multiply to

    q_xx'|u = (α_xx'|u + M_xx'|u) / (τ_x|u + T_x|u)

By default the prior is centred on the rates without parents, q⁰_xx' = M_xx' / T_x, and is worth α
transitions: τ_x = α / q⁰_x and α_xx' = α q⁰_xx' / q⁰_x. Nothing then depends on the unit of time. The paper
sets τ in that unit instead, and α_xx' = α / (c − 1). The marginal likelihood of BDe writes the same Gamma
with q^α e^{−τq}; its posterior has this value as mode.

`rate_table` adds standard errors and intervals.

The log-likelihood is that of the transitions, given the initial states.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.data.formats.reading import trajectories_of
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.io.shown import counted
from ctbnlab.learning.credible_intervals import checked_level
from ctbnlab.learning.graph_like import parents_in
from ctbnlab.learning.initial_states import initial_distribution
from ctbnlab.learning.rate_posterior import NO_PRIOR, Prior, RatePosterior, constant_prior, pooled_prior
from ctbnlab.learning.rate_table import rate_table
from ctbnlab.learning.scores.bde import Hyperparameters
from ctbnlab.learning.scores.information import Bic, LogLikelihood, n_parameters
from ctbnlab.model.cims import MAX_RATE, TabledCims, n_configurations
from ctbnlab.model.network import InitialDistribution, Network

if TYPE_CHECKING:
    import pandas as pd

METHODS = ("ml", "bayes")
MAX_NUMBERS = 2**27  # a gigabyte of rates


@dataclass(frozen=True, eq=False, repr=False)
class FittedParameters:
    """A network with estimated rates, and their support in the data, node by node.

    `unseen[i]` are the configurations of variable i's parents that never occur; `unseen_rows[i]` are all
    rows (configuration, state) without time, including those of unseen configurations.
    `node_log_likelihood` is that of the returned rates, `node_bic` always that of maximum likelihood.
    `posteriors[i]` is the posterior of variable i's rates; None for one that has none. `level` is that of the
    intervals in `rates`.
    """

    network: Network
    posteriors: tuple[RatePosterior | None, ...]
    level: float
    unseen: tuple[NDArray[np.int64], ...]
    unseen_rows: tuple[NDArray[np.int64], ...]
    node_log_likelihood: tuple[float, ...]
    node_parameters: tuple[int, ...]
    node_bic: tuple[float, ...]

    def __repr__(self) -> str:
        return (
            f"<FittedParameters: {counted(len(self.network.variables), 'variable')}, "
            f"{counted(self.n_parameters, 'parameter')}, "
            f"log-likelihood {self.log_likelihood:,.1f}>"
        )

    @property
    def rates(self) -> pd.DataFrame:
        """A row per variable, configuration of the parents and transition: see `rate_table`."""
        frame: pd.DataFrame = rate_table(self.network, self.posteriors, self.level).to_pandas()
        return frame

    @property
    def log_likelihood(self) -> float:
        """ln L of the whole network."""
        return math.fsum(self.node_log_likelihood)

    @property
    def n_parameters(self) -> int:
        """k of the whole network: the sum of (c − 1)·c·|u|."""
        return sum(self.node_parameters)

    @property
    def bic(self) -> float:
        """The paper's BIC of the whole network, ln L̂ − ½ k ln ψ."""
        return math.fsum(self.node_bic)


def fit_parameters(
    data: Any,
    graph: Any,
    method: str = "ml",
    *,
    alpha: float = 1.0,
    tau: float | None = None,
    prior: str = "constant",
    initial: str | InitialDistribution = "empirical",
    level: float = 0.95,
) -> FittedParameters:
    """Estimate the rates of a graph from trajectories, in either order of the two.

    The data are trajectories, a list of them, a DataFrame or the path of a file. The graph may be a network,
    a learned graph, a fitted learner, a networkx.DiGraph, arcs as pairs of names, parents by the name of each
    child, or the indices of each variable's parents.

    `alpha`, `tau` and `prior` are for the Bayesian method (see `Hyperparameters`); without `tau`, the prior
    is centred on the rates without parents and worth `alpha` transitions. `initial` is a distribution, or
    "empirical" (as frequent as in the data), "smoothed" (with half a count per state added) or "uniform"; the
    variables are then independent, and those of static variables and clocks never uniform. These have no
    rates. Rates hold while a variable and its parents are observed. `level` is that of the intervals of
    `rates`.

    Example:
        >>> import ctbnlab
        >>> data = ctbnlab.gallery.get("eating").simulate(50, duration=50.0, seed=1)
        >>> fitted = ctbnlab.fit_parameters(data, [("Hungry", "Eating")])
        >>> fitted
        <FittedParameters: 3 variables, 8 parameters, log-likelihood -3,755.1>
        >>> fitted.rates.columns[:5].tolist()
        ['variable', 'parents', 'from', 'to', 'transitions']
    """
    if isinstance(graph, Trajectories):
        data, graph = graph, data
    data = trajectories_of(data)
    if method not in METHODS:
        raise InputError(f"unknown method {method!r}; choose {', '.join(METHODS)}")
    hyperparameters = Hyperparameters(alpha, 1.0 if tau is None else tau, prior)
    checked_level(level)
    start = initial_distribution(data, initial) if isinstance(initial, str) else initial
    if [table.shape[1] for table in start.tables] != data.cardinalities.tolist():
        raise InputError("the initial distribution is not one of the variables and states of the data")
    chosen = _checked_parents(data, parents_in(graph, data.names))
    tables = [_dense(NodeStatistics(data, i).table(chosen[i]), name) for i, name in enumerate(data.names)]
    fixed = [name in data.roles.never_targets for name in data.names]
    priors = [_prior(table, method, hyperparameters, pooled=tau is None) for table in tables]
    if method == "ml":
        rates = [_maximum_likelihood(table) for table in tables]
    else:
        rates = [_posterior_mean(table, prior) for table, prior in zip(tables, priors, strict=True)]
    # Static variables never change, and clocks change by themselves.
    rates = [np.zeros_like(q) if never else q for q, never in zip(rates, fixed, strict=True)]
    for name, q in zip(data.names, rates, strict=True):
        if q.size and np.abs(q).max() > MAX_RATE:
            fault = f"has a rate above {MAX_RATE:g}, from a very short time in a state"
            raise InputError(fault, place=f"variable {name!r}")
    return FittedParameters(
        network=Network(
            variables=data.variables,
            parents=chosen,
            cims=tuple(TabledCims(q) for q in rates),
            initial=start,
            roles=data.roles,
        ),
        posteriors=tuple(
            None if never else RatePosterior(table.transitions, table.time, prior)
            for table, prior, never in zip(tables, priors, fixed, strict=True)
        ),
        level=level,
        unseen=tuple(np.flatnonzero(~(table.time > 0).any(axis=1)) for table in tables),
        unseen_rows=tuple(np.argwhere(~(table.time > 0)) for table in tables),
        node_log_likelihood=tuple(
            0.0 if never else _likelihood(table, q)
            for table, q, never in zip(tables, rates, fixed, strict=True)
        ),
        node_parameters=tuple(
            0 if never else n_parameters(table) for table, never in zip(tables, fixed, strict=True)
        ),
        node_bic=tuple(
            0.0 if never else Bic().node_score(table, data.n_events)
            for table, never in zip(tables, fixed, strict=True)
        ),
    )


class GoodnessOfFit(NamedTuple):
    """A graph's maximum log-likelihood, number of parameters and BIC as the paper defines it."""

    log_likelihood: float
    n_parameters: int
    bic: float


def goodness_of_fit(data: Trajectories, parents: Sequence[Sequence[int]]) -> GoodnessOfFit:
    """Return how well a graph fits; unlike `fit_parameters`, this needs no table of all rates."""
    tables = [
        NodeStatistics(data, i).table(chosen)
        for i, chosen in enumerate(_checked_parents(data, parents))
        if data.names[i] not in data.roles.never_targets
    ]
    return GoodnessOfFit(
        math.fsum(LogLikelihood().node_score(table, data.n_events) for table in tables),
        sum(n_parameters(table) for table in tables),
        math.fsum(Bic().node_score(table, data.n_events) for table in tables),
    )


def log_likelihood(network: Network, data: Trajectories) -> tuple[float, ...]:
    """Return each node's share of the log-likelihood of the data under a network's rates.

    −∞ if a transition occurs whose rate is 0.
    """
    if network.variables != data.variables:
        raise InputError("the network and the data must have the same variables and states in the same order")
    result = []
    for i, (parents, cims) in enumerate(zip(network.parents, network.cims, strict=True)):
        if network.variables[i].name in network.roles.never_targets:
            result.append(0.0)
            continue
        table = NodeStatistics(data, i).table(parents)
        configurations = _configurations(table)
        if table.parents != parents:
            configurations = _renumbered(configurations, table, parents)
        result.append(_likelihood(table, cims.matrices(configurations)))
    return tuple(result)


def _dense(table: SufficientStatistics, name: str) -> SufficientStatistics:
    """Return the table with a row for every configuration; refuse one that is too large."""
    count = n_configurations(table.parent_cardinalities)
    _, c, columns = table.values.shape
    if len(table.values) < count and count * c * columns > MAX_NUMBERS:
        raise InputError(
            f"a table of {count} parent configurations is too large; fit a graph with fewer parents",
            place=f"variable {name!r}",
        )
    return table.dense()


def _configurations(table: SufficientStatistics) -> NDArray[np.int64]:
    """Return the number of each row's configuration."""
    occurring = table.configurations
    return np.arange(len(table.values)) if occurring is None else np.asarray(occurring, np.int64)


def _renumbered(
    configurations: NDArray[np.int64], table: SufficientStatistics, parents: tuple[int, ...]
) -> NDArray[np.int64]:
    """Return the numbers of a table's configurations for another order of the parents."""
    states = np.unravel_index(configurations, table.parent_cardinalities)
    position = [table.parents.index(p) for p in parents]
    shape = tuple(table.parent_cardinalities[k] for k in position)
    return np.asarray(np.ravel_multi_index(tuple(states[k] for k in position), shape), np.int64)


def _checked_parents(data: Trajectories, parents: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    if len(parents) != data.n_variables:
        raise InputError(f"got parents for {len(parents)} variables, but the data have {data.n_variables}")
    for name, i, chosen in zip(data.names, range(data.n_variables), parents, strict=True):
        place = f"parents of {name!r}"
        if len(set(chosen)) < len(chosen):
            raise InputError("a parent is repeated", place=place)
        for p in chosen:
            if not 0 <= p < data.n_variables or p == i:
                raise InputError(f"{p} is not the index of another variable", place=place)
    return tuple(tuple(sorted(int(p) for p in chosen)) for chosen in parents)


def _maximum_likelihood(table: SufficientStatistics) -> NDArray[np.float64]:
    pooled_time = np.broadcast_to(table.time.sum(axis=0), table.time.shape)
    pooled_moves = np.broadcast_to(table.transitions.sum(axis=0), table.transitions.shape)
    seen = table.time > 0
    time = np.where(seen, table.time, pooled_time)[:, :, None]
    moves = np.where(seen[:, :, None], table.transitions, pooled_moves)
    return _with_diagonal(np.divide(moves, time, out=np.zeros_like(moves), where=time > 0))


def _prior(table: SufficientStatistics, method: str, hyperparameters: Hyperparameters, pooled: bool) -> Prior:
    if method == "ml":
        return NO_PRIOR
    alpha, tau = hyperparameters.per_row(table)
    return pooled_prior(table, alpha) if pooled else constant_prior(table.n_states, alpha, tau)


def _posterior_mean(table: SufficientStatistics, prior: Prior) -> NDArray[np.float64]:
    time = (prior.time + table.time)[:, :, None]
    moves = prior.transitions + table.transitions
    return _with_diagonal(np.divide(moves, time, out=np.zeros_like(moves), where=time > 0))


def _with_diagonal(q: NDArray[np.float64]) -> NDArray[np.float64]:
    states = np.arange(q.shape[1])
    q[:, states, states] = 0
    q[:, states, states] = -q.sum(axis=2)
    return q


def _likelihood(table: SufficientStatistics, q: NDArray[np.float64]) -> float:
    """Return Σ M_xx' ln q_xx' − q_x T_x of rows that match."""
    moved = table.transitions > 0
    rates = q[moved]
    if (rates <= 0).any():
        return -math.inf
    staying = np.einsum("uxx,ux->", q, table.time)
    return float((table.transitions[moved] * np.log(rates)).sum() + staying)
