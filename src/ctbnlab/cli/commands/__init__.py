"""One module a command: `HELP`, `add_arguments(parser)` and `run(args)`.

A command's module imports the library inside `run`: `ctbnlab --help` then needs none of it.
"""

# In the order in which data flow; the order of `ctbnlab --help`.
COMMANDS = (
    "gallery",
    "generate",
    "simulate",
    "convert",
    "show",
    "learn",
    "merge",
    "fit",
    "compare",
    "arcs",
    "plot",
    "check-learner",
    "evaluate",
    "collect",
    "tables",
    "figures",
    "config",
    "environment",
    "completion",
)
