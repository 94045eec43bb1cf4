rule learn:
    input:
        data=f"{plan.run_folder}/data.arrow",
        files=lambda wildcards: list(map(local, plan.learner_files(wildcards))),
    output:
        graph=(str if plan.config.keep.parts else temp)(f"{plan.learner_folder}/part-{{part}}.json"),
        # Kept, so that a graph can be evaluated again without learning it again.
        timings=f"{plan.learner_folder}/part-{{part}}.timings.json",
    log:
        f"{plan.learner_folder}/logs/part-{{part}}.log",
    group:
        job_resources.group
    conda:
        "../../envs/environment.yaml"
    threads: plan.threads
    resources:
        mem_mb=job_resources.learning_memory_mb,
        runtime=job_resources.learning_minutes,
    params:
        options=plan.learn_arguments,
        parts=plan.workload.n_parts,
        limits=job_resources.learning_limits,
        stamps=plan.learner_stamps,
    message:
        "Learn with {wildcards.learner}: part {wildcards.part} of {params.parts}"
    shell:
        "ctbnlab learn {input.data} {params.options} --part {wildcards.part}/{params.parts} --jobs {threads} "
        "--record-failures {params.limits} --timings {output.timings} -o {output.graph} 2> {log}"


rule merge:
    input:
        parts=lambda wildcards: [f"{part}.json" for part in plan.parts(wildcards)],
        data=plan.checked_data(),
    output:
        f"{plan.learner_folder}/graph.json",
    log:
        f"{plan.learner_folder}/logs/merge.log",
    group:
        job_resources.group
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=job_resources.merging_memory_mb,
        runtime=job_resources.merging_minutes,
    params:
        data=plan.merge_arguments(),
    message:
        "Merge the graph of {wildcards.learner}"
    shell:
        "ctbnlab merge {input.parts} {params.data} -o {output} 2> {log}"
