"""A score from a user's file, made without arguments; every number that it returns is checked."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.learning.answers import InvalidAnswer
from ctbnlab.learning.plugins import class_in_file, loading
from ctbnlab.learning.scores.base import Score


@dataclass(frozen=True)
class CheckedScore:
    """A score whose numbers are checked: a search that compares NaN or infinities returns nonsense."""

    score: Score

    def node_score(self, statistics: SufficientStatistics, n_events: int) -> float:
        """Return the score as a plain number, or raise `InvalidAnswer`."""
        value: object = self.score.node_score(statistics, n_events)
        numeric = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if not numeric or not math.isfinite(value):  # type: ignore[arg-type]
            raise InvalidAnswer(f"the score must be a finite number, not {str(value)[:80]!r}")
        return float(value)  # type: ignore[arg-type]


def score_in_file(name: str) -> CheckedScore:
    """Return the score of `file.py` or `file.py:Class`."""
    found = class_in_file(name, "node_score")
    with loading(name, f"the class {found.__name__} cannot be called"):
        return CheckedScore(found())
