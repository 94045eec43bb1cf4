"""ctbnlab: learn continuous-time Bayesian networks from trajectories.

Names are looked up when first used, so that `import ctbnlab` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ctbnlab._version import __version__

# What users reach for, and the module that has it.
_EXPORTS = {
    "Ctpc": "learners.ctpc",
    "Ctss": "learners.ctss",
    "EmpiricalBayes": "learners.empirical_bayes",
    "InputError": "errors",
    "Knowledge": "knowledge",
    "LearnedGraph": "graph",
    "Network": "network",
    "Trajectories": "trajectories",
    "Variable": "variables",
    "compare": "metrics",
    "fit_parameters": "parameters",
    "generate": "generation",
    "learn": "learning",
    "read": "formats",
    "simulate": "simulation",
    "write": "formats",
}

__all__ = ["__version__", *_EXPORTS]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'ctbnlab' has no attribute {name!r}")
    return getattr(import_module(f"ctbnlab.{_EXPORTS[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
