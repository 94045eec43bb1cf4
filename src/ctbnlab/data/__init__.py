"""Trajectories: events as columns in memory, in Arrow files, and in every other format read or written.

Decides how observed trajectories are represented, checked and stored. Imports `model` and below.
"""
