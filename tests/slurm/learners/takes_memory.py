"""A learner that holds the given number of megabytes for a moment."""

import time
from dataclasses import dataclass

from ctbnlab.learning.contract import NodeResult


@dataclass(frozen=True)
class TakesMemory:
    megabytes: int = 100

    def learn_node(self, statistics, knowledge):
        held = []
        for _ in range(self.megabytes // 10):
            held.append(bytearray(b"x" * 10_000_000))
            time.sleep(0.01)
        time.sleep(0.2)
        return NodeResult(statistics.target, (), ())
