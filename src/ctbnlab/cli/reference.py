"""The option that names the published table which tables and figures compare with."""

from __future__ import annotations

import argparse


def add_reference(parser: argparse.ArgumentParser) -> None:
    """Add `--reference`."""
    parser.add_argument(
        "--reference",
        choices=("main", "tests", "big"),
        help="compare with the paper's main experiment, its first (of tests), or its big networks",
    )
