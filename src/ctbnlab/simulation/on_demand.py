"""Trajectories on demand: a small file records a simulation, which is run whenever the file is opened.

A large design has gigabytes of trajectories that its networks and seeds determine completely, and simulating
them again takes hardly longer than reading them. So the file holds only the simulation's options, the name of
the network's file in the same folder, and that file's digest. It has the ending and the place of a file of
trajectories, and everything that reads those accepts it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa

from ctbnlab.data.arrow_file import RECORD_FORMAT, RECORD_VERSION, RecordedSimulation
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.io.files import naming_file, replacing
from ctbnlab.model.network import Network
from ctbnlab.simulation.simulate import simulate

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True)
class Simulation:
    """The options of a simulation, as `simulate` takes them."""

    trajectories: int
    seed: int
    duration: float | None = None
    transitions: int | None = None
    initial: Mapping[str, str] | None = None
    first: int = 0

    def __post_init__(self) -> None:
        for name in ("trajectories", "seed", "transitions", "first"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | None):
                raise InputError(f"{name} must be a whole number, not {value!r}")
        if isinstance(self.duration, bool) or not isinstance(self.duration, int | float | None):
            raise InputError(f"duration must be a number, not {self.duration!r}")
        initial = {} if self.initial is None else self.initial
        if not isinstance(initial, Mapping) or not all(
            isinstance(text, str) for text in (*initial, *initial.values())
        ):
            raise InputError("initial must name states of variables")


def record(path: AnyPath, network: AnyPath, simulation: Simulation) -> None:
    """Write a file of trajectories on demand, next to the network's file or below its folder."""
    name = os.path.relpath(Path(network).resolve(), Path(path).resolve().parent)
    # One trajectory shows whether the options can be simulated; the others differ in their number alone.
    _simulated(Network.read(network), simulation, 1)
    description = {
        "format": RECORD_FORMAT,
        "version": RECORD_VERSION,
        "network": name,
        "digest": _digest(network),
        "simulation": asdict(simulation),
    }
    schema = pa.schema([], metadata={"ctbnlab": json.dumps(description, ensure_ascii=False)})
    with (
        replacing(path) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, schema),
    ):
        pass


def simulated(recorded: RecordedSimulation, path: AnyPath, trajectories: int | None = None) -> Trajectories:
    """Run the simulation that a file records; `trajectories` asks for only the first ones."""
    with naming_file(path):
        description = recorded.description
        name, digest, options = (description.get(key) for key in ("network", "digest", "simulation"))
        if not isinstance(name, str) or not isinstance(digest, str) or not isinstance(options, dict):
            raise InputError("is a damaged record of a simulation")
        try:
            simulation = Simulation(**options)
        except TypeError:
            raise InputError("is a damaged record of a simulation") from None
        network = Path(path).resolve().parent / name
        if not network.is_file():
            raise InputError(f"records a simulation of {name}, which does not exist")
        if _digest(network) != digest:
            raise InputError(f"records a simulation of {name}, which has changed since; record it again")
        return _simulated(Network.read(network), simulation, trajectories)


def _simulated(network: Network, simulation: Simulation, most: int | None) -> Trajectories:
    options = asdict(simulation)
    if most is not None:
        options["trajectories"] = min(most, simulation.trajectories)
    return simulate(network, **options)


def _digest(path: AnyPath) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
