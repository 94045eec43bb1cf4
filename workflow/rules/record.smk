rule config:
    output:
        report(f"{plan.root}/config.json", category="Record"),
    log:
        f"{plan.root}/logs/config.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        config=lambda wildcards: plan.resolved(),
    message:
        "Record the config, defaults included"
    shell:
        "ctbnlab config {params.config:q} -o {output} 2> {log}"


rule environment:
    input:
        plan.made_last(),
    output:
        report(f"{plan.root}/environment.json", category="Record"),
    log:
        f"{plan.root}/logs/environment.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        rows=lambda wildcards, input: "" if plan.config.design is None else f"--metrics {input}",
    message:
        "Record versions, machine and revision"
    shell:
        "ctbnlab environment {params.rows} -o {output} 2> {log}"


rule report_page:
    input:
        plan.results(),
        config=f"{plan.root}/config.json",
    output:
        f"{plan.root}/report.html",
    log:
        f"{plan.root}/logs/report.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        folder=lambda wildcards, input: str(Path(input.config).parent),
    message:
        "Build the report: one HTML page that works offline"
    shell:
        "ctbnlab report {params.folder:q} -o {output} 2> {log}"
