"""`ctbnlab gallery`: networks by name."""

from __future__ import annotations

import argparse

from ctbnlab.cli.network_output import add_output, put

HELP = "list the named networks, or write one"
DESCRIPTION = """\
Without a name, list the networks there are and their options; with one, write that network.

  ctbnlab gallery
  ctbnlab gallery eating -o network.json
  ctbnlab gallery ring --nodes 12 --states 3 -o ring.json
"""
_OPTIONS = (
    ("nodes", int, "N", "number of variables"),
    ("states", int, "C", "states a variable"),
    ("branches", int, "B", "children a variable"),
    ("follow", float, "RATE", "rate into the parent's state"),
    ("stray", float, "RATE", "rate into any other state"),
    ("up", float, "RATE", "rate of turning on where the Boolean rule holds"),
    ("down", float, "RATE", "rate of turning off where it does not"),
    ("leak", float, "RATE", "rate of changing against the rule"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="the network to write")
    options = parser.add_argument_group("options of some networks")
    for name, kind, metavar, text in _OPTIONS:
        options.add_argument(f"--{name}", type=kind, metavar=metavar, help=text)
    add_output(parser)


def run(args: argparse.Namespace) -> None:
    from ctbnlab.errors import InputError
    from ctbnlab.model import gallery

    chosen = {name: getattr(args, name) for name, *_ in _OPTIONS if getattr(args, name) is not None}
    if args.name is not None:
        put(gallery.get(args.name, **chosen), args.output)
        return
    if chosen or args.output:
        raise InputError(f"name a network to write; there are {', '.join(gallery.names())}")
    width = max(map(len, gallery.names()))
    for name in gallery.names():
        print(f"{name:{width}}  {gallery.summary(name)}")
        options = gallery.options(name)
        if options:
            print(" " * width, "", " ".join(f"--{key} {value:g}" for key, value in options.items()))
