"""A learner with a fault."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Raises:
    def learn_node(self, statistics, knowledge):
        raise ZeroDivisionError("a fault of its own")
