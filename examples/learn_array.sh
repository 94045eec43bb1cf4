#!/bin/bash
# Learn one graph from one large data set on many machines, without the workflow: each task learns a share of
# the nodes from a copy of the data on its machine's local disk, made by the first task on that machine.
#   sbatch --array=1-20 --mem=2G --time=30 examples/learn_array.sh data.arrow parts
#   ctbnlab merge parts/part-*.json --data data.arrow -o graph.json
set -euo pipefail
data=$1
parts=$2

# A local folder that all tasks on this machine share and other machines do not; your site documents its name.
scratch=${SCRATCH_FOLDER:-/tmp}/ctbnlab-$SLURM_ARRAY_JOB_ID-$SLURMD_NODENAME
mkdir -p "$scratch" "$parts"
(
    flock 9
    if [ ! -e "$scratch/data.arrow" ]; then
        cp "$data" "$scratch/copying"
        mv "$scratch/copying" "$scratch/data.arrow"
    fi
) 9> "$scratch/lock"

part=$SLURM_ARRAY_TASK_ID
ctbnlab learn "$scratch/data.arrow" --part "$part/$SLURM_ARRAY_TASK_COUNT" -o "$parts/part-$part.json"
