"""ctbnlab: learn continuous-time Bayesian networks from trajectories.

Names are looked up when first used, so that `import ctbnlab` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ctbnlab._version import __version__

if TYPE_CHECKING:
    from ctbnlab import seeds as seeds
    from ctbnlab.counting.node import NodeStatistics as NodeStatistics
    from ctbnlab.counting.sufficient import SufficientStatistics as SufficientStatistics
    from ctbnlab.data.formats.dataframe import from_dataframe as from_dataframe, to_dataframe as to_dataframe
    from ctbnlab.data.formats.reading import read as read
    from ctbnlab.data.formats.writing import write as write
    from ctbnlab.data.joining import concat as concat
    from ctbnlab.data.trajectories import Trajectories as Trajectories
    from ctbnlab.errors import InputError as InputError, NotFittedError as NotFittedError
    from ctbnlab.evaluation.metrics import (
        Comparison as Comparison,
        Confusion as Confusion,
        compare as compare,
    )
    from ctbnlab.inference.answer import Answer as Answer
    from ctbnlab.inference.question import Query as Query
    from ctbnlab.learning.bootstrap import bootstrap as bootstrap
    from ctbnlab.learning.bootstrap_result import Bootstrap as Bootstrap
    from ctbnlab.learning.checks import model_checks as model_checks
    from ctbnlab.learning.contract import (
        Check as Check,
        Effect as Effect,
        Evidence as Evidence,
        Learner as Learner,
        NodeResult as NodeResult,
        Skip as Skip,
        TwoStage as TwoStage,
    )
    from ctbnlab.learning.ctpc.learner import Ctpc as Ctpc
    from ctbnlab.learning.ctss.learner import Ctss as Ctss
    from ctbnlab.learning.effects import with_effects as with_effects
    from ctbnlab.learning.empirical_bayes.learner import EmpiricalBayes as EmpiricalBayes
    from ctbnlab.learning.estimator import Estimator as Estimator
    from ctbnlab.learning.graph import LearnedGraph as LearnedGraph
    from ctbnlab.learning.independence.base import IndependenceTest as IndependenceTest, Outcome as Outcome
    from ctbnlab.learning.independence.conventions import Conventions as Conventions
    from ctbnlab.learning.independence.dirichlet_multinomial import (
        DirichletMultinomial as DirichletMultinomial,
    )
    from ctbnlab.learning.independence.paper_tests import (
        ChiSquare as ChiSquare,
        Combined as Combined,
        KolmogorovSmirnov as KolmogorovSmirnov,
        WaitingTimes as WaitingTimes,
    )
    from ctbnlab.learning.independence.pooled import Pooled as Pooled
    from ctbnlab.learning.knowledge import Knowledge as Knowledge, NodeKnowledge as NodeKnowledge
    from ctbnlab.learning.nodes import learn as learn
    from ctbnlab.learning.parameters import (
        FittedParameters as FittedParameters,
        fit_parameters as fit_parameters,
    )
    from ctbnlab.learning.scores.base import Score as Score
    from ctbnlab.learning.scores.bde import Bde as Bde, Hyperparameters as Hyperparameters
    from ctbnlab.learning.scores.empirical_bayes import EmpiricalBayesScore as EmpiricalBayesScore
    from ctbnlab.learning.scores.information import Aic as Aic, Bic as Bic, LogLikelihood as LogLikelihood
    from ctbnlab.model import gallery as gallery
    from ctbnlab.model.generate import generate as generate
    from ctbnlab.model.names import LiteralName as LiteralName
    from ctbnlab.model.network import Network as Network
    from ctbnlab.model.variables import Variable as Variable
    from ctbnlab.presentation.answer_plot import plot_answer as plot_answer
    from ctbnlab.presentation.draw.plot import plot as plot
    from ctbnlab.simulation.simulate import simulate as simulate

# What users reach for, and the module it lives in.
_EXPORTS = {
    "NodeStatistics": "counting.node",
    "SufficientStatistics": "counting.sufficient",
    "Trajectories": "data.trajectories",
    "concat": "data.joining",
    "from_dataframe": "data.formats.dataframe",
    "read": "data.formats.reading",
    "to_dataframe": "data.formats.dataframe",
    "write": "data.formats.writing",
    "InputError": "errors",
    "NotFittedError": "errors",
    "Comparison": "evaluation.metrics",
    "Confusion": "evaluation.metrics",
    "compare": "evaluation.metrics",
    "Answer": "inference.answer",
    "Query": "inference.question",
    "Aic": "learning.scores.information",
    "Bde": "learning.scores.bde",
    "Bic": "learning.scores.information",
    "Check": "learning.contract",
    "Bootstrap": "learning.bootstrap_result",
    "ChiSquare": "learning.independence.paper_tests",
    "Combined": "learning.independence.paper_tests",
    "Conventions": "learning.independence.conventions",
    "Ctpc": "learning.ctpc.learner",
    "Ctss": "learning.ctss.learner",
    "DirichletMultinomial": "learning.independence.dirichlet_multinomial",
    "Effect": "learning.contract",
    "EmpiricalBayes": "learning.empirical_bayes.learner",
    "EmpiricalBayesScore": "learning.scores.empirical_bayes",
    "Estimator": "learning.estimator",
    "Evidence": "learning.contract",
    "Hyperparameters": "learning.scores.bde",
    "IndependenceTest": "learning.independence.base",
    "Knowledge": "learning.knowledge",
    "KolmogorovSmirnov": "learning.independence.paper_tests",
    "LearnedGraph": "learning.graph",
    "Learner": "learning.contract",
    "LogLikelihood": "learning.scores.information",
    "NodeKnowledge": "learning.knowledge",
    "NodeResult": "learning.contract",
    "Outcome": "learning.independence.base",
    "Pooled": "learning.independence.pooled",
    "Score": "learning.scores.base",
    "Skip": "learning.contract",
    "TwoStage": "learning.contract",
    "WaitingTimes": "learning.independence.paper_tests",
    "bootstrap": "learning.bootstrap",
    "FittedParameters": "learning.parameters",
    "fit_parameters": "learning.parameters",
    "with_effects": "learning.effects",
    "learn": "learning.nodes",
    "model_checks": "learning.checks",
    "LiteralName": "model.names",
    "Network": "model.network",
    "Variable": "model.variables",
    "generate": "model.generate",
    "plot": "presentation.draw.plot",
    "plot_answer": "presentation.answer_plot",
    "simulate": "simulation.simulate",
}
# Modules that users reach for whole.
_MODULES = {"gallery": "model.gallery", "seeds": "seeds"}

__all__ = ["__version__", *_EXPORTS, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"ctbnlab.{_MODULES[name]}")
    if name not in _EXPORTS:
        raise AttributeError(f"module 'ctbnlab' has no attribute {name!r}")
    return getattr(import_module(f"ctbnlab.{_EXPORTS[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
