"""Read whole files of text with a bound on their size, unpacked if gzipped, before memory is used for it.

A gzip file of a few kilobytes can unpack to gigabytes: the bytes are counted while they are unpacked, and a
file that unpacks to far more than text does is refused early.
"""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path
from typing import IO

from ctbnlab.errors import InputError

# Networks, graphs, PyCTBN's trajectories; and files that people write by hand, such as configs.
LARGE = 2 << 30
SMALL = 16 << 20
GZIP = b"\x1f\x8b"
GZIP_ERRORS = (EOFError, gzip.BadGzipFile, zlib.error)
BAD_GZIP = "is truncated or not a gzip file"
# Text that compresses better than this, and is larger than that, is no data of ours.
_MAX_RATIO = 300
_ALWAYS_UNPACKED = 64 << 20
_CHUNK = 1 << 20


def read_text(path: str | os.PathLike[str], limit: int = LARGE) -> str:
    """Return the text of a UTF-8 file, gzipped or not; refuse other encodings and more than `limit` bytes."""
    path = Path(path)
    size = path.stat().st_size
    if size > limit:
        raise InputError(f"has {size:,} bytes; at most {limit:,} can be read", path=path)
    with path.open("rb") as file:
        # Peeking, rather than seeking back, also works in a pipe.
        if file.peek(2)[:2] != GZIP:
            return decoded(_joined(file, limit, path), path)
        bound = min(limit, max(_ALWAYS_UNPACKED, _MAX_RATIO * size))
        try:
            with gzip.open(file) as unpacked:
                return decoded(_joined(unpacked, bound, path), path)  # type: ignore[arg-type]
        except GZIP_ERRORS:
            raise InputError(BAD_GZIP, path=path) from None


def _joined(file: IO[bytes], limit: int, path: Path) -> bytearray:
    content = bytearray()
    while chunk := file.read(_CHUNK):
        if len(content) + len(chunk) > limit:
            raise InputError(f"has more than {limit:,} bytes, the most that can be read", path=path)
        content += chunk
        if b"\0" in chunk and not _is_utf16(content):
            raise InputError("is a binary file, not text", path=path)
    return content


def _is_utf16(content: bytes | bytearray) -> bool:
    return content.startswith((b"\xff\xfe", b"\xfe\xff"))


def decoded(content: bytes | bytearray, path: str | os.PathLike[str] | None = None) -> str:
    """Return UTF-8 content as text, without a byte order mark."""
    if _is_utf16(content):
        raise InputError("is UTF-16 text; save it as UTF-8", path=path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start + 1})", path=path) from None
