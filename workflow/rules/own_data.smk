rule own_data:
    input:
        list(map(local, plan.data_inputs())),
    output:
        f"{plan.root}/data.arrow",
    log:
        f"{plan.root}/logs/own_data.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=job_resources.scan_memory_mb,
        runtime=job_resources.scan_minutes,
    # Functions: Snakemake looks for wildcards in texts.
    params:
        path=lambda wildcards: plan.data_path,
        options=lambda wildcards: plan.import_arguments(),
        stamps=lambda wildcards: plan.data_stamps(),
    message:
        "Convert {params.path} to Arrow"
    shell:
        "ctbnlab convert {params.options} -- {params.path:q} {output} 2> {log}"


rule fit:
    input:
        data=f"{plan.root}/data.arrow",
        graph=f"{plan.learner_folder}/graph.json",
    output:
        report(f"{plan.learner_folder}/network.json", category="Networks", labels={"learner": "{learner}"}),
    log:
        f"{plan.learner_folder}/logs/fit.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=job_resources.scan_memory_mb,
        runtime=job_resources.scan_minutes,
    message:
        "Estimate the intensities for the graph of {wildcards.learner}"
    shell:
        "ctbnlab fit {input.graph} {input.data} -o {output} 2> {log}"


rule picture:
    input:
        f"{plan.learner_folder}/graph.json",
    output:
        report(
            f"{plan.learner_folder}/graph.{plan.shown_format}",
            caption="../report/own_graph.rst",
            category="Graphs",
            labels={"learner": "{learner}"},
        ),
        [f"{plan.learner_folder}/graph.{ending}" for ending in plan.other_formats],
    log:
        f"{plan.learner_folder}/logs/picture.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    message:
        "Draw the graph of {wildcards.learner}"
    shell:
        "for picture in {output:q}; do ctbnlab plot {input} -o $picture; done 2> {log}"


rule arcs:
    input:
        [f"{folder}/graph.json" for folder in plan.learner_folders()],
    output:
        report(
            f"{plan.root}/arcs.html",
            caption="../report/own_arcs.rst",
            category="Graphs",
            labels={"table": "arcs and their evidence"},
        ),
        multiext(f"{plan.root}/arcs", ".csv", ".md"),
    log:
        f"{plan.root}/logs/arcs.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    message:
        "Tabulate the arcs found by each learner"
    shell:
        "ctbnlab arcs {input} -o {output} 2> {log}"
