"""CTPC, the constraint-based learner: `learner` has options, `search` the levels, `evidence` the report."""
