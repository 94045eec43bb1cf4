"""From networks to the paper's tables and figures: `snakemake --cores all [--configfile config/paper.yaml]`."""

import os

from snakemake.utils import min_version, validate

from ctbnlab.workflow.plan import WILDCARDS, plan_of
from ctbnlab.workflow.resources import Requests
from ctbnlab.workflow.snakemake_glue import lift_rate_limit, offer_command

min_version("9.0")

if not config:

    configfile: "config/config.yaml"


plan = plan_of(config)
validate(config, "workflow/schemas/config.schema.json", set_default=False)

offer_command()
requests = Requests(plan, workflow)


report: "workflow/report/workflow.rst"


wildcard_constraints:
    **WILDCARDS,


onstart:
    lift_rate_limit(workflow)
    requests.prepare(os.path.join(workflow.basedir, "workflow", "scripts"))


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
