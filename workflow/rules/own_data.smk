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


if plan.resampling.folders():

    rule bootstrap_batch:
        input:
            data=f"{plan.root}/data.arrow",
            graph=f"{plan.learner_folder}/graph.json",
            files=lambda wildcards: list(map(local, plan.learner_files(wildcards))),
        output:
            (str if plan.config.keep.parts else temp)(f"{plan.learner_folder}/bootstrap-{{batch}}.json"),
        log:
            f"{plan.learner_folder}/logs/bootstrap-{{batch}}.log",
        conda:
            "../../envs/environment.yaml"
        threads: plan.threads
        resources:
            mem_mb=job_resources.learning_memory_mb,
            runtime=job_resources.bootstrap_minutes,
        params:
            options=plan.resampling.arguments,
            batches=len(plan.resampling.batches()),
            stamps=plan.learner_stamps,
        message:
            "Learn with {wildcards.learner} from resampled trajectories: batch {wildcards.batch} of {params.batches}"
        shell:
            "ctbnlab bootstrap {input.data} {params.options} --graph {input.graph} --jobs {threads} "
            "--batch {wildcards.batch}/{params.batches} -o {output} 2> {log}"

    rule bootstrap:
        input:
            plan.resampling.batches(),
        output:
            whole=f"{plan.learner_folder}/bootstrap.json",
            table=f"{plan.learner_folder}/frequencies.csv",
        log:
            f"{plan.learner_folder}/logs/bootstrap.log",
        localrule: True
        conda:
            "../../envs/environment.yaml"
        message:
            "Count the arcs that {wildcards.learner} finds in resampled trajectories"
        shell:
            "ctbnlab bootstrap --merge {input} -o {output.whole} --table {output.table} 2> {log}"

    rule frequencies:
        input:
            f"{plan.learner_folder}/bootstrap.json",
        output:
            report(
                f"{plan.learner_folder}/frequencies.{plan.shown_format}",
                caption="../report/own_frequencies.rst",
                category="Graphs",
                labels={"learner": "{learner}", "figure": "frequencies of arcs"},
            ),
            [f"{plan.learner_folder}/frequencies.{ending}" for ending in plan.other_formats],
        log:
            f"{plan.learner_folder}/logs/frequencies.log",
        localrule: True
        conda:
            "../../envs/environment.yaml"
        message:
            "Draw how often {wildcards.learner} finds each arc in resampled trajectories"
        shell:
            "for picture in {output:q}; do ctbnlab plot {input} -o $picture; done 2> {log}"
