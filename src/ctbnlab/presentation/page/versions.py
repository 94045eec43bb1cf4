"""Versions and citations of a page."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version

from ctbnlab._version import __version__


def versions() -> dict[str, str]:
    """Return the versions of what results are computed with."""
    return {"ctbnlab": __version__, **{name: version(name) for name in ("numpy", "pyarrow")}}


def citations(learners: Iterable[object]) -> tuple[str, ...]:
    """Return what to cite: the software, then the learners."""
    software = f"The ctbnlab developers: ctbnlab {__version__}"
    found = (" ".join(str(getattr(learner, "citation", "")).split()) for learner in learners)
    return tuple(dict.fromkeys([software, *filter(None, found)]))
