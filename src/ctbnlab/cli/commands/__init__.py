"""One module per command: `HELP`, `add_arguments(parser)` and `run(args)`.

A command's module imports the library inside `run`, so that `ctbnlab --help` loads none of it.
"""

# In the order of `ctbnlab --help`, which follows the flow of data.
COMMANDS = (
    "gallery",
    "generate",
    "simulate",
    "inspect",
    "convert",
    "show",
    "learn",
    "merge",
    "bootstrap",
    "fit",
    "query",
    "compare",
    "arcs",
    "plot",
    "check-learner",
    "truth",
    "evaluate",
    "collect",
    "tables",
    "figures",
    "report",
    "config",
    "environment",
    "completion",
)
