"""Boolean networks as binary CTBNs.

A rule determines whether a component is on at the next step. In continuous time, a component that is off
turns on at rate `up` if its rule holds, and one that is on turns off at rate `down` if it does not. Changes
against the rule have the small rate `leak`, so that every state can be reached again.

A rule may depend on the component itself. A variable's own state is not a parent but the row of the matrix:
the row for state x uses the rule's value with the component itself in x. The variable's parents are the other
regulators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ctbnlab.errors import InputError
from ctbnlab.model.network import Network

STATES = ("off", "on")


class Rule(NamedTuple):
    """The regulators of a component, possibly including itself, and a function of their states."""

    regulators: tuple[str, ...]
    holds: Callable[..., bool]


def boolean_network(
    rules: Mapping[str, Rule], up: float, down: float, leak: float, about: Mapping[str, Any]
) -> Network:
    """Return the binary CTBN of Boolean rules."""
    if not all(0 <= rate < np.inf for rate in (up, down, leak)):
        raise InputError("rates must not be negative or infinite")
    parents = {
        name: [regulator for regulator in rule.regulators if regulator != name]
        for name, rule in rules.items()
    }
    cims = {}
    for name, rule in rules.items():
        matrices = []
        for states in product((False, True), repeat=len(parents[name])):
            others = dict(zip(parents[name], states, strict=True))
            holds = [_value(rule, {**others, name: own}) for own in (False, True)]
            on_rate = up if holds[0] else leak
            off_rate = leak if holds[1] else down
            matrices.append([[-on_rate, on_rate], [off_rate, -off_rate]])
        cims[name] = np.array(matrices)
    return Network.build(
        variables=[(name, STATES) for name in rules],
        parents=parents,
        cims=cims,
        about={**about, "up": up, "down": down, "leak": leak},
    )


def _value(rule: Rule, states: Mapping[str, bool]) -> bool:
    return bool(rule.holds(*(states[regulator] for regulator in rule.regulators)))


def threshold_rule(
    name: str, activators: tuple[str, ...], inhibitors: tuple[str, ...], degrades: bool
) -> Rule:
    """Return the rule of a threshold network: on if more activators than inhibitors are on, off if fewer.

    If the numbers are equal, the component keeps its state, or turns off if it `degrades`.
    """
    regulators = (*activators, *inhibitors)

    def holds(*states: bool) -> bool:
        balance = sum(states[: len(activators)]) - sum(states[len(activators) : len(regulators)])
        own = False if degrades else states[len(regulators)]
        return balance > 0 or (balance == 0 and own)

    return Rule(regulators if degrades else (*regulators, name), holds)
