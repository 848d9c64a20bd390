# Makes a figure, from its study's tables and, where it shows panels, data and embeddings.


rule figure:
    input:
        table=lambda w: layout.TABLE.format(study=plan.owners[w.figure]),
        timings=lambda w: layout.TIMINGS.format(study=plan.owners[w.figure]),
        published=lambda w: plan.published_files(plan.owners[w.figure]),
        panel_data=lambda w: plan.panel_data_files(w.figure),
        panel_embeddings=lambda w: plan.panel_embeddings(w.figure),
    output:
        pdf=layout.FIGURE,
        png=layout.PICTURE,
    log:
        "results/logs/figures/{figure}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=4096,
        runtime=30,
    params:
        job=lambda w: (plan.figure_job(w.figure),),  # a tuple: Snakemake compares built-in types only
        records=layout.RECORDS,
    script:
        "../scripts/figure.py"


# `snakemake <study>` builds all figures of a study, `snakemake <figure>` one of them.
for name, files in plan.targets().items():

    rule:
        name:
            name
        input:
            files,
