"""The version of the package; CITATION.cff and CHANGELOG.md repeat it."""

__version__ = "0.2.0"
