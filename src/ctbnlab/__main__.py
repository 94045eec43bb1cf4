"""`python -m ctbnlab` is the command `ctbnlab`."""

from ctbnlab.cli.main import entry_point

entry_point()
