"""The error for bad input: one line that names the file and the place."""

from __future__ import annotations

import os

# A longer place or message loses its middle: its beginning and its advice at the end remain.
MAX_SHOWN = 400


class InputError(ValueError):
    """Bad input, formatted as `path: place: message`; the command prints it and exits with status 2.

    Its text is one line, whatever names and labels it quotes: see `one_line`.
    """

    def __init__(self, message: str, *, path: str | os.PathLike[str] | None = None, place: str | None = None):
        shown = [printable(os.fspath(path)) if path is not None else None]
        shown += [one_line(part) if part else None for part in (place, message)]
        super().__init__(": ".join(part for part in shown if part))
        self.message = message
        self.path = path
        self.place = place

    def within(self, path: str | os.PathLike[str]) -> InputError:
        """Return the error with the file's name added, for code that does not know which file it reads."""
        return self if self.path is not None else InputError(self.message, path=path, place=self.place)


def printable(text: str) -> str:
    """Return a text with control characters escaped, so that it cannot break its line or steer a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def one_line(text: str) -> str:
    """Return a text as one printable line: white space becomes a space, and a long text loses its middle."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= MAX_SHOWN else f"{line[: 2 * MAX_SHOWN // 3]} … {line[-MAX_SHOWN // 3 :]}"


def described(error: BaseException) -> str:
    """Return what an exception says, in one printable line, whatever raised it."""
    if isinstance(error, MemoryError):
        return "out of memory"
    try:
        return f"{type(error).__name__}: {one_line(str(error))}".removesuffix(": ")
    except Exception:  # its own __str__ fails
        return type(error).__name__
