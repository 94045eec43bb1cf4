"""Evaluation: a learned graph compared with the true one, and results summarised beside the published values.

Decides what is measured and how cells are averaged. Imports `learning` and below.
"""
