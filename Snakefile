"""From networks to tables and figures: `snakemake --cores all [--configfile config/paper.yaml]`."""

from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version, validate

min_version("9.0")

try:
    from ctbnlab.workflow.plan import WILDCARDS, load_plan
    from ctbnlab.workflow.provenance import export_revision
    from ctbnlab.workflow.resources import JobResources
    from ctbnlab.workflow.snakemake_glue import RunningWorkflow, put_command_on_path
except ModuleNotFoundError as error:
    raise WorkflowError(
        f"{error}. The environment of Snakemake needs ctbnlab with its workflow extra: "
        "`pip install '.[workflow]'` in a clone of the repository, or `pip install 'ctbnlab[workflow]'`."
    )


# Keys given with --config alone change the default config: the one in the working folder, or else the workflow's.
if not {"design", "data"} & set(config):
    default_config = "config/config.yaml"
    if not Path(default_config).exists():
        default_config = workflow.source_path("config/config.yaml")

    configfile: default_config


plan = load_plan(config)
validate(config, "workflow/schemas/config.schema.json", set_default=False)

put_command_on_path()
running = RunningWorkflow(workflow)
export_revision(running.source)
job_resources = JobResources(plan, running)

if not running.in_cluster_job and (packing := plan.workload.packing()):
    logger.info(packing)


report: "workflow/report/workflow.rst"


container: plan.config.container


wildcard_constraints:
    **WILDCARDS,


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
