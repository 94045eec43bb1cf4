"""Simulation: trajectories drawn from a network, event by event.

Decides how transitions are drawn, and how the work is divided so that threads do not change the result.
Imports `data` and below, `seeds` and `errors`.
"""
