"""The figures of an experiment, each a function from a table to a matplotlib Figure.

Decides which figures there are (`catalogue`), what each shows, and how facets, series and notes look
(`facets`). Imports `presentation.style` and `evaluation`; nothing else of `presentation`.
"""
