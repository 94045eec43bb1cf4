"""The probability of each arc, from what every node's learner found out about its parents.

Arcs are independent beforehand, each present with probability r: the density of arcs, which all nodes share.
Given r, a set of m of N candidates has the prior r^m (1 − r)^(N − m), and the posterior of a node's sets
follows from the sums in `ParentPosterior`. The density itself has a Beta(1, 4) distribution beforehand and is
averaged over, unless it is given: this is the only thing that nodes learn from each other, after all of them
are learned.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ctbnlab.learning.contract import OVER_LIMIT, NodeResult, ParentPosterior
from ctbnlab.learning.graph import LearnedGraph

# Densities from 0.0001 to 0.95, evenly spaced in their log odds, so that the Jacobian is r (1 − r).
_LOG_ODDS = np.linspace(-9.2, 3.0, 62)
_BETA = (1.0, 4.0)
DIGITS = 6

LIKELY, UNLIKELY = "more likely than not", "less likely than not"
TOO_MANY_FALSE = "more arcs would exceed max_fdr"


@dataclass(frozen=True)
class ArcProbabilities:
    """The probability of each node's candidates, averaged over the density of arcs or at a given one."""

    posteriors: Sequence[ParentPosterior]
    density: float | None = None

    @cached_property
    def log_odds(self) -> NDArray[np.float64]:
        """The log odds of the densities that are averaged over."""
        return _LOG_ODDS if self.density is None else np.array([np.log(self.density / (1 - self.density))])

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The posterior probability of each density."""
        log_weights = np.zeros(len(self.log_odds))
        if self.density is None:
            a, b = _BETA
            present, absent = -np.logaddexp(0, -self.log_odds), -np.logaddexp(0, self.log_odds)
            log_weights = a * present + b * absent
            log_weights = log_weights + sum(
                self._log_total(each) - self._log_prior(each) for each in self.posteriors
            )
        weights = np.exp(log_weights - np.logaddexp.reduce(log_weights))
        return np.asarray(weights)

    @property
    def mean_density(self) -> float:
        """The posterior mean of the density."""
        return float(self.weights @ (1 / (1 + np.exp(-self.log_odds))))

    def of(self, posterior: ParentPosterior) -> NDArray[np.float64]:
        """Return the probability of the arc from each of a node's candidates."""
        if not posterior.candidates:
            return np.zeros(0)
        arcs = np.array(posterior.arcs)
        sizes = np.arange(arcs.shape[1])
        terms = arcs[:, None, :] + self.log_odds[None, :, None] * sizes
        given = np.exp(np.logaddexp.reduce(terms, axis=2) - self._log_total(posterior))
        return np.asarray(np.clip(given @ self.weights, 0.0, 1.0).round(DIGITS))

    def _log_total(self, posterior: ParentPosterior) -> NDArray[np.float64]:
        """Return ln Σ over sets of Bayes factor × odds^size, at each density."""
        totals = np.array(posterior.totals)
        terms = totals + self.log_odds[:, None] * np.arange(len(totals))
        return np.asarray(np.logaddexp.reduce(terms, axis=1))

    def _log_prior(self, posterior: ParentPosterior) -> NDArray[np.float64]:
        """Return the same without data, for sets of any size up to the limit."""
        n = len(posterior.candidates)
        sizes = np.arange(min(n, posterior.limit) + 1)
        choices = np.array([math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1) for m in sizes])
        return np.asarray(np.logaddexp.reduce(choices + self.log_odds[:, None] * sizes, axis=1))


def decided(
    nodes: Sequence[NodeResult], *, density: float | None = None, max_fdr: float | None = None
) -> tuple[NodeResult, ...]:
    """Return the nodes with the probability of every arc, and as parents those that are more likely than not.

    With `max_fdr`, the most probable of these, as many as keep the expected share of false ones (the mean of
    1 − probability) at or below it. Nodes without a posterior are returned as they are.
    """
    known = [node for node in nodes if node.posterior is not None]
    found = ArcProbabilities([node.posterior for node in known if node.posterior is not None], density)
    probability = {
        (j, node.target): float(p)
        for node in known
        if node.posterior is not None
        for j, p in zip(node.posterior.candidates, found.of(node.posterior), strict=True)
    }
    least = _least_probability(probability.values(), max_fdr)
    return tuple(
        node if node.posterior is None else _decided_node(node, probability, least) for node in nodes
    )


def _least_probability(probabilities: Iterable[float], max_fdr: float | None) -> float:
    """Return the probability below which arcs are left out so that few of those kept are false."""
    if max_fdr is None:
        return 0.5
    ranked = np.sort(np.array([p for p in probabilities if p > 0.5]))[::-1]
    expected = np.cumsum(1 - ranked) / np.arange(1, len(ranked) + 1)
    kept = int(np.searchsorted(expected, max_fdr, side="right"))
    return float(ranked[kept - 1]) if kept else np.inf


def _decided_node(node: NodeResult, probability: dict[tuple[int, int], float], least: float) -> NodeResult:
    assert node.posterior is not None
    ranked = [j for j in node.posterior.candidates if _keeps(probability[j, node.target], least)]
    ranked.sort(key=lambda j: -probability[j, node.target])
    kept = set(ranked[: node.posterior.limit])
    open_to_search = set(node.posterior.candidates)
    evidence = []
    for entry in node.evidence:
        j = entry.candidate
        if j in open_to_search:
            p = probability[j, node.target]
            why = entry.why
            if j in kept:
                why = LIKELY
            elif _keeps(p, least):
                why = OVER_LIMIT
            elif entry.why in (LIKELY, UNLIKELY):
                why = TOO_MANY_FALSE if p > 0.5 else UNLIKELY
            entry = replace(entry, kept=j in kept, why=why, probability=p)
        evidence.append(entry)
    parents = tuple(sorted({p for p in node.parents if p not in open_to_search} | kept))
    return replace(node, parents=parents, evidence=tuple(evidence), posterior=None)


def _keeps(probability: float, least: float) -> bool:
    return probability > 0.5 and probability >= least


def with_probabilities(graph: LearnedGraph) -> LearnedGraph:
    """Decide a graph by the probability of its arcs, if its learner gave posteriors.

    The options `density` and `max_fdr` are those of the graph's learner.
    """
    if not any(node.posterior for node in graph.nodes):
        return graph
    options = graph.learner.get("parameters", {})
    chosen = {name: options.get(name) for name in ("density", "max_fdr")}
    return replace(graph, nodes=decided(graph.nodes, **chosen))
