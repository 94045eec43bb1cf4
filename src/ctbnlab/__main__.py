"""`python -m ctbnlab` is the command `ctbnlab`."""

from ctbnlab.cli import entry_point

entry_point()
