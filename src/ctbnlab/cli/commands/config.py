"""`ctbnlab config`: check a config and write the whole of it, or its JSON schema."""

from __future__ import annotations

import argparse

HELP = "check a workflow's config, and show it with its defaults or its JSON schema"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", nargs="?", help="a YAML or JSON file, or the JSON text itself")
    parser.add_argument("--schema", action="store_true", help="show the JSON schema instead")
    parser.add_argument("--explain", action="store_true", help="explain every key, as Markdown")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of the screen")


def run(args: argparse.Namespace) -> None:
    from ctbnlab.errors import InputError
    from ctbnlab.io import json_text
    from ctbnlab.workflow.config import json_schema, load, parse

    if args.explain:
        from ctbnlab.workflow.config_docs import explanation

        print(explanation())
        return
    if args.schema:
        content = json_schema()
    elif args.config is None:
        raise InputError("name a config to check, or ask for --schema")
    else:
        given, source = parse(args.config)
        content = load(given, source).model_dump(mode="json")
    if args.output is None:
        print(json_text.dumps(content), end="")
    else:
        json_text.write(content, args.output)
