"""The numbers that the paper published, as CSV files, and the module that reads them.

Decides nothing but how the printed tables are keyed: `paper_values` gives them under our learners' names.
Imports the standard library only.
"""
