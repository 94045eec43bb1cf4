"""Answers from a network: what happens, when, and what if.

Decides how the joint process of some variables is followed through time: which variables matter, where time
is cut into legs with constant rates, which engine answers, and how far its answer may be off. Imports
`simulation`, `model` and below, never `learning`: what it needs of the uncertainty of rates comes as a table.
"""
