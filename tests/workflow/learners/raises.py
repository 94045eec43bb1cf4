"""A learner that raises an error."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Raises:
    def learn_node(self, statistics, knowledge):
        raise ZeroDivisionError("an error of the learner")
