"""The workflow: config, the plan of files and commands, resources of jobs, provenance.

Decides which files an experiment has and how each is made; the Snakemake rules only ask. Imports
`presentation` and below, never Snakemake itself.
"""
