"""The workflow: config, design, the plan of files and commands, job resources, collection, provenance.

Decides which files an experiment has and how each is made; the Snakemake rules only call it. Imports
`presentation` and below, never Snakemake itself.
"""
