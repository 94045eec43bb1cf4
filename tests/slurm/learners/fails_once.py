"""A learner that takes its whole job down, the first time that it is run."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from ctbnlab.learning.contract import NodeResult


@dataclass(frozen=True)
class FailsOnce:
    marker: str = "marker"

    def learn_node(self, statistics, knowledge):
        marker = Path(self.marker)
        if not marker.exists():
            marker.touch()
            # The process that watches the learner cannot record what happens to itself.
            os.kill(os.getppid(), signal.SIGKILL)
            os._exit(1)
        return NodeResult(statistics.target, (), ())
