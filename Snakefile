"""From networks to tables and figures: `snakemake --cores all [--configfile config/paper.yaml]`."""

import os

from snakemake.utils import min_version, validate

from ctbnlab.workflow.plan import WILDCARDS, load_plan
from ctbnlab.workflow.resources import JobResources
from ctbnlab.workflow.snakemake_glue import RunningWorkflow, put_command_on_path

min_version("9.0")

if not config:

    configfile: "config/config.yaml"


plan = load_plan(config)
validate(config, "workflow/schemas/config.schema.json", set_default=False)

put_command_on_path()
running = RunningWorkflow(workflow)
job_resources = JobResources(plan, running)


report: "workflow/report/workflow.rst"


wildcard_constraints:
    **WILDCARDS,


onstart:
    running.prepare(os.path.join(workflow.basedir, "workflow", "scripts"))
    job_resources.export_attempts()


rule all:
    default_target: True
    input:
        plan.targets(),


include: "workflow/rules/record.smk"
include: "workflow/rules/learning.smk"


if plan.config.design is not None:

    include: "workflow/rules/networks.smk"
    include: "workflow/rules/trajectories.smk"
    include: "workflow/rules/evaluation.smk"
    include: "workflow/rules/figures.smk"

else:

    include: "workflow/rules/own_data.smk"
