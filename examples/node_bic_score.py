"""Example of a score: BIC whose penalty counts the transitions of the target alone.

ctbnlab's own BIC charges ½ ln ψ per rate, where ψ counts the transitions of all variables, so the penalty on
one variable grows with the size of the network. This score does not. Use it in CTSS with
`ctbnlab learn data.csv --learner ctss --option criterion=examples/node_bic_score.py`, or as the option
`criterion` of a learner in a config.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class NodeBic:
    """Scores a parent set by ln L − ½ k ln M, with k rates and M transitions of the target."""

    def node_score(self, statistics, n_events):  # noqa: ARG002
        """Return the score of `statistics.parents`; higher is better."""
        time, transitions = statistics.time, statistics.transitions
        rates = transitions / np.maximum(time, 1e-300)[..., None]
        log_likelihood = (transitions * np.log(np.where(transitions > 0, rates, 1.0)) - transitions).sum()
        c = statistics.n_states
        # Not the number of rows: a table may leave out configurations that never occur.
        k = c * (c - 1) * np.prod(statistics.parent_cardinalities, dtype=float)
        return log_likelihood - k * np.log(max(transitions.sum(), 1)) / 2
