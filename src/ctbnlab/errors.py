"""The error for bad input: one line that names the file and the place."""

from __future__ import annotations

import os


class InputError(ValueError):
    """Bad input, formatted as `path: place: message`; the command prints it and exits with status 2."""

    def __init__(self, message: str, *, path: str | os.PathLike[str] | None = None, place: str | None = None):
        parts = [os.fspath(path) if path is not None else None, place, message]
        super().__init__(": ".join(part for part in parts if part))
        self.message = message
        self.path = path
        self.place = place

    def within(self, path: str | os.PathLike[str]) -> InputError:
        """Return the error with the file's name added, for code that does not know which file it reads."""
        return self if self.path is not None else InputError(self.message, path=path, place=self.place)
