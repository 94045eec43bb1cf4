"""Classes from outside ctbnlab: in a user's file or in an installed package.

A file is named as `my_learner.py`, or `my_learner.py:Name` if it has several classes; a package has an
entry point in the group `ctbnlab.learners`. Such code may do anything while it is loaded, also exit: whatever
it raises becomes a `LoadError`.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctbnlab.errors import InputError, described

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "ctbnlab.learners"


class LoadError(InputError):
    """Code from outside failed while it was loaded or while its class was called."""


def is_file(name: str) -> bool:
    """Return whether a name is that of a user's file, with or without a class."""
    return name.endswith(".py") or ".py:" in name


def file_of(name: str) -> str:
    """Return the file without the class."""
    return name.rpartition(".py")[0] + ".py"


def class_in_file(name: str, method: str) -> Any:
    """Return the dataclass in a file that has a certain method, or report what is wrong with the file."""
    path = Path(file_of(name))
    wanted = name.removeprefix(file_of(name)).removeprefix(":")
    found = {
        key: kind
        for key, kind in vars(_module(path)).items()
        if isinstance(kind, type) and kind.__module__ == _module_name(path) and hasattr(kind, method)
    }
    if wanted and wanted not in found:
        raise InputError(f"has no class {wanted!r} with a method {method}", path=path)
    if not wanted and len(found) != 1:
        listed = f"({', '.join(found)}); name one as {path}:CLASS" if found else f"with a method {method}"
        raise InputError(f"has {len(found)} classes {listed}", path=path)
    return _checked(found[wanted or next(iter(found))], method, path)


def installed_learners() -> dict[str, str]:
    """Return the names of the learners that installed packages offer, and where each is."""
    return {entry.name: entry.value for entry in sorted(_entries(), key=lambda entry: entry.name)}


def class_of_entry_point(name: str, method: str) -> Any:
    """Return the class behind an entry point, or report what is wrong with it."""
    entry = next(entry for entry in _entries() if entry.name == name)
    place = f"entry point {name} = {entry.value}"
    with loading(place):
        found = entry.load()
    return _checked(found, method, place)


@contextmanager
def loading(place: Path | str, what: str = "cannot be loaded") -> Iterator[None]:
    """Report whatever code from outside raises in this block, sys.exit() included, as a `LoadError`."""
    try:
        yield
    except InputError:
        raise
    except BaseException as error:
        raise LoadError(f"{what} ({described(error)})", path=place) from error


def rehearse(load: Callable[[], object], place: Path | str) -> None:
    """Call a function in a forked process first: if it ends its process, it must not be this one.

    For programs that cannot be supervised, such as Snakemake; an exit status of 0 would look like success.
    """
    read, write = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            silent = os.open(os.devnull, os.O_WRONLY)
            for stream in (1, 2):
                os.dup2(silent, stream)
            with suppress(BaseException):  # the real call reports it
                load()
            os.write(write, b"x")
        finally:
            os._exit(1)
    os.close(write)
    survived = os.read(read, 1)
    os.close(read)
    os.waitpid(process, 0)
    if not survived:
        raise LoadError("cannot be loaded (it ends the process)", path=place)


def _entries() -> list[EntryPoint]:
    from importlib.metadata import entry_points  # 30 ms, which no other learner should pay

    return list(entry_points(group=GROUP))


def _checked(found: Any, method: str, place: Path | str) -> Any:
    """Return a class if it is a dataclass with the method."""
    if not isinstance(found, type) or not hasattr(found, method):
        raise InputError(f"is not a class with a method {method}", path=place)
    if not dataclasses.is_dataclass(found):
        raise InputError(
            f"the class {found.__name__} must be a dataclass: its fields are its options", path=place
        )
    return found


def _module_name(path: Path) -> str:
    return f"ctbnlab_user_{path.stem}"


def _module(path: Path) -> Any:
    if not path.is_file():
        raise InputError("no such file", path=path)
    name = _module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up there
    with loading(path):
        spec.loader.exec_module(module)
    return module
