"""Simulation: trajectories drawn from a network, event by event.

Decides how transitions are drawn and how work is cut so that threads do not change the result. Imports `data`
and below.
"""
