"""Mutators that know a format, for readers that refuse most random bytes before anything interesting happens.

Each takes the bytes of a file and a random generator, and returns the bytes of a similar file that is likely
to pass the first checks: a table with a damaged cell, a JSON tree with another leaf, a store with forged
columns.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import tomllib
import zlib
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

XML_VALUES = (
    "concept:name", "time:timestamp", "lifecycle:transition", "case", "time", "event", "case:age", "trace",
    "2024-01-01", "2024-01-01T00:00:00.123456789+05:30", "2024-02-31T25:00:00Z",
    "&amp;", "&#0;", "&#x1F600;", "&x;",
)  # fmt: skip
XML_PARTS = (
    "<event>", "</event>", "<event/>", "<trace>", "</trace>", "<trace/>", "<log>", "</log>",
    "<global scope='trace'>",
    "<string key='a' value='b'/>", "<string value='b' key='concept:name'/>", "<list key='l'/>",
    "<x:event/>", "<!-- -->",
    "<![CDATA[ <event/> ]]>", "<?pi?>", "<!DOCTYPE log>", "<!DOCTYPE log [<!ENTITY x 'y'>]>", "<date/>",
)  # fmt: skip
CELLS = (
    "", "0", "1", "-1", "2", "3.5", "1e308", "1e-320", "-0.0", "nan", "inf", "-inf", "0x10", "1_000", "NA",
    "on", "off", "9007199254740993", "9223372036854775807", "18446744073709551616", "trajectory", "time",
    "variable", "state", "A", "B", "None", "null", "true", "é", "\ufeff", " 1", '"', '""', '"a,b"', "'", ";",
    "\t", "1e5", "255", "256", "1.0000000000000002", "4.9e-324",
)  # fmt: skip
LEAVES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 255, 256, 2**31, 2**63, 2**64, 10**400, 0.5, -0.0, 1e308, 1e-320,
    float("nan"), float("inf"), -float("inf"), "", "0", "A", "B", "nan", "inf", "*", "é", "\ud800", [], {},
    [[]], [{}], {"": 1}, "Trajectories", "uniform", "ctss",
)  # fmt: skip
INTEGERS = (0, 1, 2, 3, 127, 128, 255, 256, 65535, 2**31 - 1, 2**31, 2**62, 2**63 - 1, -1, -2, -(2**63))
NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-320, 1e308, np.nan, np.inf, -np.inf, 2.0**53)

NOT_A_TABLE = (pa.ArrowException, ValueError, TypeError, OSError, KeyError, IndexError, OverflowError)

Mutator = Callable[[bytes, Random], bytes]


def csv_text(content: bytes, random: Random) -> bytes:
    """Change cells, rows and columns of a table."""
    text = content.decode("utf-8", "surrogateescape")
    rows = [line.split(",") for line in text.splitlines()] or [[""]]
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        row = random.randrange(len(rows))
        column = random.randrange(len(rows[row]))
        action = random.randrange(8)
        if action <= 2:
            rows[row][column] = random.choice(CELLS)
        elif action == 3:
            rows[row][column] = random.choice(random.choice(rows))
        elif action == 4:
            rows.insert(row, list(random.choice(rows)))
        elif action == 5 and len(rows) > 1:
            del rows[row]
        elif action == 6:
            rows[row].insert(column, random.choice(CELLS))
        elif action == 7 and len(rows[row]) > 1:
            del rows[row][column]
    end = random.choice(("\n", "\n", "\n", "\r\n", "\r"))
    return end.join(",".join(row) for row in rows).encode("utf-8", "surrogateescape") + end.encode()


def gzipped(content: bytes, random: Random) -> bytes:
    """Change the table inside a gzip file, and sometimes a byte of the file itself."""
    try:
        inside = gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        inside = content
    packed = bytearray(gzip.compress(csv_text(inside, random), compresslevel=1, mtime=0))
    if random.random() < 0.2:
        packed[random.randrange(len(packed))] = random.randrange(256)
    return bytes(packed)


def json_text(content: bytes, random: Random) -> bytes:
    """Change leaves, keys and items of a JSON tree."""
    try:
        tree = json.loads(content)
    except (ValueError, RecursionError):
        return flipped(content, random)
    for _ in range(random.randint(1, 3)):
        tree = changed_tree(tree, random)
    return json.dumps(tree, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")


def toml_text(content: bytes, random: Random) -> bytes:
    """Change leaves, keys and items of a TOML file."""
    try:
        tree = tomllib.loads(content.decode())
    except (ValueError, RecursionError):
        return flipped(content, random)
    for _ in range(random.randint(1, 3)):
        tree = changed_tree(tree, random)
    if not isinstance(tree, dict):
        return toml_value(tree).encode()
    return "".join(f"{json.dumps(key)} = {toml_value(value)}\n" for key, value in tree.items()).encode()


def toml_value(tree: Any) -> str:
    """Return a tree as a value of TOML, on one line."""
    if isinstance(tree, dict):
        return (
            "{" + ", ".join(f"{json.dumps(key)} = {toml_value(value)}" for key, value in tree.items()) + "}"
        )
    if isinstance(tree, list):
        return "[" + ", ".join(map(toml_value, tree)) + "]"
    return str(tree) if isinstance(tree, float) else json.dumps(tree, default=str)


def changed_tree(tree: Any, random: Random) -> Any:
    """Return a tree with one change, somewhere below the root."""
    places: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        for key in (
            list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        ):
            places.append((node, key))
            collect(node[key])

    collect(tree)
    if not places:
        return deepcopy(random.choice(LEAVES))
    node, key = random.choice(places)
    action = random.randrange(6)
    if action <= 2:
        node[key] = deepcopy(random.choice(LEAVES))  # never the same list twice: a tree has no cycles
    elif action == 3:
        other, there = random.choice(places)
        node[key] = (
            json.loads(json.dumps(other[there])) if there in other or isinstance(other, list) else None
        )
    elif action == 4:
        del node[key]
    elif isinstance(node, list):
        node.insert(key, json.loads(json.dumps(node[key])))
    else:
        node[f"{key}{random.choice(('', ' ', '2'))}"] = node.pop(key)
    return tree


def yaml_text(content: bytes, random: Random) -> bytes:
    """Change the tree of a YAML file, or a cell of its text."""
    import yaml

    try:
        tree = yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, RecursionError):
        return flipped(content, random)
    if not isinstance(tree, dict | list) or random.random() < 0.2:
        return csv_text(content, random)
    try:
        return json_text(json.dumps(tree).encode(), random)
    except (TypeError, ValueError):
        return flipped(content, random)


def flipped(content: bytes, random: Random) -> bytes:
    """Change a few bytes."""
    changed = bytearray(content or b"\0")
    for _ in range(random.randint(1, 4)):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def arrow_store(content: bytes, random: Random) -> bytes:
    """Forge a store: other numbers, lengths, offsets, nulls, columns or description, in an Arrow file."""
    try:
        batch = pa.ipc.open_file(io.BytesIO(content)).get_batch(0)
        batch.validate(full=True)
        return written_store(forged_batch(batch, random), random)
    except NOT_A_TABLE:
        return flipped(content, random)


def parquet_file(content: bytes, random: Random) -> bytes:
    """Forge a Parquet file: other values, columns, row groups or description."""
    try:
        table = pq.read_table(io.BytesIO(content))
        table.validate(
            full=True
        )  # Arrow itself crashes on codes outside their dictionary when it copies them
        batches = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]
        table = pa.Table.from_batches([forged_batch(batches[0], random)])
        table.validate(full=True)
        sink = io.BytesIO()
        pq.write_table(table, sink, row_group_size=random.choice((1, 2, 100)), compression="none")
    except NOT_A_TABLE:
        return flipped(content, random)
    return flipped(sink.getvalue(), random) if random.random() < 0.1 else sink.getvalue()


def written_store(batch: pa.RecordBatch, random: Random) -> bytes:
    """Return an Arrow file of a batch; offsets may be ones that Arrow would not write, batches several."""
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=random.choice((None,) * 9 + ("zstd",)))
    with pa.ipc.new_file(sink, batch.schema, options=options) as writer:
        for _ in range(random.choice((1,) * 8 + (0, 2))):
            writer.write_batch(batch)
    written = sink.getvalue()
    lists = [column for column in batch.columns if pa.types.is_large_list(column.type)]
    if lists and random.random() < 0.4:
        written = forged_offsets(written, random.choice(lists), random)
    return flipped(written, random) if random.random() < 0.1 else written


def forged_offsets(written: bytes, column: pa.Array, random: Random) -> bytes:
    """Overwrite an offset of a list column in a file; columns of the same offsets are equally likely."""
    offsets = np.array(column.offsets.to_pylist(), np.int64)
    places = [found.start() for found in re.finditer(re.escape(offsets.tobytes()), written)]
    if not places or not len(offsets):
        return written
    offsets[random.randrange(len(offsets))] = random.choice((*INTEGERS, *range(20)))
    chosen = random.choice(places)
    return written[:chosen] + offsets.tobytes() + written[chosen + offsets.nbytes :]


def forged_batch(batch: pa.RecordBatch, random: Random) -> pa.RecordBatch:
    """Return a batch with one to three changes."""
    columns, fields = list(batch.columns), list(batch.schema)
    metadata = dict(batch.schema.metadata or {})
    for _ in range(random.randint(1, 3)):
        k = random.randrange(len(columns))
        action = random.randrange(10)
        if action <= 5:
            columns[k] = forged_array(columns[k], random)
        elif action == 6 and len(columns) > 1:
            del columns[k], fields[k]
        elif action == 7:
            columns[k] = columns[random.randrange(len(columns))]
        elif action == 8 and metadata:
            key = random.choice(sorted(metadata))
            metadata[key] = json_text(metadata[key], random)
        else:
            start = random.randrange(batch.num_rows + 1)
            columns = [column.slice(start) for column in columns]
        if k < len(columns) and (columns[k].null_count or fields[k].type != columns[k].type):
            fields[k] = pa.field(fields[k].name, columns[k].type)
    length = min(len(column) for column in columns)
    schema = pa.schema(fields, metadata)
    return pa.RecordBatch.from_arrays([column.slice(0, length) for column in columns], schema=schema)


def forged_array(array: pa.Array, random: Random) -> pa.Array:
    """Return an array of the same length with other entries, nulls among them, or of another type."""
    entries = array.to_pylist()
    if not entries:
        return array
    place = random.randrange(len(entries))
    if random.random() < 0.05:
        entries[place] = None
    elif pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        entries[place] = forged_list(entries[place] or [], array.type.value_type, random)
    elif pa.types.is_fixed_size_list(array.type):
        inside = pa.array(entries[place] or [0] * array.type.list_size, array.type.value_type)
        entries[place] = forged_array(inside, random).to_pylist()
    elif random.random() < 0.1:
        return array.cast(random.choice((pa.string(), pa.float64(), pa.int64(), pa.uint8())), safe=False)
    else:
        entries[place] = forged_entry(entries, array.type, random)
    return pa.array(entries, array.type)


def forged_list(entries: list[Any], kind: pa.DataType, random: Random) -> list[Any]:
    """Return a list with another entry, one more or one less."""
    action = random.randrange(4)
    place = random.randrange(len(entries) + 1)
    if action <= 1 and entries:
        return forged_array(pa.array(entries, kind), random).to_pylist()
    if action == 2:
        return entries[:place] + entries[place + 1 :]
    return [*entries[:place], forged_entry(entries or [0], kind, random), *entries[place:]]


def forged_entry(entries: list[Any], kind: pa.DataType, random: Random) -> Any:
    """Return another value of a column's type: an extreme one, or one that occurs elsewhere."""
    if random.random() < 0.4:
        return random.choice(entries)
    if pa.types.is_floating(kind):
        return random.choice(NUMBERS)
    if pa.types.is_integer(kind):
        signed = not pa.types.is_unsigned_integer(kind)
        return int(np.array(random.choice(INTEGERS)).astype(f"{'i' if signed else 'u'}{kind.bit_width // 8}"))
    return random.random() < 0.5 if pa.types.is_boolean(kind) else random.choice(CELLS)


