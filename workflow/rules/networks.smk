rule network:
    output:
        f"{plan.run_folder}/network.json",
    log:
        f"{plan.run_folder}/logs/network.log",
    group:
        requests.group
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=requests.small_memory_mb,
        runtime=requests.small_minutes,
    params:
        options=plan.generate_arguments,
    message:
        "network: {wildcards.nodes} nodes, {wildcards.states} states, density {wildcards.density}, "
        "replicate {wildcards.replicate}"
    shell:
        "ctbnlab generate {params.options} -o {output} 2> {log}"
