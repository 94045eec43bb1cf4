"""What roles mean for a network: which parents and rates its variables may have.

Static variables and clocks have no parents, and all their rates are 0: the first never change, and clocks
change at their cuts. A terminal variable has rates, but is nobody's parent: its first change ends the
trajectory.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ctbnlab.errors import InputError
from ctbnlab.model.cims import Cims, DrawnCims
from ctbnlab.model.roles import Roles
from ctbnlab.model.variables import Variable


def checked_roles(
    variables: Sequence[Variable], parents: Sequence[Sequence[int]], cims: Sequence[Cims], roles: Roles
) -> Roles:
    """Return the roles if the parents and rates of a network agree with them."""
    if not roles:
        return roles
    names = [variable.name for variable in variables]
    roles.checked(names)
    fixed, forbidden = roles.never_targets, roles.forbidden(names) if roles.tiers else frozenset()
    for i, (name, row) in enumerate(zip(names, parents, strict=True)):
        place = f"variable {name!r}"
        if name in fixed:
            role = "is static" if name in roles.static else "is a clock"
            if row:
                raise InputError(f"{role}, so it cannot have parents", place=place)
            if has_rates(cims[i]):
                raise InputError(f"{role}, so all its rates must be 0", place=place)
        for parent in row:
            if names[parent] in roles.terminal:
                raise InputError(f"its parent {names[parent]!r} is terminal: nothing follows it", place=place)
            if (names[parent], name) in forbidden:
                raise InputError(f"its parent {names[parent]!r} is in a later tier", place=place)
    _require_periods(variables, roles)
    return roles


def _require_periods(variables: Sequence[Variable], roles: Roles) -> None:
    states = {variable.name: len(variable.states) for variable in variables}
    for clock in roles.clocks:
        if clock.kind == "entry" and states[clock.name] != len(clock.cuts) + 1:
            cuts = "1 cut" if len(clock.cuts) == 1 else f"{len(clock.cuts)} cuts"
            raise InputError(
                f"has {states[clock.name]} states; a clock with {cuts} needs {len(clock.cuts) + 1}",
                place=f"variable {clock.name!r}",
            )


def has_rates(cims: Cims) -> bool:
    """Return whether any rate is other than 0; drawn rates are always positive."""
    if isinstance(cims, DrawnCims):
        return cims.n_states > 1
    return bool(np.any(cims.table()))


def first_period(cuts: Sequence[float]) -> int:
    """Return the period in which a clock of time since entry starts: the first, unless cuts lie before 0."""
    return sum(cut <= 0 for cut in cuts)


def period_labels(cuts: Sequence[float]) -> tuple[str, ...]:
    """Return the labels of the periods between cuts, such as <1, 1-5, >=5."""
    if not cuts:
        return ("always",)
    texts = [f"{cut:.4g}" for cut in cuts]
    if len(set(texts)) < len(texts):
        texts = [repr(cut) for cut in cuts]
    between = [f"{low}-{high}" for low, high in pairwise(texts)]
    return (f"<{texts[0]}", *between, f">={texts[-1]}")
