"""Learning: independence tests, scores, learners, and the graph and rates they lead to.

Decides the parents of each node and records the evidence for every arc. Imports `counting`, `simulation` (to
check learners on data with a known graph) and below.
"""
