"""Scores of parent sets: one file each, one contract (`base`)."""
