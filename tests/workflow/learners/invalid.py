"""A learner that returns an invalid parent set."""

from dataclasses import dataclass

from ctbnlab.learning.contract import NodeResult


@dataclass(frozen=True)
class Invalid:
    def learn_node(self, statistics, knowledge):
        return NodeResult(statistics.target, (statistics.target, 99), ())
