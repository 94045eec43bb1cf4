"""The states of the candidates at sampled points, unpacked from their bit planes."""

from __future__ import annotations

from ctbnlab.counting.points import SampledPoints


def event_states(points: SampledPoints, x: int, y: int) -> list[list[int]]:
    """Return the candidates' states at each event from x to y."""
    first, count = int(points.event_firsts[x, y]), int(points.event_counts[x, y])
    return _unpacked(points.events[:, first : first + count], len(points.candidates))


def control_states(points: SampledPoints, x: int) -> list[list[int]]:
    """Return the candidates' states at each control in x."""
    first, count = int(points.control_firsts[x]), int(points.control_counts[x])
    return _unpacked(points.controls[:, first : first + count], len(points.candidates))


def _unpacked(planes, n_candidates) -> list[list[int]]:
    return [
        [sum(int(plane >> v & 1) << p for p, plane in enumerate(point)) for v in range(n_candidates)]
        for point in planes.T
    ]
