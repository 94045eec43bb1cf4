"""Presentation: tables, figures, graph drawings and terminal output.

Decides how results look. Imports `evaluation` and below.
"""
