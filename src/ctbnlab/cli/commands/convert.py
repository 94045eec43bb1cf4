"""`ctbnlab convert`: converts trajectories between file formats."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ctbnlab.cli import data_options, options
from ctbnlab.cli.messages import shows_progress
from ctbnlab.cli.paths import Data, Output

if TYPE_CHECKING:
    from ctbnlab.data.arrow_file import RecordedSimulation

HELP = "convert trajectories between file formats"
DESCRIPTION = """\
Convert trajectories between file formats, which are detected from the names and contents of files:

  .arrow             ctbnlab's own format, mapped into memory: the fastest to learn from
  .parquet           the same columns, compressed, for storage; or plain tables, with --to wide or long
  .csv, .csv.gz      tables, separated by commas, semicolons or tabs
  .feather           tables
  .json, .json.gz    samples of PyCTBN (pyctbn)
  .xes, .xes.gz      process logs (read only)
  a folder           of .parquet or .csv files, which are one table (read only)

The rows of a table have one of these layouts, which is recognised or named with --layout:

  wide               id,time,<one column per variable>; each row has the states from that time on; the
                     last row of a trajectory marks the end of observation
  long               id,time,variable,state; one row per variable with its initial state, one row per
                     event, and a row with empty variable and state for the end
  intervals          id,variable,state,start,end; without a state, a variable is yes during its intervals
  start-stop         id,start,stop,event,<one column per variable>, as in survival analysis
  event-log          id,time,event; --rules says which event moves which variable to which state
  person             one row per person, with the times or dates of events
  period             id,time,<one column per variable>; one row per person and period
  sequence           one row per person, with one column per period from --start to --end
  meds               subject_id,time,code,numeric_value
  pyagrum            IdSample,time,var,state, as written by pyAgrum

Tables are converted to .arrow in chunks, so a file can be larger than memory.
"""
EPILOG = """\
examples:
  ctbnlab convert data.csv data.arrow
  ctbnlab convert data.csv.gz data.arrow --states states.json   # {"Sex": ["f", "m"], ...}
  ctbnlab convert visits.csv data.arrow --id patient --time date --cut 'age:40,60'
  ctbnlab convert log.csv data.arrow --rules rules.toml --people people.csv --end last_seen
  ctbnlab convert daily.csv data.arrow --ties jitter --seed 7   # several changes per day
  ctbnlab convert data.arrow data.csv --to long
  zstd -dc data.csv.zst | ctbnlab convert - data.arrow          # - is standard input, or output
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("input", type=Data(), metavar="INPUT", help="read this file, or folder")
    parser.add_argument("output", type=Output(), metavar="OUTPUT", help="write this file")
    parser.add_argument(
        "--from",
        "--format",
        dest="from_format",
        metavar="FORMAT",
        help="format of INPUT: arrow, parquet, csv, pyctbn, xes or a layout (default: detected)",
    )
    parser.add_argument(
        "--to",
        dest="to_format",
        metavar="FORMAT",
        help="format of OUTPUT (default: by its extension; wide for .csv)",
    )
    options.add_states(parser)
    data_options.add_conversion_options(parser)
    data_options.add_table_options(parser)


def run(args: argparse.Namespace) -> None:
    from pathlib import Path

    from tqdm import tqdm

    from ctbnlab.data.arrow_file import RecordedSimulation
    from ctbnlab.data.formats.reading import size_of
    from ctbnlab.data.formats.writing import convert

    path = Path(args.input)
    size = size_of(path) if path.is_file() or path.is_dir() else 0
    # The bar appears after one second: most files are converted by then.
    with tqdm(
        total=size, unit="B", unit_scale=True, disable=not shows_progress(), delay=1, leave=False
    ) as bar:
        try:
            report = convert(
                args.input,
                args.output,
                from_format=args.from_format,
                to_format=args.to_format,
                states=args.states,
                progress=lambda position: bar.update(position - bar.n),
                **data_options.asked(args),
            )
        except RecordedSimulation as recorded:
            _simulate(recorded, args)
            return
    options.print_notes(report.notes)


def _simulate(recorded: RecordedSimulation, args: argparse.Namespace) -> None:
    from ctbnlab.data.formats.reading import with_roles
    from ctbnlab.data.formats.writing import write
    from ctbnlab.simulation.on_demand import simulated

    data, report = with_roles(simulated(recorded, args.input), **data_options.asked(args))
    write(data, args.output, format=args.to_format)
    options.print_notes(report.notes)
