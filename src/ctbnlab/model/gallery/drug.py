"""The eight-variable drug effect network of Nodelman, Shelton & Koller (2002)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ctbnlab.model.initial import InitialDistribution
from ctbnlab.model.network import Network
from ctbnlab.model.variables import Variable

_BINARY, _TERNARY = ("no", "yes"), ("0", "1", "2")
_VARIABLES = (
    Variable("Eating", _BINARY),
    Variable("FullStomach", _TERNARY),
    Variable("Hungry", _BINARY),
    Variable("Uptake", _BINARY),
    Variable("Concentration", _TERNARY),
    Variable("Barometer", _TERNARY),
    Variable("JointPain", _BINARY),
    Variable("Drowsy", _BINARY),
)
_PARENTS = {
    "Eating": ["Hungry"],
    "FullStomach": ["Eating"],
    "Hungry": ["FullStomach"],
    "Concentration": ["Uptake", "FullStomach"],
    "JointPain": ["Barometer", "Concentration"],
    "Drowsy": ["Concentration"],
}
# Off-diagonal rates, row by row; one line per parent configuration, the first parent varying slowest.
_WITHOUT_UPTAKE = (0.01, 0.01, 0.25, 0.01, 0.01, 0.5)
_RATES: dict[str, list[tuple[float, ...]]] = {
    "Eating": [(0.01, 10.0), (2.0, 1.0)],
    "FullStomach": [(0.01, 0.01, 0.3, 0.01, 0.01, 1.0), (6.0, 0.01, 0.01, 3.0, 0.01, 0.01)],
    "Hungry": [(2.0, 0.01), (0.01, 0.01), (0.01, 10.0)],
    "Uptake": [(0.0, 0.5)],
    "Concentration": [
        _WITHOUT_UPTAKE,
        _WITHOUT_UPTAKE,
        _WITHOUT_UPTAKE,
        (2.0, 0.01, 0.01, 1.0, 0.01, 0.01),
        (1.0, 0.01, 0.01, 2.0, 0.01, 0.01),
        (0.5, 0.01, 0.01, 4.0, 0.01, 0.01),
    ],
    "Barometer": [(0.2, 0.01, 0.05, 0.05, 0.01, 0.2)],
    "JointPain": [
        *((6.0, 0.1), (1.0, 0.1), (6.0, 0.1)),
        *((1.0, 0.3), (0.3, 0.3), (1.0, 0.3)),
        *((0.01, 2.0), (0.01, 2.0), (0.01, 2.0)),
    ],
    "Drowsy": [(0.17, 0.5), (0.33, 0.33), (1.0, 0.1)],
}
_START = {
    "Eating": (0.1, 0.9),
    "FullStomach": (0.7, 0.2, 0.1),
    "Hungry": (0.6, 0.4),
    "Uptake": (0.45, 0.55),
    "Concentration": (0.7, 0.2, 0.1),
    "Barometer": (0.3, 0.7, 0.0),
    "JointPain": (0.1, 0.9),
    "Drowsy": (0.1, 0.9),
}


def drug() -> Network:
    """The drug effect network of Nodelman et al. 2002 (8 variables, 2 or 3 states).

    From Nodelman, Shelton & Koller, Continuous Time Bayesian Networks, UAI 2002. Rates and initial
    distribution are copied from the example `makedrug` in the program of Shelton, Fan, Lam, Lee & Xu,
    Continuous Time Bayesian Network Reasoning and Learning Engine, JMLR 11, 2010: joint pain starts at the
    same rate at the highest and the lowest concentration, and the uptake of the drug never restarts. The
    states are numbered as in that example: hunger starts in state 0 of the stomach, and pain starts fastest
    in state 0 of the barometer.
    """
    return Network.build(
        variables=_VARIABLES,
        parents=_PARENTS,
        cims={
            name: np.stack([_matrix(rates, len(states)) for rates in _RATES[name]])
            for name, states in _VARIABLES
        },
        initial=InitialDistribution.build(
            _VARIABLES, [()] * len(_VARIABLES), [[_START[name]] for name, _ in _VARIABLES]
        ),
        about={
            "gallery": "drug",
            "source": "Nodelman, Shelton & Koller, Continuous Time Bayesian Networks, UAI 2002; rates as in "
            "CTBN-RLE's example makedrug (Shelton et al., JMLR 11, 2010)",
        },
    )


def _matrix(rates: tuple[float, ...], n_states: int) -> NDArray[np.float64]:
    matrix = np.zeros((n_states, n_states))
    matrix[~np.eye(n_states, dtype=bool)] = rates
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return matrix
