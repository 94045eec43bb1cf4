"""What `generate` and `gallery` share: a network goes to a file, or as JSON to the terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctbnlab.model.network import Network


def add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="where to write it, .json or .json.gz (default: print the JSON)",
    )


def put(network: Network, output: Path | None, rates: str = "auto") -> None:
    from ctbnlab.model.network_json import to_json, write

    if output is None:
        sys.stdout.write(to_json(network, rates))
    else:
        write(network, output, rates)
