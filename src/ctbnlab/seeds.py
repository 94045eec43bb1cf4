"""Every random number derives from one root seed and a key that says what it is for.

A key names a thing ("network", cell, replicate), never a position in a loop: adding a cell, changing
the number of processes or the executor then changes no other result.
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
    """Return a numpy generator of its own for `key` under `root`."""
    return np.random.Generator(np.random.PCG64(sequence(root, *key)))


def key64(root: int, *key: str | int) -> int:
    """Return a 64-bit key for a counter-based stream (see `_philox.pxd`)."""
    return int(sequence(root, *key).generate_state(1, np.uint64)[0])


def derive(root: int, *key: str | int) -> int:
    """Return a seed for `key` that fits a command line: 0 ≤ seed < 2^63."""
    return key64(root, *key) >> 1
