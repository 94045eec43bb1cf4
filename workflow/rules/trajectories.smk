rule trajectories:
    input:
        f"{plan.run_folder}/network.json",
    output:
        f"{plan.run_folder}/data.arrow",
    log:
        f"{plan.run_folder}/logs/trajectories.log",
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
        "Simulate the trajectories: {wildcards.nodes} nodes, {wildcards.states} states, density {wildcards.density}, "
        "replicate {wildcards.replicate}"
    shell:
        "ctbnlab simulate {input} {params.options} -o {output} 2> {log}"
