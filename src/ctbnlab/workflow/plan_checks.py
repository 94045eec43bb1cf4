"""Checks of a config before any job runs: its learners, the files behind them, and prior knowledge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ctbnlab.errors import InputError
from ctbnlab.learning import registry
from ctbnlab.learning.external import Command
from ctbnlab.learning.knowledge import Knowledge
from ctbnlab.learning.plugins import file_of, is_file
from ctbnlab.model.names import End, parse_arc
from ctbnlab.workflow.config import Config, DataSection, LearnerSection


def check_learners(config: Config, learners: Mapping[str, LearnerSection]) -> None:
    """Refuse learners that cannot be made; `learners` are those of the config with their sweeps unfolded."""
    for label, entry in config.learners.items():
        if entry.algorithm is not None:
            with _naming(f"learners.{label}.algorithm"):
                registry.rehearse_loading(entry.algorithm, entry.options)
                registry.learner_class(entry.algorithm)
    for label, entry in learners.items():
        with _naming(f"learners.{label}"):
            if entry.algorithm is not None:
                registry.make(entry.algorithm, entry.options)
            else:
                command_of(entry).require_program()
            for path in learner_files(entry):
                if not Path(path).is_file():
                    raise InputError("no such file", path=path)


def command_of(entry: LearnerSection) -> Command:
    """Return the external command of a learner."""
    assert entry.command is not None
    return Command(entry.command, entry.options, entry.data_format or "wide")


def learner_files(entry: LearnerSection) -> list[str]:
    """Return the user's own files behind a learner: its code, that of its options, a command's scripts."""
    if entry.algorithm is None:
        words = dict.fromkeys(command_of(entry).words())
        return [word for word in words if Path(word).is_file()]
    names = [entry.algorithm, *(value for value in entry.options.values() if isinstance(value, str))]
    return [file_of(name) for name in names if is_file(name)]


def check_data(data: DataSection) -> int:
    """Return the number of variables in the user's own data; refuse prior knowledge about others."""
    from ctbnlab.data.formats.reading import variable_names

    names = variable_names(data.path, format=data.format, **data.keywords())
    arcs: dict[str, list[tuple[End, End]]] = {"require": [], "forbid": []}
    for key, found in arcs.items():
        for number, text in enumerate(getattr(data, key)):
            with _naming(f"data.{key}.{number}"):
                found.append(parse_arc(text))
    with _naming("data"):
        Knowledge.from_arcs(arcs["require"], arcs["forbid"], data.max_parents).for_nodes(names)
    return len(names)


@contextmanager
def _naming(place: str) -> Iterator[None]:
    """Name the key of the config in errors of this block."""
    try:
        yield
    except InputError as error:
        raise InputError(str(error), path="config", place=place) from None
