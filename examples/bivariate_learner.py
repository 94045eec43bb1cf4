"""Example of a learner in thirty lines: each candidate is tested on its own, by its two-way table.

Run it with `ctbnlab learn data.csv --learner examples/bivariate_learner.py`, or use the file as a learner's
`algorithm` in a config. `ctbnlab check-learner examples/bivariate_learner.py` checks it against the contract.
"""

from dataclasses import dataclass

import numpy as np

from ctbnlab import Evidence, NodeResult


@dataclass(frozen=True)
class Bivariate:
    """Keeps a candidate if it raises the log-likelihood by more than `penalty` per free parameter."""

    penalty: float = 8.0
    citation = "none: an example"

    def learn_node(self, statistics, knowledge):
        """Return the parents of one node, with the evidence for every candidate."""
        gains = {j: self.gain(table) for j, table in statistics.pairs().items()}
        ranked = sorted((j for j in knowledge.candidates if gains[j] > 0), key=lambda j: (-gains[j], j))
        parents = tuple(sorted(knowledge.required + tuple(ranked[: knowledge.max_additions])))
        evidence = tuple(
            Evidence(j, kept=j in parents, why="dependent" if gain > 0 else "independent", gain=gain)
            for j, gain in gains.items()
        )
        return NodeResult(statistics.target, parents, evidence, counts={"scores": len(gains)})

    def gain(self, table):
        """Return the candidate's gain in log-likelihood minus the penalty for its parameters."""
        with_it = log_likelihood(table.time, table.transitions)
        without = log_likelihood(table.time.sum(axis=0), table.transitions.sum(axis=0))
        c = table.n_states
        return float(with_it - without - self.penalty * (len(table.time) - 1) * c * (c - 1))


def log_likelihood(time, transitions):
    """Return Σ M ln(M/T) − M, the log-likelihood at its maximum, where the rates are M/T."""
    rates = transitions / np.maximum(time, 1e-300)[..., None]
    return (transitions * np.log(np.where(transitions > 0, rates, 1.0)) - transitions).sum()
