"""Read files of text with a bound on their size, unpacked if gzipped, before memory is used for it.

A gzip file of a few kilobytes can unpack to gigabytes: the bytes are counted while they are unpacked, and a
file that unpacks to far more than text does is refused early.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from ctbnlab.errors import InputError
from ctbnlab.io.files import naming_file

# Networks, graphs, PyCTBN's trajectories; and files that people write by hand, such as configs.
LARGE = 2 << 30
SMALL = 16 << 20
GZIP = b"\x1f\x8b"
GZIP_ERRORS = (EOFError, gzip.BadGzipFile, zlib.error)
BAD_GZIP = "is truncated or not a gzip file"
# Text that compresses better than this, and is larger than that, is no data of ours.
_MAX_RATIO = 200
_ALWAYS_UNPACKED = 64 << 20
_CHUNK = 1 << 20


def read_text(path: str | os.PathLike[str], limit: int = LARGE) -> str:
    """Return the text of a UTF-8 file, gzipped or not; refuse other encodings and more than `limit` bytes."""
    path = Path(path)
    size = path.stat().st_size
    if size > limit:
        raise InputError(f"has {size:,} bytes; at most {limit:,} can be read", path=path)
    with path.open("rb") as file, naming_file(path):
        try:
            # Peeking, rather than seeking back, also works in a pipe.
            if file.peek(2)[:2] != GZIP:
                return decoded(_joined(file, limit))
            with gzip.open(file) as unpacked:
                # A pipe does not know its position; there, only the limit applies.
                packed = file if file.seekable() else None
                return decoded(_joined(unpacked, limit, packed))  # type: ignore[arg-type]
        except GZIP_ERRORS:
            raise InputError(BAD_GZIP) from None
        except MemoryError:
            raise InputError("is too large for the memory") from None


def _joined(file: IO[bytes], limit: int, packed: IO[bytes] | None = None) -> bytearray:
    """Return the content; `packed` is the file that it is unpacked from."""
    content = bytearray()
    while chunk := file.read(_CHUNK):
        size = len(content) + len(chunk)
        if size > limit:
            raise InputError(f"has more than {limit:,} bytes, the most that can be read")
        if packed is not None:
            _require_plausible(size, packed)
        content += chunk
        if b"\0" in chunk and not _is_utf16(content):
            raise InputError("is a binary file, not text")
    return content


def pieces(path: Path, progress: Callable[[int], None] | None = None) -> Iterator[bytes]:
    """Yield a file in pieces of a megabyte, unpacked if gzipped; `progress` receives the bytes of it read."""
    size = 0
    with ExitStack() as stack:
        stack.enter_context(naming_file(path))
        file = stack.enter_context(path.open("rb"))
        packed = file.peek(2)[:2] == GZIP
        stream = stack.enter_context(gzip.open(file)) if packed else file
        try:
            while piece := stream.read(_CHUNK):
                size += len(piece)
                if packed:
                    _require_plausible(size, file)
                yield piece
                if progress is not None:
                    progress(file.tell())
        except GZIP_ERRORS:
            raise InputError(BAD_GZIP) from None


def _require_plausible(size: int, packed: IO[bytes]) -> None:
    """Refuse content of which far more has been unpacked than text of this size gives."""
    if size > max(_ALWAYS_UNPACKED, _MAX_RATIO * packed.tell()):
        raise InputError(f"unpacks to more than {_MAX_RATIO} times its size, which is not plausible for text")


def _is_utf16(content: bytes | bytearray) -> bool:
    return content.startswith((b"\xff\xfe", b"\xfe\xff"))


def decoded(content: bytes | bytearray) -> str:
    """Return UTF-8 content as text, without a byte order mark."""
    if _is_utf16(content):
        raise InputError("is UTF-16 text; save it as UTF-8")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start + 1})") from None
