"""`ctbnlab learn --list`: the learners, and every option with its type, default, meaning and unit."""

from __future__ import annotations

import dataclasses
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any, cast

from ctbnlab.errors import InputError, printable

_WIDTH = 79


def print_learners(name: str | None) -> None:
    """Print all learners, or one, which may be a file."""
    from ctbnlab.learning import registry

    summaries = registry.summaries()
    if name is not None:
        # An unknown name is an error here; among all learners, one that cannot be loaded is only reported.
        registry.rehearse_loading(name)
        registry.learner_class(name)
        summaries = {name: summaries.get(name, "")}
    print("Set an option of a learner with --option NAME=VALUE.")
    for each, summary in summaries.items():
        print()
        try:
            registry.rehearse_loading(each)
            lines = list(_described(each, summary))
        except InputError as error:
            lines = [str(error)]
        print("\n".join(lines))


def _described(name: str, summary: str) -> Iterator[str]:
    from ctbnlab.learning import registry

    found, preset = registry.learner_class(name)
    about = f": {printable(summary)}" if summary else ""
    yield f"{printable(name)}{' (default)' if name == registry.DEFAULT else ''}{about}"
    types = registry.option_types(found, name)
    for field in dataclasses.fields(cast(Any, found)):
        if field.init and field.name not in preset:
            yield from _option(found, field, types[field.name])
    citation = " ".join(inspect.cleandoc(str(getattr(found, "citation", "none"))).split())
    yield from textwrap.wrap(
        f"Reference: {printable(citation)}",
        _WIDTH,
        initial_indent="  ",
        subsequent_indent="  ",
        break_on_hyphens=False,
    )


def _option(learner: type, field: dataclasses.Field[Any], hint: Any) -> Iterator[str]:
    from ctbnlab.learning import registry
    from ctbnlab.learning.option_texts import meaning

    default = "required" if field.default is dataclasses.MISSING else f"default {_value(field.default)}"
    if field.default_factory is not dataclasses.MISSING:
        default = "default: made anew"
    yield f"  {field.name}  ({registry.words_for(registry.readable_types(hint))}; {default})"
    for paragraph in filter(None, [printable(meaning(learner, field))]):
        yield from textwrap.wrap(
            paragraph, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6, break_on_hyphens=False
        )


def _value(value: object) -> str:
    """Return a default as it would be typed."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{value:.0f}"
    return printable(str(value))
