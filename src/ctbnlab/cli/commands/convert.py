"""`ctbnlab convert`: converts trajectories between file formats."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ctbnlab.cli import options
from ctbnlab.cli.paths import Input, Output

if TYPE_CHECKING:
    from ctbnlab.data.arrow_file import RecordedSimulation

HELP = "convert trajectories between file formats"
DESCRIPTION = """\
Convert trajectories between file formats, which are detected from the names and contents of files:

  .arrow             ctbnlab's own format, mapped into memory: the fastest to learn from
  .parquet           the same columns, compressed, for storage; or plain tables, with --to wide or long
  .csv, .csv.gz      wide: trajectory,time,<one column per variable>; each row has the states from
                     that time on; the last row of a trajectory marks the end of observation
                     long: trajectory,time,variable,state; one row per variable with its initial
                     state, one row per event, and a row with empty variable and state for the end
                     pyagrum: IdSample,time,var,state, as written by pyAgrum
  .json, .json.gz    samples of PyCTBN

CSV is converted to .arrow in chunks, so the file can be larger than memory.
"""
EPILOG = """\
examples:
  ctbnlab convert data.csv data.arrow
  ctbnlab convert data.csv.gz data.arrow --states states.json   # {"Sex": ["f", "m"], ...}
  ctbnlab convert daily.csv data.arrow --ties jitter --seed 7   # several changes per day
  ctbnlab convert data.arrow data.csv --to long
  zstd -dc data.csv.zst | ctbnlab convert - data.arrow          # - is standard input, or output
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("input", type=Input(), metavar="INPUT", help="read this file")
    parser.add_argument("output", type=Output(), metavar="OUTPUT", help="write this file")
    parser.add_argument(
        "--from",
        dest="from_format",
        metavar="FORMAT",
        help="format of INPUT: arrow, parquet, csv, wide, long, pyagrum or pyctbn (default: detected)",
    )
    parser.add_argument(
        "--to",
        dest="to_format",
        metavar="FORMAT",
        help="format of OUTPUT (default: by its extension; wide for .csv)",
    )
    options.add_states_and_ties(parser)
    parser.add_argument(
        "--unchanged",
        choices=("drop", "error"),
        default="drop",
        help="rows that change no variable: drop them with a note, or reject them (default: drop)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="random seed of --ties jitter (default: 0)"
    )


def run(args: argparse.Namespace) -> None:
    import sys
    from pathlib import Path

    from tqdm import tqdm

    from ctbnlab.data.arrow_file import RecordedSimulation
    from ctbnlab.data.formats.writing import convert

    path = Path(args.input)
    size = path.stat().st_size if path.is_file() else 0
    # The bar appears after one second: most files are converted by then.
    with tqdm(total=size, unit="B", unit_scale=True, disable=None, delay=1, leave=False) as bar:
        try:
            report = convert(
                args.input,
                args.output,
                from_format=args.from_format,
                to_format=args.to_format,
                states=args.states,
                ties=args.ties,
                unchanged=args.unchanged,
                seed=args.seed,
                progress=lambda position: bar.update(position - bar.n),
            )
        except RecordedSimulation as recorded:
            _simulate(recorded, args)
            return
    for note in report.notes:
        print(f"note: {note}", file=sys.stderr)


def _simulate(recorded: RecordedSimulation, args: argparse.Namespace) -> None:
    from ctbnlab.data.formats.writing import write
    from ctbnlab.simulation.on_demand import simulated

    write(simulated(recorded, args.input), args.output, format=args.to_format)
