"""Tests of conditional independence: one file each, one contract (`base`)."""
