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


def described(error: BaseException) -> str:
    """Return what an exception says, in one short line of valid Unicode, whatever raised it."""
    if isinstance(error, MemoryError):
        return "out of memory"
    try:
        text = f"{type(error).__name__}: {one_line(str(error))}".removesuffix(": ")
    except Exception:  # its own __str__ fails
        text = type(error).__name__
    return text if len(text) <= 500 else f"{text[:499]}…"


def one_line(text: str) -> str:
    """Return text without line breaks and repeated spaces, and with unpaired surrogates escaped."""
    return " ".join(text.encode("utf-8", "backslashreplace").decode().split())
