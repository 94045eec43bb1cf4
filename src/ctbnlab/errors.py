"""The errors for users, first that for bad input: one line that names the file and the place.

A file is named as the user named it. Where a program works on another file instead, such as a copy of
standard input or the scratch file of an output, `shown_as` declares the name to use in messages.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

AnyPath = str | os.PathLike[str]

_names: dict[str, str] = {}
_FILE_INSIDE = re.compile(r"^/[\w.]+")


@contextmanager
def shown_as(path: AnyPath, name: AnyPath) -> Iterator[None]:
    """Name `path`, and whatever is inside it, by `name` in messages."""
    key = os.fspath(path)
    before = _names.get(key)
    _names[key] = os.fspath(name)
    try:
        yield
    finally:
        _names.pop(key, None)
        if before is not None:
            _names[key] = before


def shown(path: AnyPath) -> str:
    """Return the name of a file for messages."""
    text = os.fspath(path)
    for real, name in list(_names.items()):
        if text == real or text.startswith(f"{real}/"):
            return name
    return text


def _with_shown_names(message: str) -> str:
    """Return a message of another library, which may quote the path it was given, with names for users."""
    for real, name in list(_names.items()):
        if real in message:
            start, *rest = message.split(real)
            message = start + "".join(name + _FILE_INSIDE.sub("", part) for part in rest)
    return message


def renamed(error: OSError, default: AnyPath | None = None) -> OSError:
    """Return a system error that shows its file's name for messages, or `default` if it has no file."""
    path = default if error.filename is None else error.filename
    name = None if path is None else shown(path)
    if name == error.filename:
        return error
    return OSError(error.errno, os.strerror(error.errno) if error.errno else str(error), name)


# A longer place or message loses its middle: its beginning and its advice at the end remain.
MAX_SHOWN = 400


class InputError(ValueError):
    """Bad input, formatted as `path: place: message`; the command prints it and exits with status 2.

    Its text is one line, whatever names and labels it quotes: see `one_line`.
    """

    def __init__(self, message: str, *, path: AnyPath | None = None, place: str | None = None):
        message = _with_shown_names(message)
        parts = [printable(shown(path)) if path is not None else None]
        parts += [one_line(part) if part else None for part in (place, message)]
        super().__init__(": ".join(part for part in parts if part))
        self.message = message
        self.path = path
        self.place = place

    def within(self, path: AnyPath) -> InputError:
        """Return the error with the file's name added, for code that does not know which file it reads."""
        return self if self.path is not None else InputError(self.message, path=path, place=self.place)


class NotFittedError(ValueError, AttributeError):
    """A result of `fit` was asked for before `fit`; an AttributeError, so that `hasattr` works."""


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


def reason_of(error: Exception) -> str:
    """Return the first line of an error of another library, or its type if it has no text."""
    return (str(error).splitlines() or [type(error).__name__])[0]
