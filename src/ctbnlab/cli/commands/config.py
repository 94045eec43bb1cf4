"""`ctbnlab config`: validate a workflow config; write it in full, its JSON schema or its reference."""

from __future__ import annotations

import argparse

from ctbnlab.cli.options import add_output
from ctbnlab.cli.paths import Config

HELP = "validate a workflow config and print it with all defaults"
DESCRIPTION = """\
Validate the config of an experiment and print it as JSON with all defaults filled in.

  ctbnlab config config/paper.yaml
  ctbnlab config --explain           describe every key
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config", nargs="?", type=Config(), metavar="CONFIG", help="a YAML or JSON file, or JSON text"
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--schema", action="store_true", help="print the JSON schema of configs instead")
    kind.add_argument(
        "--explain", action="store_true", help="print a reference of all keys as Markdown instead"
    )
    add_output(parser, "write to this file (default: print)", printed=True)


def run(args: argparse.Namespace) -> None:
    from ctbnlab.errors import InputError
    from ctbnlab.io import json_text
    from ctbnlab.io.files import replacing
    from ctbnlab.workflow.config import json_schema, load, parse

    if args.explain:
        from ctbnlab.workflow.config_docs import explanation

        if args.output is None:
            print(explanation(), end="")
        else:
            with replacing(args.output) as temporary:
                temporary.write_text(explanation(), encoding="utf-8")
        return
    if args.schema:
        content = json_schema()
    elif args.config is None:
        raise InputError("no config given: name a file, or use --schema or --explain")
    else:
        given, source = parse(args.config)
        content = load(given, source).model_dump(mode="json")
    if args.output is None:
        print(json_text.dumps(content), end="")
    else:
        json_text.write(content, args.output)
