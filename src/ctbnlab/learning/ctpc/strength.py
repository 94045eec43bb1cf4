"""How strongly a candidate is associated with the target on its own, whatever the test.

The association is what the candidate adds to AIC: with x' ≠ x and the values y in which time is spent,

    Σ M_xx'|y ln( (M_xx'|y / T_x|y) / (M_xx' / T_x) )  −  the number of rates that y adds.

It needs the table of the pair alone, so it exists for every test, a user's own included; unlike a p-value, it
does not underflow when data are plentiful. The unit of time cancels. The second term is twice what the first
one is by chance, so that a candidate does not win by having many states.
"""

from __future__ import annotations

import numpy as np

from ctbnlab.counting.sufficient import SufficientStatistics


def strength(pair: SufficientStatistics) -> float:
    """Return how strongly the one parent of a table is associated with its target."""
    time, moves = pair.time[:, :, None], pair.transitions
    spent = time > 0
    all_time, all_moves = time.sum(axis=0), (moves * spent).sum(axis=0)
    expected = time / np.where(all_time > 0, all_time, 1.0) * all_moves
    counted = (moves > 0) & spent
    gain = (moves[counted] * np.log(moves[counted] / expected[counted])).sum()
    rates = ((spent.sum(axis=0) - 1) * (all_moves > 0)).sum()
    return float(gain - rates)
