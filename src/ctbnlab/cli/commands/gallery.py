"""`ctbnlab gallery`: built-in networks by name."""

from __future__ import annotations

import argparse

from ctbnlab.cli.options import add_network_output, write_network

HELP = "list the built-in networks, or write one"
DESCRIPTION = """\
Without a name, list the built-in networks and their options; with a name, write that network.

  ctbnlab gallery
  ctbnlab gallery eating -o network.json
  ctbnlab gallery ring --nodes 12 --states 3 -o ring.json
"""
_OPTIONS = (
    ("nodes", int, "N", "number of variables"),
    ("states", int, "C", "number of states per variable"),
    ("branches", int, "B", "number of children per variable"),
    ("follow", float, "RATE", "rate of changing to the parent's state"),
    ("stray", float, "RATE", "rate of changing to any other state"),
    ("up", float, "RATE", "rate of turning on if the Boolean rule is true"),
    ("down", float, "RATE", "rate of turning off if the Boolean rule is false"),
    ("leak", float, "RATE", "rate of changing against the Boolean rule"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="name of the network")
    options = parser.add_argument_group(
        "options of some networks (the list shows which, with their defaults)"
    )
    for name, kind, metavar, text in _OPTIONS:
        options.add_argument(f"--{name}", type=kind, metavar=metavar, help=text)
    add_network_output(parser)


def run(args: argparse.Namespace) -> None:
    from ctbnlab.errors import InputError
    from ctbnlab.model import gallery

    chosen = {name: getattr(args, name) for name, *_ in _OPTIONS if getattr(args, name) is not None}
    if args.name is not None:
        write_network(gallery.get(args.name, **chosen), args.output)
        return
    if chosen or args.output:
        raise InputError(f"no network given: name one of {', '.join(gallery.names())}")
    width = max(map(len, gallery.names()))
    for name in gallery.names():
        print(f"{name:{width}}  {gallery.summary(name)}")
        options = gallery.options(name)
        if options:
            print(" " * width, "", " ".join(f"--{key} {value:g}" for key, value in options.items()))
