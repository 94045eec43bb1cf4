from ctbnlab.presentation.report.captions import caption_of


rule figures:
    input:
        f"{plan.root}/metrics.parquet",
    output:
        [
            report(
                f"{plan.root}/figures/{name}.{plan.shown_format}",
                caption=f"../report/{name}.rst",
                category="Figures",
                labels={"figure": caption_of(name).title},
            )
            for name in plan.figure_names()
        ],
        [
            f"{plan.root}/figures/{name}.{ending}"
            for name in plan.figure_names()
            for ending in plan.other_formats
        ],
    log:
        f"{plan.root}/logs/figures.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        options=plan.figure_arguments(),
        folder=lambda wildcards, output: str(Path(output[0]).parent),
    message:
        "Draw the figures, with the published values"
    shell:
        "ctbnlab figures {input} {params.options} -o {params.folder} 2> {log}"


rule example:
    output:
        report(
            f"{plan.root}/figures/example.{plan.shown_format}",
            caption="../report/example.rst",
            category="Figures",
            labels={"figure": caption_of("example").title},
        ),
        [f"{plan.root}/figures/example.{ending}" for ending in plan.other_formats],
    log:
        f"{plan.root}/logs/example.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    message:
        "Draw the paper's example network with its intensity matrices"
    shell:
        "for picture in {output:q}; do "
        "ctbnlab gallery eating | ctbnlab plot - --cims -o $picture; done 2> {log}"


rule heatmap:
    input:
        network=f"{plan.shown_run()}/network.json",
        graph=f"{plan.shown_learner()}/graph.json",
    output:
        report(
            f"{plan.root}/figures/heatmap.{plan.shown_format}",
            caption="../report/heatmap.rst",
            category="Figures",
            labels={"figure": caption_of("heatmap").title},
        ),
        [f"{plan.root}/figures/heatmap.{ending}" for ending in plan.other_formats],
    log:
        f"{plan.root}/logs/heatmap.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    message:
        "Draw the heat map of one network: found, missed and invented arcs"
    shell:
        "for picture in {output:q}; do "
        "ctbnlab plot {input.graph} --true {input.network} --kind heatmap -o $picture; done 2> {log}"
