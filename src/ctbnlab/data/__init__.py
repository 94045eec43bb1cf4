"""Trajectories: events as columns in memory, in an Arrow file, and in every readable or writable format.

Decides how observed trajectories are represented and checked. Imports `model` and below.
"""
