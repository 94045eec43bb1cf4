rule network:
    output:
        f"{plan.run_folder}/network.json",
    log:
        f"{plan.run_folder}/logs/network.log",
    group:
        job_resources.group
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=job_resources.small_memory_mb,
        runtime=job_resources.small_minutes,
    params:
        options=plan.generate_arguments,
    message:
        "Draw a network: {wildcards.nodes} nodes, {wildcards.states} states, density {wildcards.density}, "
        "replicate {wildcards.replicate}"
    shell:
        "ctbnlab generate {params.options} -o {output} 2> {log}"
