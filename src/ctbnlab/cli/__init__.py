"""The `ctbnlab` command: argument parsing, progress, supervision of learners, one module per subcommand.

Decides what users type and read. Imports everything; nothing imports it.
"""
