"""Random seeds: each is derived from one root seed and a key that names its purpose.

A key names a thing ("network", cell, replicate), never a position in a loop. Adding a cell or changing
the number of processes or the executor therefore changes no other result.
"""

from __future__ import annotations

import hashlib

import numpy as np


def sequence(root: int, *key: str | int) -> np.random.SeedSequence:
    """Return the seed sequence of `key` under `root`."""
    digest = hashlib.sha256("\0".join(str(part) for part in key).encode()).digest()
    words = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    return np.random.SeedSequence(entropy=root, spawn_key=words)


def generator(root: int, *key: str | int) -> np.random.Generator:
    """Return an independent numpy generator for `key` under `root`."""
    return np.random.Generator(np.random.PCG64(sequence(root, *key)))


def key64(root: int, *key: str | int) -> int:
    """Return a 64-bit key for a counter-based random stream (see `model/_philox.pxd`)."""
    return int(sequence(root, *key).generate_state(1, np.uint64)[0])


def derive(root: int, *key: str | int) -> int:
    """Return a seed for `key` to pass on a command line: 0 ≤ seed < 2^63."""
    return key64(root, *key) >> 1
