"""The model: variables, graphs, intensity matrices, initial distributions, and ways to create networks.

Decides what a continuous-time Bayesian network is, how one is drawn at random, and how it is written to JSON.
Imports `io`, `seeds` and `errors`.
"""
