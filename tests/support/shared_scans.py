"""The statistics of several targets whose pairs come from one scan."""

from __future__ import annotations

from ctbnlab.counting.pairs import batches
from ctbnlab.counting.tuning import MEMORY


def statistics_of(data, targets, *, memory=MEMORY, jobs=1):
    """Yield the NodeStatistics of each target in turn."""
    for batch in batches(data, targets, memory=memory, jobs=jobs):
        for share in batch:
            yield share.statistics(data, memory)
