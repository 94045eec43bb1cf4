"""A learner that takes the given number of seconds per node."""

import time
from dataclasses import dataclass

from ctbnlab.learning.contract import NodeResult


@dataclass(frozen=True)
class TakesTime:
    seconds: float = 1.0

    def learn_node(self, statistics, knowledge):
        time.sleep(self.seconds)
        return NodeResult(statistics.target, (), ())
