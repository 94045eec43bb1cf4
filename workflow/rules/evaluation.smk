rule evaluate:
    input:
        network=f"{plan.run_folder}/network.json",
        data=f"{plan.run_folder}/data.arrow",
        graph=f"{plan.learner_folder}/graph.json",
        timings=lambda wildcards: [f"{part}.timings.json" for part in plan.parts(wildcards)],
    output:
        f"{plan.learner_folder}/metrics.json",
    log:
        f"{plan.learner_folder}/logs/evaluate.log",
    group:
        job_resources.group
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=job_resources.scan_memory_mb,
        runtime=job_resources.scan_minutes,
    params:
        options=plan.evaluate_arguments,
    message:
        "Evaluate the graph of {wildcards.learner}"
    shell:
        "ctbnlab evaluate {input.network} {input.graph} {input.data} {params.options} "
        "--timings {input.timings} -o {output} 2> {log}"


rule metrics:
    input:
        config=f"{plan.root}/config.json",
        rows=[f"{folder}/metrics.json" for folder in plan.learner_folders()],
    output:
        f"{plan.root}/metrics.parquet",
    log:
        f"{plan.root}/logs/metrics.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    message:
        "Collect the metrics: one row per network and learner"
    shell:
        "ctbnlab collect {input.config} -o {output} 2> {log}"


rule tables:
    input:
        f"{plan.root}/metrics.parquet",
    output:
        report(
            directory(f"{plan.root}/tables"),
            patterns=["{table,(?!tables[.]html).+}.html"],
            caption="../report/tables.rst",
            category="Tables",
            labels={"table": "{table}"},
        ),
    log:
        f"{plan.root}/logs/tables.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        reference=plan.reference_arguments(),
    message:
        "Write the tables, with the published values next to ours"
    shell:
        "ctbnlab tables {input} {params.reference} -o {output} 2> {log}"
