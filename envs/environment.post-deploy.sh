#!/bin/sh
# Snakemake runs this in the environment that it has made from environment.yaml, to add ctbnlab: from the folder of
# the workflow if that is a clone, and as released if the workflow comes from a host of repositories.
set -eu
if test -f "${CTBNLAB_WORKFLOW:-}/pyproject.toml"; then
    pip install --no-deps --no-build-isolation "$CTBNLAB_WORKFLOW"
else
    pip install --no-deps ctbnlab
fi
ctbnlab --version
