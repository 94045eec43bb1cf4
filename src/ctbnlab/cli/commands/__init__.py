"""One module per command: `HELP`, `add_arguments(parser)` and `run(args)`.

A command's module imports the library inside `run`, so that `ctbnlab --help` loads none of it.
"""

# In the order of `ctbnlab help`, which follows the flow of data.
GROUPS = {
    "daily use": (
        "inspect",
        "convert",
        "show",
        "learn",
        "report",
        "plot",
        "fit",
        "query",
        "bootstrap",
        "compare",
        "arcs",
    ),
    "studies with known networks, and learners of your own": (
        "gallery",
        "generate",
        "simulate",
        "check-learner",
        "tables",
        "figures",
    ),
    "steps of the workflow": (
        "merge",
        "truth",
        "evaluate",
        "collect",
        "config",
        "environment",
    ),
    "this command": ("completion", "help"),
}
COMMANDS = tuple(name for names in GROUPS.values() for name in names)
