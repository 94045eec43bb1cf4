"""Named networks: examples from the literature, families of any size, and Boolean biology.

One file a kind; `names` lists them, `get` builds one by name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ctbnlab.errors import InputError
from ctbnlab.model.gallery.cell_cycles import budding_yeast, mammalian_cell_cycle
from ctbnlab.model.gallery.drug import drug
from ctbnlab.model.gallery.eating import eating
from ctbnlab.model.gallery.families import chain, ring, tree
from ctbnlab.model.network import Network

_BUILDERS: dict[str, Callable[..., Network]] = {
    "eating": eating,
    "drug": drug,
    "chain": chain,
    "ring": ring,
    "tree": tree,
    "mammalian-cell-cycle": mammalian_cell_cycle,
    "budding-yeast": budding_yeast,
}


def names() -> tuple[str, ...]:
    """Return the names of all networks."""
    return tuple(_BUILDERS)


def summary(name: str) -> str:
    """Return one line about a network."""
    return (inspect.getdoc(_builder(name)) or "").splitlines()[0].rstrip(".")


def options(name: str) -> dict[str, Any]:
    """Return a network's options and their defaults."""
    return {key: value.default for key, value in inspect.signature(_builder(name)).parameters.items()}


def get(name: str, **chosen: Any) -> Network:
    """Return a network by its name; see `options` for what can be chosen."""
    known = options(name)
    for option in chosen:
        if option not in known:
            there = f"it has {', '.join(known)}" if known else "it has none"
            raise InputError(f"the network {name!r} has no option {option!r}; {there}")
    return _builder(name)(**chosen)


def _builder(name: str) -> Callable[..., Network]:
    if name not in _BUILDERS:
        raise InputError(f"there is no network {name!r} in the gallery; there are {', '.join(_BUILDERS)}")
    return _BUILDERS[name]
