rule figures:
    input:
        f"{plan.root}/metrics.parquet",
    output:
        [
            report(
                f"{plan.root}/figures/{name}.{ending}",
                caption=f"../report/{name}.rst",
                category="Figures",
                labels={"figure": name, "format": ending},
            )
            for name in plan.figure_names()
            for ending in plan.config.formats
        ],
    log:
        f"{plan.root}/logs/figures.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        options=plan.figure_arguments(),
        folder=lambda wildcards, output: os.path.dirname(output[0]),
    message:
        "Draw the figures, with the published values"
    shell:
        "ctbnlab figures {input} {params.options} -o {params.folder} 2> {log}"


rule example:
    output:
        report(
            f"{plan.root}/figures/example.{{ending}}",
            caption="../report/example.rst",
            category="Figures",
            labels={"figure": "example network", "format": "{ending}"},
        ),
    log:
        f"{plan.root}/logs/example-{{ending}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    message:
        "Draw the paper's example network with its intensity matrices"
    shell:
        "(ctbnlab gallery eating -o {output}.json && ctbnlab plot {output}.json --cims -o {output} "
        "&& rm {output}.json) 2> {log}"


rule heatmap:
    input:
        network=f"{plan.shown_run()}/network.json",
        graph=f"{plan.shown_learner()}/graph.json",
    output:
        report(
            f"{plan.root}/figures/heatmap.{{ending}}",
            caption="../report/heatmap.rst",
            category="Figures",
            labels={"figure": "arcs of one network", "format": "{ending}"},
        ),
    log:
        f"{plan.root}/logs/heatmap-{{ending}}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    message:
        "Draw the heat map of one network: found, missed and invented arcs"
    shell:
        "ctbnlab plot {input.graph} --true {input.network} --kind heatmap -o {output} 2> {log}"
