"""What the rows of a table mean, one module per layout; each turns rows into marks.

Decides which states, times and trajectories the rows of a layout stand for. Imports `data.formats`.
"""
