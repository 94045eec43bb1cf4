"""What a file is, by its first bytes: so that an error about a wrong one can say what was given instead.

Only what is certain has a kind. The readers judge everything else: text may be a table of any layout.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Sequence
from pathlib import Path

from ctbnlab.errors import InputError

TRAJECTORIES = "trajectories"
TABLE = "a table"
CSV = "a CSV table"
ARCS = "a list of arcs"
EVIDENCE = "evidence (CSV)"
CHANGES = "changed rates (CSV)"
NETWORK = "a network"
GRAPH = "a learned graph"
BOOTSTRAP = "a bootstrap"
RATES = "a table of rates"
METRICS = "a table of metrics"
CONFIG = "a workflow config"

_FORMATS = {
    b"trajectories": TRAJECTORIES,
    b"simulation": TRAJECTORIES,  # simulated when it is read
    b"network": NETWORK,
    b"graph": GRAPH,
    b"bootstrap": BOOTSTRAP,
    b"rates": RATES,
    b"metrics": METRICS,
    b"answer": "the answer to a query",
}
_JSON_FORMAT = re.compile(rb'\s*\{\s*"format"\s*:\s*"ctbnlab\.(\w+)"')
_FOOTER_FORMAT = re.compile(rb'"format"\s*:\s*"ctbnlab\.(\w+)"')
# Members of the files without a format's name that this command and its workflow write.
_JSON_MEMBERS = {
    b'"n_true"': "the metrics of one graph",
    b'"cpu_seconds"': "a file of timings",
    b'"learners"': CONFIG,
}
_FIRST_BYTES = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF": "a PDF document",
    b"\x89HDF": "an HDF5 file",
    b"SQLite format 3": "an SQLite database",
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file",
    b"\x7fELF": "a program",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"\xfd7zXZ": "compressed with xz",
    b"BZh": "compressed with bzip2",
}
_EXTENSIONS = {".py": "a Python file", ".yaml": CONFIG, ".yml": CONFIG, ".csv": CSV, ".tsv": CSV}
_MAY_BE_CSV = {TRAJECTORIES, TABLE, RATES, ARCS, EVIDENCE, CHANGES}
_HEAD = 4096
_MAX_FOOTER = 16 << 20

# What makes the file that is wanted out of the one that was given.
_ADVICE = {
    (NETWORK, TRAJECTORIES): "`ctbnlab simulate` makes some from it",
    (TRAJECTORIES, NETWORK): "`ctbnlab learn` and `ctbnlab fit` make one from them",
    (TRAJECTORIES, GRAPH): "`ctbnlab learn` makes one from them",
    (CSV, NETWORK): "`ctbnlab learn` and `ctbnlab fit` make one from trajectories",
    (CSV, GRAPH): "`ctbnlab learn` makes one from trajectories",
    (GRAPH, NETWORK): "`ctbnlab fit` makes one from it and the data",
    (METRICS, TRAJECTORIES): "`ctbnlab tables` and `ctbnlab figures` read it",
    (CONFIG, TRAJECTORIES): "`ctbnlab config` reads it",
}


def kind_of(path: str | os.PathLike[str]) -> str | None:
    """Return what a file certainly is, or None."""
    path = Path(path)
    with path.open("rb") as file:
        head = file.read(_HEAD)
    for start, kind in _FIRST_BYTES.items():
        if head.startswith(start):
            return kind
    if head.startswith(b"PK\x03\x04"):
        excel = b"xl/" in head or path.suffix.lower() in (".xlsx", ".xlsm")
        return "an Excel workbook" if excel else "a ZIP archive"
    if head.startswith((b"ARROW1", b"PAR1")):
        return _kind_of_columns(path, arrow=head.startswith(b"ARROW1"))
    if head.startswith(b"\x1f\x8b"):
        head = _unpacked(head)
    return _kind_of_text(head.removeprefix(b"\xef\xbb\xbf").lstrip(), path)


def _kind_of_columns(path: Path, *, arrow: bool) -> str:
    """Return the kind of an Arrow or Parquet file, whose metadata are in its footer, as plain text."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        tail = 10 if arrow else 8  # the length of the footer, and the mark
        file.seek(max(0, size - tail))
        length = int.from_bytes(file.read(4), "little")
        file.seek(max(0, size - tail - min(length, _MAX_FOOTER)))
        footer = file.read(min(length, _MAX_FOOTER))
    found = _FOOTER_FORMAT.search(footer)
    return _FORMATS.get(found[1], TABLE) if found else TABLE


def _unpacked(head: bytes) -> bytes:
    """Return the first bytes of what is gzipped; nothing if they are damaged."""
    try:
        return zlib.decompressobj(31).decompress(head, _HEAD)
    except zlib.error:
        return b""


def _kind_of_text(head: bytes, path: Path) -> str | None:
    start = head[:256].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "a web page"
    if start.startswith(b"<svg") or (start.startswith(b"<?xml") and b"<svg" in head):
        return "an SVG picture"
    if not head.startswith(b"{"):
        plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
        return _EXTENSIONS.get(plain.suffix.lower())
    found = _JSON_FORMAT.match(head)
    if found:
        return _FORMATS.get(found[1])
    return next((kind for member, kind in _JSON_MEMBERS.items() if member in head), None)


def refuse_wrong_kind(path: str | os.PathLike[str], wanted: Sequence[str]) -> None:
    """Refuse a file that certainly is none of the kinds that are wanted, and name what it is."""
    found = kind_of(path) if wanted else None
    if found is None or found in wanted or (found == TABLE and TRAJECTORIES in wanted):
        return
    if found == CSV and _MAY_BE_CSV & {*wanted}:
        return
    if found == TABLE and wanted[0] in (METRICS, RATES):
        return  # the reader knows what it lacks
    if found in _JSON_MEMBERS.values() and wanted[0] not in (*_FORMATS.values(), CONFIG):
        return  # states and the like are JSON whose members may have any name
    if found.startswith("compressed"):
        raise InputError(f"is {found}; unpack it first", path=path)
    advice = _ADVICE.get((found, wanted[0]))
    if found == "an Excel workbook":
        advice = "save its sheet as CSV"
    what = wanted[0] if len(wanted) == 1 else f"{', '.join(wanted[:-1])} or {wanted[-1]}"
    verb = "holds trajectories" if found == TRAJECTORIES else f"is {found}"
    raise InputError(f"{verb}, not {what}" + (f"; {advice}" if advice else ""), path=path)
