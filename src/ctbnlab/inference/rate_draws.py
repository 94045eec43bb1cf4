"""Networks drawn from the posterior of their rates, as a table of `ctbnlab fit --rates` describes it.

A rate of maximum likelihood is M/T; its posterior is Gamma(M + ½, T). Otherwise a prior was used, and the
posterior is the Gamma distribution with the table's rate as mean and its standard error. Rates out of states
that were never visited under a configuration have no posterior: they stay as they are in the network.
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.inference.scenario import code_of
from ctbnlab.io.bounded import read_text
from ctbnlab.model.cims import TabledCims, configuration_of
from ctbnlab.model.names import parse_assignments
from ctbnlab.model.network import Network

Floats = NDArray[np.float64]
_JEFFREYS = 0.5
_PARQUET = b"PAR1"


class RateDraws:
    """The shapes and rates of the Gamma posteriors, [configuration, x, x'] per variable; shape 0 is none."""

    def __init__(self, network: Network, rows: Iterable[Mapping[str, Any]]):
        self.network = network
        self.posteriors: dict[int, tuple[Floats, Floats]] = {}
        for number, row in enumerate(rows, 1):
            try:
                self._add(row)
            except InputError as error:
                raise InputError(error.message, place=f"row {number}") from None
            except (KeyError, TypeError, ValueError):
                raise InputError("is not a row of `ctbnlab fit --rates`", place=f"row {number}") from None
        if not self.posteriors:
            raise InputError("the table of rates is empty")

    def _add(self, row: Mapping[str, Any]) -> None:
        network = self.network
        i, x = code_of(network, row["variable"], row["from"], "rates")
        y = code_of(network, row["variable"], row["to"], "rates")[1]
        if i not in self.posteriors:
            shape = network.cims[i].table().shape
            self.posteriors[i] = (np.zeros(shape), np.ones(shape))
        time, error = _number(row["time"]), _number(row["standard_error"])
        if not (time > 0 and error > 0):
            return
        rate, moves = _number(row["rate"]), _number(row["transitions"])
        informed = not math.isclose(rate * time, moves, rel_tol=1e-9)
        posterior = (rate**2 / error**2, rate / error**2) if informed else (moves + _JEFFREYS, time)
        u = self._configuration(i, row["parents"] or "")
        for values, value in zip(self.posteriors[i], posterior, strict=True):
            values[u, x, y] = value

    def _configuration(self, i: int, text: str) -> int:
        given = parse_assignments(text) if text else {}
        names = [self.network.variables[j].name for j in self.network.parents[i]]
        if set(names) != set(given):
            raise InputError(f"the parents {', '.join(given) or 'none'} are not those of the network")
        states = [code_of(self.network, name, given[name], "rates")[1] for name in names]
        return configuration_of(
            states, [len(self.network.variables[j].states) for j in self.network.parents[i]]
        )

    def draw(self, rng: np.random.Generator) -> Network:
        """Return the network with rates drawn from their posteriors."""
        cims = list(self.network.cims)
        for i, (shape, rate) in sorted(self.posteriors.items()):
            q = self.network.cims[i].table().copy()
            drawn = rng.standard_gamma(np.maximum(shape, 1e-9)) / rate
            q = np.where(shape > 0, drawn, q)
            diagonal = np.arange(q.shape[1])
            q[:, diagonal, diagonal] = 0
            q[:, diagonal, diagonal] = -q.sum(axis=2)
            cims[i] = TabledCims(q)
        return replace(self.network, cims=tuple(cims))


def _number(value: Any) -> float:
    return math.nan if value in ("", None) else float(value)


def read_rows(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Read a table of rates, whichever of its formats it has: CSV, JSON or Parquet."""
    with Path(path).open("rb") as file:
        packed = file.read(4) == _PARQUET
    try:
        if packed:
            import pyarrow.parquet as pq

            rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
            return rows
        text = read_text(path)
        if text.lstrip().startswith("{"):
            found: list[dict[str, Any]] = json.loads(text)["rates"]
            return [dict(row) for row in found]
        return list(csv.DictReader(text.splitlines()))
    except (OSError, InputError):
        raise
    except Exception:
        raise InputError("is not a table of rates as `ctbnlab fit --rates` writes it", path=path) from None
