"""Stores that are damaged or forged: what Arrow writes without complaint, or one wrong value in a good file.

Each forgery takes the record batch of good data and returns the bytes of a file.
"""

# ruff: noqa: E501 - a forgery is a line

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pyarrow as pa

import ctbnlab
from ctbnlab.data import arrow_file

EVENTS = ("time", "variable", "old", "new")


def good_data():
    """Return three trajectories of the paper's example; the second one has events before and after it."""
    network = ctbnlab.gallery.get("eating")
    return ctbnlab.simulate(network, trajectories=3, duration=6.0, seed=1)


def file_of(batches, schema=None, **options) -> bytes:
    """Return an Arrow file of record batches."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema or batches[0].schema, **options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def replaced(batch, **columns):
    """Return the batch with some columns replaced; nothing is validated."""
    arrays = [columns.get(name, batch.column(name)) for name in batch.schema.names]
    return pa.RecordBatch.from_arrays(arrays, schema=batch.schema)


def described(batch, change: Callable[[dict], object] | bytes):
    """Return the batch with a changed or replaced description of its variables."""
    if not isinstance(change, bytes):
        content = json.loads(batch.schema.metadata[b"ctbnlab"])
        changed = change(content)
        change = json.dumps(content if changed is None else changed).encode()
    return batch.replace_schema_metadata({b"ctbnlab": change})


def set_value(batch, column: str, index: int, value) -> bytes:
    """Return a file in which one number of a column, or of the lists in it, is another one."""
    array = batch.column(column)
    if column in EVENTS:
        numbers = np.array(array.values.to_numpy())
        numbers[index] = value
        return file_of([replaced(batch, **{column: with_values(array, pa.array(numbers))})])
    if column == "initial":
        numbers = np.array(array.values.to_numpy())
        numbers[index] = value
        lists = pa.FixedSizeListArray.from_arrays(pa.array(numbers), array.type.list_size)
        return file_of([replaced(batch, initial=lists)])
    numbers = np.array(array.to_numpy())
    numbers[index] = value
    return file_of([replaced(batch, **{column: pa.array(numbers)})])


def with_values(lists, values):
    """Return lists with other values and the same offsets."""
    return from_buffers(lists.type, len(lists), [None, lists.buffers()[1]], children=[values])


def from_buffers(kind, length, buffers, children=()):
    return pa.Array.from_buffers(kind, length, buffers, null_count=0, children=list(children))


def with_nulls(array, index):
    """Return an array of numbers with one value missing."""
    valid = np.ones(len(array), bool)
    valid[index] = False
    bits = pa.py_buffer(np.packbits(valid, bitorder="little").tobytes())
    return pa.Array.from_buffers(array.type, len(array), [bits, array.buffers()[1]])


def null_value(batch, column: str) -> bytes:
    array = batch.column(column)
    return file_of([replaced(batch, **{column: with_values(array, with_nulls(array.values, 2))})])


def null_row(batch, column: str) -> bytes:
    array = batch.column(column)
    bits = pa.py_buffer(bytes([0b11111101]))
    buffers = array.buffers()
    if column in EVENTS:
        made = pa.Array.from_buffers(array.type, len(array), [bits, buffers[1]], children=[array.values])
    elif column == "initial":
        made = pa.Array.from_buffers(array.type, len(array), [bits], children=[array.values])
    else:
        made = pa.Array.from_buffers(array.type, len(array), [bits, *buffers[1:]])
    return file_of([replaced(batch, **{column: made})])


def patched(content: bytes, old: bytes, new: bytes, which: int = 0) -> bytes:
    """Return bytes with one occurrence of some bytes, counted from 0 or from the end, replaced."""
    assert len(old) == len(new) and content.count(old) > (which if which >= 0 else -which - 1), old
    position = -1
    for _ in range(which + 1) if which >= 0 else ():
        position = content.index(old, position + 1)
    if which < 0:
        position = len(content)
        for _ in range(-which):
            position = content.rindex(old, 0, position)
    return content[:position] + new + content[position + len(old) :]


def offsets_bytes(batch) -> bytes:
    """Return the bytes of the offsets, which every event column has."""
    return np.asarray(batch.column("time").offsets.to_numpy(), np.int64).tobytes()


def other_offsets(batch, change: Callable[[np.ndarray], object], columns=EVENTS) -> bytes:
    """Return a file in which the offsets of some event columns are changed, byte for byte."""
    content = file_of([batch])
    old = offsets_bytes(batch)
    offsets = np.frombuffer(old, np.int64).copy()
    change(offsets)
    for k, name in enumerate(EVENTS):
        if name in columns:
            content = patched(content, old, offsets.tobytes(), k if columns != EVENTS else 0)
    return content


def assign(index, value):
    """Return a function that sets one element."""

    def change(array):
        array[index] = value

    return change


def shorter(batch, column: str, by: int = 1) -> bytes:
    """Return a file whose metadata give one event column fewer values than the offsets require."""
    return other_length(file_of([batch]), batch, column, -by)


def unequal(batch, column: str) -> bytes:
    """Return a file in which no trajectory has the last event, and one event column does not have it either."""
    n = len(batch.column("time").values)
    return other_length(other_offsets(batch, assign(-1, n - 1)), batch, column, -1)


def other_length(content: bytes, batch, column: str, change: int) -> bytes:
    """Change the number of values in the field node (length, number of nulls) of an event column."""
    n = len(batch.column("time").values)
    old, new = (np.array([count, 0], np.int64).tobytes() for count in (n, n + change))
    assert content.count(old) == len(EVENTS)
    return patched(content, old, new, EVENTS.index(column))


def retyped(batch, column: str, kind) -> bytes:
    k = batch.schema.get_field_index(column)
    table = pa.Table.from_batches([batch]).set_column(
        k, pa.field(column, kind, nullable=False), batch.column(column).cast(kind)
    )
    return file_of(table.combine_chunks().to_batches())


def without(batch, column: str) -> bytes:
    table = pa.Table.from_batches([batch]).drop_columns([column])
    return file_of(table.to_batches())


def variables(content):
    return content["variables"]


# What each forgery is, and the words that the message must have.
FORGERIES: dict[str, tuple[Callable[[pa.RecordBatch], bytes], str]] = {
    # Values
    "time is NaN": (lambda b: set_value(b, "time", 4, np.nan), "event 4: the time is not later"),
    "first time is NaN": (lambda b: set_value(b, "time", 0, np.nan), "event 0: the time is not later"),
    "last time is NaN": (lambda b: set_value(b, "time", -1, np.nan), "the time is not later"),
    "time is infinite": (lambda b: set_value(b, "time", -1, np.inf), "the time is after the end"),
    "time before the start": (lambda b: set_value(b, "time", 0, -1.0), "event 0: the time is not later"),
    "time at the start": (lambda b: set_value(b, "time", 0, 0.0), "event 0: the time is not later"),
    "time after the end": (lambda b: set_value(b, "time", -1, 7.0), "the time is after the end"),
    "times equal": (lambda b: set_value(b, "time", 1, b.column("time").values[0].as_py()), "event 1: the time is not later"),
    "variable is the number of variables": (lambda b: set_value(b, "variable", 5, 3), "event 5: the variable has an unknown code"),
    "variable 255": (lambda b: set_value(b, "variable", 5, 255), "event 5: the variable has an unknown code"),
    "new state is the cardinality": (lambda b: set_value(b, "new", 5, 2), "event 5: the new state has an unknown code"),
    "new state 255": (lambda b: set_value(b, "new", 5, 255), "event 5: the new state has an unknown code"),
    "old state wrong": (lambda b: set_value(b, "old", 5, 1 - b.column("old").values[5].as_py()), "event 5: the old state is not"),
    "old state 255": (lambda b: set_value(b, "old", 5, 255), "event 5: the old state is not"),
    "event changes nothing": (lambda b: set_value(b, "new", 5, b.column("old").values[5].as_py()), "event 5: the event changes nothing"),
    "initial state is the cardinality": (lambda b: set_value(b, "initial", 4, 2), "trajectory '1': the initial state has an unknown code"),
    "initial state 255": (lambda b: set_value(b, "initial", 8, 255), "trajectory '2': the initial state has an unknown code"),
    "start is NaN": (lambda b: set_value(b, "start", 1, np.nan), "trajectory '1': its start and end are not finite"),
    "end is infinite": (lambda b: set_value(b, "end", 2, np.inf), "trajectory '2': its start and end are not finite"),
    "end before the start": (lambda b: set_value(b, "end", 0, -1.0), "trajectory '0': its start and end are not finite"),
    "duration overflows": (lambda b: file_of([replaced(b, start=pa.array([-1.7e308, 0.0, 0.0]), end=pa.array([1.7e308, 6.0, 6.0]))]), "the observed time is too long"),
    "total time overflows": (lambda b: file_of([replaced(b, end=pa.array([6.0, 1e308, 1e308]))]), "trajectory '1': the observed time is too long"),
    "total time too long": (lambda b: file_of([replaced(b, end=pa.array([6e99, 6e99, 6.0]))]), "trajectory '1': the observed time is too long"),
    "duration too short": (lambda b: set_value(b, "end", 0, 1e-320), "trajectory '0': the observed time is too short"),
    # Offsets and lengths
    "offset beyond the events": (lambda b: other_offsets(b, assign(-1, 10**9)), "damaged"),
    "offset negative": (lambda b: other_offsets(b, assign(0, -5)), "damaged"),
    "offsets go back": (lambda b: other_offsets(b, assign(1, b.column("time").offsets[2].as_py() + 1)), "damaged"),
    "offset close to 2^63": (lambda b: other_offsets(b, assign(2, 2**63 - 1)), "damaged"),
    "offsets of one column differ": (lambda b: other_offsets(b, assign(1, b.column("time").offsets[1].as_py() + 1), ("old",)), "the event columns differ in length"),
    "one time less": (lambda b: shorter(b, "time"), "damaged"),
    "one variable less": (lambda b: shorter(b, "variable"), "damaged"),
    "no new states": (lambda b: shorter(b, "new", len(b.column("new").values)), "damaged"),
    "one value more than there is room for": (lambda b: other_length(file_of([b]), b, "old", 1), "damaged"),
    "times without an old state": (lambda b: unequal(b, "old"), "the event columns differ in length"),
    "states without a time": (lambda b: unequal(b, "time"), "the event columns differ in length"),
    "number of values negative": (lambda b: other_length(file_of([b]), b, "new", -10**6), "damaged"),
    # Missing values
    "time missing": (lambda b: null_value(b, "time"), "there are missing values"),
    "variable missing": (lambda b: null_value(b, "variable"), "there are missing values"),
    "new state missing": (lambda b: null_value(b, "new"), "there are missing values"),
    "events of a trajectory missing": (lambda b: null_row(b, "old"), "there are missing values"),
    "id missing": (lambda b: null_row(b, "id"), "there are missing values"),
    "start missing": (lambda b: null_row(b, "start"), "there are missing values"),
    "initial states missing": (lambda b: null_row(b, "initial"), "there are missing values"),
    # The description
    "no description": (lambda b: file_of([b.replace_schema_metadata({})]), "not one of ctbnlab trajectories"),
    "description is not JSON": (lambda b: file_of([described(b, b"{nonsense")]), "not one of ctbnlab trajectories"),
    "description nested deeply": (lambda b: file_of([described(b, b"[" * 100_000)]), "not one of ctbnlab trajectories"),
    "description is a list": (lambda b: file_of([described(b, b"[1, 2]")]), "not one of ctbnlab trajectories"),
    "description has a huge number": (lambda b: file_of([described(b, b'{"version": 1' + b"0" * 5000 + b"}")]), "not one of ctbnlab trajectories"),
    "description is not UTF-8": (lambda b: file_of([described(b, b'"\xff\xfe"')]), "not one of ctbnlab trajectories"),
    "another format": (lambda b: file_of([described(b, lambda c: c.update(format="x"))]), "holds 'x', not trajectories"),
    "a later version": (lambda b: file_of([described(b, lambda c: c.update(version=3))]), "has format version 3"),
    "variables missing": (lambda b: file_of([described(b, lambda c: c.pop("variables") and None)]), "the description of the variables is damaged"),
    "variables are text": (lambda b: file_of([described(b, lambda c: c.update(variables="abc"))]), "the description of the variables is damaged"),
    "states are text": (lambda b: file_of([described(b, lambda c: variables(c)[0].update(states="no"))]), "the description of the variables is damaged"),
    "states are numbers": (lambda b: file_of([described(b, lambda c: variables(c)[0].update(states=[0, 1]))]), "a state label must be a non-empty string"),
    "no states": (lambda b: file_of([described(b, lambda c: variables(c)[0].update(states=[]))]), "has no states"),
    "one state less": (lambda b: file_of([described(b, lambda c: variables(c)[1]["states"].pop() and None)]), "unknown code"),
    "300 states": (lambda b: file_of([described(b, lambda c: variables(c)[0].update(states=[str(k) for k in range(300)]))]), "has 300 states"),
    "state twice": (lambda b: file_of([described(b, lambda c: variables(c)[0].update(states=["a", "a"]))]), "the state 'a' appears twice"),
    "variable twice": (lambda b: file_of([described(b, lambda c: variables(c)[0].update(name=variables(c)[1]["name"]))]), "appears twice"),
    "one variable too few": (lambda b: file_of([described(b, lambda c: variables(c).pop() and None)]), "the columns are not those of a trajectory file"),
    "one variable too many": (lambda b: file_of([described(b, lambda c: variables(c).append({"name": "Z", "states": ["a"]}))]), "the columns are not those of a trajectory file"),
    # Columns and batches
    "times of 32 bits": (lambda b: retyped(b, "time", pa.large_list(pa.float32())), "the columns are not those"),
    "variables of 16 bits": (lambda b: retyped(b, "variable", pa.large_list(pa.uint16())), "the columns are not those"),
    "signed states": (lambda b: retyped(b, "new", pa.large_list(pa.int8())), "the columns are not those"),
    "no times": (lambda b: without(b, "time"), "the columns are not those"),
    "no initial states": (lambda b: without(b, "initial"), "the columns are not those"),
    "no batch": (lambda b: file_of([], b.schema), "has 0 record batches"),
    "two batches": (lambda b: file_of([b, b]), "has 2 record batches"),
    "id is not UTF-8": (lambda b: file_of([replaced(b, id=from_buffers(pa.string(), 3, [None, pa.py_buffer(np.array([0, 1, 2, 3], np.int32)), pa.py_buffer(b"\xff\xfe\xfd")]))]), "damaged"),
    "id beyond its text": (lambda b: patched(file_of([b]), np.arange(4, dtype=np.int32).tobytes(), np.array([0, 1, 2, 900], np.int32).tobytes()), "damaged"),
    "a stream, not a file": (lambda b: _stream(b), "not an Arrow file"),
    "compressed, and damaged": (lambda b: _damaged_body(file_of([b], options=pa.ipc.IpcWriteOptions(compression="zstd"))), "damaged"),
    "cut in the middle": (lambda b: file_of([b])[: len(file_of([b])) // 2], "truncated"),
    "cut by one byte": (lambda b: file_of([b])[:-1], "truncated"),
    "footer overwritten": (lambda b: file_of([b])[:-40] + bytes(30) + file_of([b])[-10:], "not an Arrow file"),
}  # fmt: skip


def _stream(batch) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def _damaged_body(content: bytes) -> bytes:
    """Return a compressed file in which the first compressed frame is damaged."""
    return patched(content, b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\x00")


def forged(name: str) -> bytes:
    """Return the bytes of a forgery."""
    make, _ = FORGERIES[name]
    return make(arrow_file.to_batch(good_data()))
