"""Networks and data sets that a design names instead of drawing them: their facts, files and commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ctbnlab.data.formats.reading import size_of, variable_names
from ctbnlab.errors import InputError, one_line
from ctbnlab.learning.truth import network_of, true_parents
from ctbnlab.model import gallery
from ctbnlab.model.network import Network
from ctbnlab.workflow import watching
from ctbnlab.workflow.config import DesignSection

GIVEN_PATTERN = "network~{network}/replicate~{replicate}"
# Of the matrices of a variable, as many as this are looked at to estimate how often it changes.
_MATRICES = 256


@dataclass(frozen=True)
class GivenFacts:
    """What planning needs to know: the number of variables, and how many events to expect."""

    n_variables: int
    events_per_time: float = 0.0  # of a network
    megabytes: float = 0.0  # of the file of a data set


def facts_of(design: DesignSection) -> dict[str, GivenFacts]:
    """Read and check every given network and truth; an error names the key of the config."""
    facts = {}
    for label, source in design.networks.items():
        with _naming(f"design.networks.{label}"):
            network = network_of(source)
            facts[label] = GivenFacts(len(network.names), _events_per_time(network))
    for label, data_set in design.data_sets.items():
        with _naming(f"design.data_sets.{label}.path"):
            names = variable_names(data_set.path, format=data_set.format, **data_set.keywords())
            size = size_of(data_set.path)
        with _naming(f"design.data_sets.{label}.truth"):
            true_parents(data_set.truth, names, data_set.path)
        if data_set.states is not None and not Path(data_set.states).is_file():
            message = f"{data_set.states}: no such file"
            raise InputError(message, path="config", place=f"design.data_sets.{label}.states")
        facts[label] = GivenFacts(len(names), megabytes=size / 1e6)
    return facts


@contextmanager
def _naming(place: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"{error.filename}: {error.strerror}"
        raise InputError(message, path="config", place=place) from None
    except InputError as error:
        raise InputError(one_line(str(error)), path="config", place=place) from None


def _events_per_time(network: Network) -> float:
    """Return the expected number of events per unit of time, with all states equally likely."""
    total = 0.0
    for cims in network.cims:
        matrices = cims.matrices(np.arange(min(cims.n_configurations, _MATRICES)))
        total -= float(np.diagonal(matrices, axis1=1, axis2=2).mean())
    return total


# ---- Files and commands ----


class Given:
    """The given networks and data sets of a design: how the files of each are made.

    A network and a data set have the same folders: network.json is the true network or graph, data.arrow the
    trajectories. Those of a network are simulated; those of a data set are converted from the user's file.
    """

    def __init__(self, design: DesignSection | None, root: str, facts: Mapping[str, GivenFacts]):
        self.networks = {} if design is None else design.networks
        self.data_sets = {} if design is None else design.data_sets
        self.root = root
        self.facts = facts

    @property
    def simulated(self) -> str:
        """A pattern that the labels of networks match."""
        return _either(self.networks)

    @property
    def converted(self) -> str:
        """A pattern that the labels of data sets match."""
        return _either(self.data_sets)

    def truth_command(self, wildcards: Any, input: Any) -> str:
        """Return the command that writes a network or a true graph, up to its output.

        The data are named as the rule's input has them: a workflow used as a module may have moved them.
        """
        label = wildcards.network
        if label in self.data_sets:
            return shlex.join(["truth", _operand(self.data_sets[label].truth), "--data", *input.data, "-o"])
        source = self.networks[label]
        return shlex.join(["gallery" if source in gallery.names() else "truth", _operand(source), "-o"])

    def truth_inputs(self, wildcards: Any) -> list[str]:
        """Return the user's file behind a network or a true graph if it can be an input of a rule."""
        return watching.inputs(self._truth_files(wildcards.network))

    def truth_data(self, wildcards: Any) -> list[str]:
        """Return the converted data whose true graph is made; none for a network."""
        if wildcards.network not in self.data_sets:
            return []
        folder = GIVEN_PATTERN.format(network=wildcards.network, replicate=wildcards.replicate)
        return [f"{self.root}/{folder}/data.arrow"]

    def truth_stamps(self, wildcards: Any) -> list[str]:
        """Return what to watch instead of a file that cannot be an input."""
        return watching.stamps(self._truth_files(wildcards.network))

    def data_inputs(self, wildcards: Any) -> list[str]:
        """Return the user's files behind a data set that can be inputs of a rule."""
        return watching.inputs(self._data_files(wildcards.network))

    def data_stamps(self, wildcards: Any) -> list[str]:
        """Return what to watch instead of files that cannot be inputs."""
        return watching.stamps(self._data_files(wildcards.network))

    def convert_arguments(self, wildcards: Any) -> str:
        """Return the arguments of `ctbnlab convert` for a data set, up to its output."""
        data_set = self.data_sets[wildcards.network]
        return shlex.join([*data_set.words(), _operand(data_set.path)])

    def _truth_files(self, label: str) -> list[str]:
        if label in self.data_sets:
            return [self.data_sets[label].truth]
        source = self.networks[label]
        return [] if source in gallery.names() else [source]

    def _data_files(self, label: str) -> list[str]:
        return self.data_sets[label].files()


def _either(labels: Iterable[str]) -> str:
    """Return a regular expression for one of these labels; without labels, it matches nothing."""
    return "|".join(map(re.escape, labels)) or r"(?!)"


def _operand(path: str) -> str:
    """Return a path that cannot be taken for an option."""
    return f"./{path}" if path.startswith("-") else path
