"""Networks made without `Network.build`: the simulator refuses what its loop could not follow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ctbnlab
from ctbnlab.errors import InputError
from ctbnlab.model.cims import TabledCims

EATING = ctbnlab.gallery.get("eating")
SHORT = {"duration": 1.0, "seed": 1}


@pytest.mark.parametrize(
    "network",
    [
        replace(EATING, parents=EATING.parents[:2]),
        replace(EATING, cims=EATING.cims[:2]),
        replace(EATING, parents=((5,), *EATING.parents[1:])),
        replace(EATING, parents=((-1,), *EATING.parents[1:])),
        replace(EATING, parents=((0,), *EATING.parents[1:])),
        replace(EATING, parents=((1, 1), *EATING.parents[1:])),
        replace(EATING, cims=(TabledCims(np.zeros((1, 9, 9))), *EATING.cims[1:])),
        replace(EATING, initial=replace(EATING.initial, order=(0, 1, 7))),
        replace(EATING, initial=replace(EATING.initial, order=(0, 1, 1))),
        replace(EATING, initial=replace(EATING.initial, order=(0, 1))),
        replace(EATING, initial=replace(EATING.initial, tables=EATING.initial.tables[:1])),
        replace(EATING, initial=replace(EATING.initial, parents=((9,), (), ()))),
    ],
)
def test_inconsistent_networks_are_refused(network):
    with pytest.raises(InputError):
        ctbnlab.simulate(network, **SHORT)


@pytest.mark.parametrize("rate", [np.nan, np.inf, -1.0])
def test_odd_rates_are_refused(rate):
    cims = tuple(
        TabledCims(np.where(c.matrices(np.arange(c.n_configurations)) > 0, rate, 0.0)) for c in EATING.cims
    )
    with pytest.raises(InputError, match="negative, infinite or not numbers"):
        ctbnlab.simulate(replace(EATING, cims=cims), **SHORT)