def xml_text(content: bytes, random: Random) -> bytes:
    """Return XML with another value, or with an element left out, repeated, moved or put into another."""
    parts = re.split(r"(<[^>]*>)", content.decode(errors="replace"))
    for _ in range(random.randint(1, 3)):
        k, other = (random.randrange(len(parts) // 2) * 2 + 1 for _ in range(2)) if len(parts) > 2 else (0, 0)
        action = random.randrange(6)
        if action <= 2:
            value = random.choice((*CELLS, *XML_VALUES)).replace('"', "&quot;")
            parts[k] = re.sub(
                r'"[^"]*"', lambda _, value=value: f'"{value}"', parts[k], count=random.randint(1, 2)
            )
        elif action == 3:
            parts[k] = ""
        elif action == 4:
            parts[k] += parts[other]
        else:
            parts[k] = random.choice(XML_PARTS)
    return "".join(parts).encode(errors="replace")


MUTATORS: dict[str, Mutator] = {
    **dict.fromkeys(
        (
            *("wide-csv", "wide-csv-ties", "long-csv", "pyagrum-csv", "intervals-csv", "start-stop-csv"),
            *("event-log-csv", "person-csv", "arc-list", "text", "unknown"),
        ),
        csv_text,
    ),
    "rules-toml": toml_text,
    "gzip-csv": gzipped,
    **dict.fromkeys(("pyctbn-json", "network-json", "graph-json", "states-json"), json_text),
    "config-yaml": yaml_text,
    "xes": xml_text,
    "arrow-store": arrow_store,
    **dict.fromkeys(("parquet-events", "parquet-rows", "metrics-parquet"), parquet_file),
}
