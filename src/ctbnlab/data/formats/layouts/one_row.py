"""What layouts with one row per person have in common: labels that differ, and columns that never change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.formats.labels import Place, TrajectoryIds, Unsorted
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import Chunk, Source
from ctbnlab.errors import InputError


def numbered(chunk: Chunk, identity: str | None, ids: TrajectoryIds, place: Place) -> NDArray[np.int64]:
    """Return the number of each row's trajectory; without a column of labels, rows are counted from 1."""
    count = len(chunk.rows)
    first = len(ids.ids)
    if identity is None:
        for row in chunk.rows.tolist():
            ids.add(str(row + 1))
        return np.arange(first, first + count)
    labels = chunk.labels[identity]
    try:
        trajectory = ids.numbers(labels, count, place)
    except Unsorted:
        trajectory = None
    if trajectory is None or len(ids.ids) < first + count:
        seen: set[str | None] = {*ids.ids[:first]}
        for row, index in enumerate(labels.indices.tolist()):
            label = labels.texts[index]
            if label in seen:
                fault = f"a second row of {label!r}: this layout has one row per person"
                raise InputError(fault, place=place(row))
            seen.add(label)
    assert trajectory is not None
    return trajectory


def static_columns(others: Sequence[str], source: Source, options: Options) -> list[str]:
    """Return the columns that become static variables: those that the user names, else all."""
    if options.variables is None:
        return list(others)
    for name in options.variables:
        if name not in source.columns:
            raise InputError(
                f"no column {name!r}, which --variables names; found: {', '.join(source.columns)}"
            )
    return [name for name in others if name in options.variables]
