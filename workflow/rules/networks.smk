if plan.config.design.is_random:

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
            f"Draw a network: {plan.run_words}"
        shell:
            "ctbnlab generate {params.options} -o {output} 2> {log}"

else:

    # A network that the design names, or the true graph of a data set.
    rule truth:
        input:
            files=lambda wildcards: list(map(local, plan.given.truth_inputs(wildcards))),
            data=plan.given.truth_data,
        output:
            f"{plan.run_folder}/network.json",
        log:
            f"{plan.run_folder}/logs/truth.log",
        group:
            job_resources.group
        conda:
            "../../envs/environment.yaml"
        resources:
            mem_mb=job_resources.small_memory_mb,
            runtime=job_resources.small_minutes,
        params:
            command=plan.given.truth_command,
            stamps=plan.given.truth_stamps,
        message:
            f"Check and copy the truth: {plan.run_words}"
        shell:
            "ctbnlab {params.command} {output} 2> {log}"
