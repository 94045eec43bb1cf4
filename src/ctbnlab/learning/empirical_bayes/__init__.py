"""The default learner: `coincidence` and `search` propose parent sets, `strength` decides each arc."""
