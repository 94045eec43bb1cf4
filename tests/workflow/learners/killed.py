"""A learner that kills its own process."""

import os
import signal
from dataclasses import dataclass


@dataclass(frozen=True)
class Killed:
    def learn_node(self, statistics, knowledge):
        os.kill(os.getpid(), signal.SIGKILL)
