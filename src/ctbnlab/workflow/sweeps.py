"""The learners of an experiment: one for each combination of swept options, with labels fit for folders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import PurePosixPath
from typing import Any

from ctbnlab.errors import InputError
from ctbnlab.learning.external import option_text
from ctbnlab.learning.plugins import file_of, is_file
from ctbnlab.workflow.config import LearnerSection

LABEL = r"[A-Za-z0-9][A-Za-z0-9_.=,+-]*"
_MAX_LABEL = 200  # a file name has at most 255 bytes
_MAX_VALUE = 60


def swept(learners: Mapping[str, LearnerSection]) -> Iterator[tuple[str, LearnerSection]]:
    """Yield each learner; one with a sweep yields a learner per combination of the swept values."""
    seen: set[str] = set()
    for label, entry in learners.items():
        names = {option: _short_names(values, label) for option, values in entry.sweep.items()}
        for chosen in product(*(range(len(values)) for values in entry.sweep.values())):
            places = dict(zip(entry.sweep, chosen, strict=True))
            full = label + "".join(f"_{option}={names[option][k]}" for option, k in places.items())
            if full in seen or len(full) > _MAX_LABEL:
                fault = "appears twice" if full in seen else "is too long for the name of a folder"
                _refuse(f"the label {full!r} {fault}; run these values as separate learners", label)
            seen.add(full)
            options = {option: entry.sweep[option][k] for option, k in places.items()}
            yield full, entry.model_copy(update={"options": {**entry.options, **options}})


def _refuse(message: str, label: str) -> None:
    raise InputError(message, path="config", place=f"learners.{label}.sweep")


def _short_names(values: Sequence[Any], label: str) -> list[str]:
    """Return a distinct text for each value of an option, of characters that a label may have.

    A file goes by its name without folder and extension. Files of the same name get as many folders before
    it as it takes to tell them apart; whatever is still the same is numbered.
    """
    texts = [option_text(value) for value in values]
    for text in texts:
        if texts.count(text) > 1:
            _refuse(f"the value {text!r} appears twice", label)
    pieces = [_pieces(text) for text in texts]
    names = [_joined(parts[-1:]) for parts in pieces]
    for depth in range(2, max(map(len, pieces), default=0) + 1):
        names = [
            _joined(parts[-depth:]) if names.count(name) > 1 else name
            for name, parts in zip(names, pieces, strict=True)
        ]
    numbered: list[str] = []
    for name in names:
        again = 2
        unique = name
        while unique in numbered or (unique != name and unique in names):
            unique, again = f"{name}-{again}", again + 1
        numbered.append(unique)
    return numbered


def _pieces(text: str) -> list[str]:
    """Return the parts of a path, the last one being the name that is shown; or the text alone."""
    if not is_file(text) and "/" not in text:
        return [text]
    path = file_of(text) if is_file(text) else text
    *folders, name = PurePosixPath(path).parts or (text,)
    class_name = text.removeprefix(path).replace(":", ".")
    return [*folders, name.removesuffix(".py") + class_name]


def _joined(parts: Sequence[str]) -> str:
    words = (re.sub(r"[^A-Za-z0-9_.,+=-]+", "-", part).strip("-.") for part in parts)
    return "-".join(filter(None, words))[-_MAX_VALUE:] or "value"
