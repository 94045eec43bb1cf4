"""How well a learned graph predicts data that it was not learned from."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.learning.parameters import FittedParameters, fit_parameters, log_likelihood
from ctbnlab.model.cims import TabledCims
from ctbnlab.model.network import Network

# What a transition that the training data lack is worth, in all the time spent in the state it leaves.
_UNSEEN = 0.5


def mean_log_likelihood(training: Trajectories, graph: Any, data: Trajectories) -> float:
    """Return the log-likelihood of `data` per event, under the graph with the rates of `training`."""
    network = predictive_network(training, graph)
    return math.fsum(log_likelihood(network, data)) / max(data.n_events, 1)


def predictive_network(training: Trajectories, graph: Any) -> Network:
    """Return the graph with Bayesian rates, none of which is 0: what was never seen may still happen."""
    fitted = fit_parameters(training, graph, "bayes")
    cims = tuple(
        TabledCims(_positive(fitted, i, training.total_time)) if fitted.posteriors[i] is not None else rates
        for i, rates in enumerate(fitted.network.cims)
    )
    return replace(fitted.network, cims=cims)


def _positive(fitted: FittedParameters, target: int, total_time: float) -> NDArray[np.float64]:
    """Return a variable's rates, with half a transition in place of none."""
    posterior = fitted.posteriors[target]
    assert posterior is not None
    rates = fitted.network.cims[target].table().copy()
    c = rates.shape[1]
    time = posterior.time.sum(axis=0)
    least = _UNSEEN / np.where(time > 0, time, total_time) / max(c - 1, 1)
    rates = np.where(rates > 0, rates, least[None, :, None])
    rates[:, np.arange(c), np.arange(c)] = 0
    rates[:, np.arange(c), np.arange(c)] = -rates.sum(axis=2)
    return rates
