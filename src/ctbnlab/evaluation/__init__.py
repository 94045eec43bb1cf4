"""Evaluation: comparing a learned graph with the true one, and summarising results and published values.

Decides what is measured and how cells are averaged. Imports `learning` and below.
"""
