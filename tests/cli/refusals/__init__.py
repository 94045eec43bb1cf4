"""Bad input to every command: a command line, the files it needs, and the start of the message."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

Content = Any  # text, bytes, or a value that is written as JSON


class Case(NamedTuple):
    """One refusal; a message that begins with `!` is one of argparse, which names the command."""

    command: str
    message: str
    files: Mapping[str, Content] = {}
    heavy: bool = False  # run in a process of 2 GB: it must be refused before memory is used
    status: int = 2


def content_bytes(content: Content) -> bytes:
    """Return the bytes of a file."""
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content)).encode()


def changed(tree: Any, *path_and_value: Any) -> Any:
    """Return a copy of a JSON value with the value at a path replaced."""
    *path, value = path_and_value
    copy = json.loads(json.dumps(tree))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return copy


def without(tree: Any, *path: Any) -> Any:
    """Return a copy of a JSON value without the member at a path."""
    copy = json.loads(json.dumps(tree))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return copy


def parquet(table: Any) -> bytes:
    """Return a table, or a dict of columns, as a Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), sink)
    return bytes(sink.getvalue())


def bomb(start: bytes, repeated: bytes, gigabytes: int) -> bytes:
    """Return a small gzip file that unpacks to gigabytes, in two layers of members."""
    packed = io.BytesIO()
    block = repeated * ((1 << 20) // len(repeated))
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1, mtime=0) as file:
        for _ in range(32):
            file.write(block)
    # A gzip file may consist of many members, so that one is enough to write.
    return gzip.compress(start, mtime=0) + packed.getvalue() * (32 * gigabytes)


TIME = [0.0, 1.0, 2.0]
STATE = ["x", "y", "y"]
WIDE = "trajectory,time,A,B\n1,0,x,u\n1,1,y,u\n1,2,y,v\n1,3,y,v\n"
VARIABLE = {
    "name": "A",
    "states": ["0", "1"],
    "parents": [],
    "cims": [{"given": {}, "intensities": [[-1.0, 1.0], [2.0, -2.0]]}],
}
CHILD = {
    "name": "B",
    "states": ["0", "1"],
    "parents": ["A"],
    "cims": [
        {"given": {"A": "0"}, "intensities": [[-1.0, 1.0], [2.0, -2.0]]},
        {"given": {"A": "1"}, "intensities": [[-3.0, 3.0], [4.0, -4.0]]},
    ],
}
NETWORK = {"format": "ctbnlab.network", "version": 1, "variables": [VARIABLE, CHILD], "initial": "uniform"}
EVIDENCE = {"candidate": "A", "kept": True, "why": "tested", "gain": 2.5}
GRAPH = {
    "format": "ctbnlab.graph",
    "version": 1,
    "learner": {"name": "ctss", "parameters": {}},
    "data": {"trajectories": 1, "events": 2, "time": 3.0},
    "variables": [{"name": "A", "states": ["x", "y"]}, {"name": "B", "states": ["u", "v"]}],
    "nodes": [
        {"name": "A", "parents": [], "counts": {"scores": 2}, "notes": [], "evidence": []},
        {"name": "B", "parents": ["A"], "counts": {"scores": 2}, "notes": [], "evidence": [EVIDENCE]},
    ],
    "failures": [],
}
RECIPE = {"drawn": {"law": "uniform", "low": 1.0, "high": 5.0, "key": "0x0000000000000001"}}
TIMINGS = {"nodes": {"A": 0.1}, "cpu_seconds": 0.1, "wall_seconds": 0.1, "peak_memory_mb": 50.0}
CONFIG = """\
experiment: tiny
design: {nodes: [2], states: [2], density: [0.5], trajectories: [10], duration: 10, replicates: 1}
learners: {ctss: {algorithm: ctss}}
"""
TRIAL = "results/tiny/nodes~2/states~2/density~0.5/scattered~1/replicate~1/trajectories~10/ctss"
METRICS = {
    "algorithm": "ctss",
    "options": {},
    "status": "done",
    "reason": None,
    "n_true": 1,
    "events": 10,
    "version": "0",
    "n_learned": 1,
    "true_positives": 1,
    "false_positives": 0,
    "false_negatives": 0,
    "true_negatives": 1,
    "bic": -10.0,
}
# Good files that every case can use.
FILES: dict[str, Content] = {
    "network.json": NETWORK,
    "graph.json": GRAPH,
    "data.csv": WIDE,
    "timings.json": TIMINGS,
    "tiny.yaml": CONFIG,
    f"{TRIAL}/metrics.json": METRICS,
    "folder/x": "",
}
