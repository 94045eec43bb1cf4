"""Named networks: examples from the literature, families of any size, and Boolean models from biology.

Decides which networks exist by name and with which options; `names` lists them, `get` builds one. Imports
`model` and `errors`.
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
    """Return the names of all networks in the gallery."""
    return tuple(_BUILDERS)


def summary(name: str) -> str:
    """Return a one-line description of a network."""
    return (inspect.getdoc(_builder(name)) or "").splitlines()[0].rstrip(".")


def options(name: str) -> dict[str, Any]:
    """Return the options of a network and their defaults."""
    return {key: value.default for key, value in inspect.signature(_builder(name)).parameters.items()}


def get(name: str, **chosen: Any) -> Network:
    """Return a network by name, with the given `options`."""
    known = options(name)
    for option in chosen:
        if option not in known:
            hint = f"its options are {', '.join(known)}" if known else "it takes no options"
            raise InputError(f"the network {name!r} has no option {option!r}; {hint}")
    return _builder(name)(**chosen)


def _builder(name: str) -> Callable[..., Network]:
    if name not in _BUILDERS:
        raise InputError(f"unknown network {name!r}; the gallery has {', '.join(_BUILDERS)}")
    return _BUILDERS[name]
