rule trajectories:
    input:
        f"{plan.run_folder}/network.json",
    output:
        f"{plan.run_folder}/data.arrow",
    log:
        f"{plan.run_folder}/logs/trajectories.log",
    wildcard_constraints:
        network=plan.given.simulated,
    group:
        job_resources.group
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=job_resources.scan_memory_mb,
        runtime=job_resources.scan_minutes,
    params:
        options=plan.simulate_arguments,
    message:
        f"Simulate the trajectories: {plan.run_words}"
    shell:
        "ctbnlab simulate {input} {params.options} -o {output} 2> {log}"


if plan.given.data_sets:

    rule data_set:
        input:
            lambda wildcards: list(map(local, plan.given.data_inputs(wildcards))),
        output:
            f"{plan.run_folder}/data.arrow",
        log:
            f"{plan.run_folder}/logs/data_set.log",
        wildcard_constraints:
            network=plan.given.converted,
        group:
            job_resources.group
        conda:
            "../../envs/environment.yaml"
        resources:
            mem_mb=job_resources.scan_memory_mb,
            runtime=job_resources.scan_minutes,
        params:
            options=plan.given.convert_arguments,
            stamps=plan.given.data_stamps,
        message:
            "Convert the data set {wildcards.network} to Arrow"
        shell:
            "ctbnlab convert {params.options} {output} 2> {log}"
