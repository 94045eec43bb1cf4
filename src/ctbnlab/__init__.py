"""ctbnlab: learn continuous-time Bayesian networks from trajectories.

Names are looked up when first used, so that `import ctbnlab` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ctbnlab._version import __version__

# What users reach for, and the module that has it.
_EXPORTS = {
    "Aic": "scores.information",
    "Bde": "scores.bde",
    "Bic": "scores.information",
    "ChiSquare": "independence.chi_square",
    "Combined": "independence.combined",
    "Comparison": "metrics",
    "Confusion": "metrics",
    "Conventions": "independence.conventions",
    "Ctpc": "learners.ctpc",
    "Ctss": "learners.ctss",
    "DirichletMultinomial": "independence.dirichlet_multinomial",
    "EmpiricalBayes": "learners.empirical_bayes",
    "EmpiricalBayesScore": "scores.empirical_bayes",
    "Estimator": "learners.estimator",
    "Evidence": "learners.base",
    "Hyperparameters": "scores.bde",
    "IndependenceTest": "independence.base",
    "InputError": "errors",
    "Knowledge": "knowledge",
    "KolmogorovSmirnov": "independence.kolmogorov_smirnov",
    "LearnedGraph": "graph",
    "Learner": "learners.base",
    "LogLikelihood": "scores.information",
    "Network": "network",
    "NodeKnowledge": "knowledge",
    "NodeResult": "learners.base",
    "NodeStatistics": "statistics",
    "Outcome": "independence.base",
    "Pooled": "independence.pooled",
    "Score": "scores.base",
    "Skip": "learners.base",
    "SufficientStatistics": "statistics",
    "Trajectories": "trajectories",
    "Variable": "variables",
    "WaitingTimes": "independence.waiting_times",
    "compare": "metrics",
    "fit_parameters": "parameters",
    "from_dataframe": "formats.dataframe",
    "generate": "generation",
    "learn": "learning",
    "plot": "draw",
    "read": "formats",
    "simulate": "simulation",
    "to_dataframe": "formats.dataframe",
    "write": "formats",
}

# Modules that users reach for whole.
_MODULES = {"gallery": "gallery", "seeds": "seeds"}

__all__ = ["__version__", *_EXPORTS, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"ctbnlab.{_MODULES[name]}")
    if name not in _EXPORTS:
        raise AttributeError(f"module 'ctbnlab' has no attribute {name!r}")
    return getattr(import_module(f"ctbnlab.{_EXPORTS[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
