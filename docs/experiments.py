"""The committed results of the experiments under docs/results, as rows and as cells."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import pandas as pd
from blocks import RESULTS

from ctbnlab.evaluation import summary
from ctbnlab.evaluation.results_table import read_metrics

# Experiments with published values, and the table of the paper that has them.
REFERENCES = {"paper": "main", "best": "main", "paper_tests": "tests", "big_networks": "big"}
PAPERS = ("ctss", "ctpc-chi2")  # the learners of the main experiment


@cache
def metrics(experiment: str) -> pd.DataFrame:
    """Return the rows of an experiment's metrics."""
    return read_metrics(RESULTS / experiment / "metrics.parquet")


@cache
def cells(experiment: str) -> pd.DataFrame:
    """Return the cells of an experiment, with the published values."""
    return summary.summarise(metrics(experiment), REFERENCES.get(experiment))


def compared(experiment: str, learners: Iterable[str]) -> pd.DataFrame:
    """Return those F1 cells of the learners that have a published value."""
    found = cells(experiment)
    return found[(found["metric"] == "f1") & found["published"].notna() & found["learner"].isin(learners)]
