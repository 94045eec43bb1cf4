"""A user's own class from a file: `my_learner.py`, or `my_learner.py:Name` where it has several."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
from pathlib import Path
from typing import Any

from ctbnlab.errors import InputError


def is_file(name: str) -> bool:
    """Tell whether a name is that of a user's file, with or without a class."""
    return name.endswith(".py") or ".py:" in name


def file_of(name: str) -> str:
    """Return the file alone."""
    return name.rpartition(".py")[0] + ".py"


def class_of(name: str, method: str) -> Any:
    """Return the dataclass with a certain method that the file has, or say what is wrong with it."""
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
    chosen = found[wanted or next(iter(found))]
    if not dataclasses.is_dataclass(chosen):
        raise InputError(
            f"the class {chosen.__name__} must be a dataclass: its fields are its options", path=path
        )
    return chosen


def _module_name(path: Path) -> str:
    return f"ctbnlab_user_{path.stem}"


def _module(path: Path) -> Any:
    if not path.is_file():
        raise InputError("there is no such file", path=path)
    name = _module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up there
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"cannot be loaded ({type(error).__name__}: {error})", path=path) from error
    return module
