"""`ctbnlab convert`: trajectories from one format to another."""

from __future__ import annotations

import argparse

HELP = "convert trajectories from one format to another"
DESCRIPTION = """\
Convert trajectories from one format to another. Formats are told by the files' endings and contents:

  .arrow             the program's own store, mapped into memory: the fastest to learn from
  .parquet           the same, compressed, for keeping (or --to wide, --to long: plain columns)
  .csv, .csv.gz      wide: trajectory,time,<one column a variable>; each row the state from that time on,
                     the first row of a trajectory its initial state, the last the end of observation
                     long: trajectory,time,variable,state; first one row a variable, then one row an
                     event, at the end a row with empty variable and state
                     pyagrum: IdSample,time,var,state, as pyAgrum writes it
  .json, .json.gz    PyCTBN's samples

A CSV file is converted to .arrow piece by piece and may be larger than memory.
"""
EPILOG = """\
examples:
  ctbnlab convert data.csv data.arrow
  ctbnlab convert data.csv.gz data.arrow --states states.json   # {"Sex": ["f", "m"], ...}, or a network
  ctbnlab convert daily.csv data.arrow --ties jitter --seed 7   # several changes a day
  ctbnlab convert data.arrow data.csv --to long
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("input", metavar="INPUT", help="file to read")
    parser.add_argument("output", metavar="OUTPUT", help="file to write")
    parser.add_argument(
        "--from",
        dest="from_format",
        metavar="FORMAT",
        help="format of INPUT: arrow, parquet, wide, long, pyagrum or pyctbn",
    )
    parser.add_argument("--to", dest="to_format", metavar="FORMAT", help="format of OUTPUT, likewise")
    parser.add_argument(
        "--states",
        metavar="FILE",
        help="JSON file that declares states: {variable: [label, ...]}, or a network; "
        "by default they are the labels that occur, in the order of numbers or text",
    )
    parser.add_argument(
        "--ties",
        choices=("error", "order", "jitter"),
        default="error",
        help="two changes at one instant: refuse (default), keep their order a hair's breadth apart, or "
        "spread them at random up to the next time",
    )
    parser.add_argument(
        "--unchanged",
        choices=("drop", "error"),
        default="drop",
        help="rows that change nothing: leave out and count (default), or refuse",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="root seed of --ties jitter (default 0)"
    )


def run(args: argparse.Namespace) -> None:
    import sys
    from pathlib import Path

    from tqdm import tqdm

    from ctbnlab.data.formats.writing import convert

    path = Path(args.input)
    size = path.stat().st_size if path.is_file() else 0
    # No bar before a second has passed: most files are done by then.
    with tqdm(total=size, unit="B", unit_scale=True, disable=None, delay=1, leave=False) as bar:
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
    for note in report.notes:
        print(f"ctbnlab: {note}", file=sys.stderr)
