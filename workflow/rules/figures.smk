# Needs a study's tables, and where it shows panels the embeddings. Makes its figure.


rule figure:
    input:
        table=layout.TABLE,
        timings=layout.TIMINGS,
        published=lambda w: plan.published_files(w.study),
        panels=lambda w: plan.panel_files(w.study),
    output:
        pdf=layout.FIGURE,
        png=layout.PICTURE,
    log:
        "results/logs/figures/{study}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=4096,
        runtime=30,
    params:
        job=lambda w: plan.figure_job(w.study),
        code=lambda w: plan.catalog.fingerprint(
            "figure.py", plan.studies[w.study].study.figure.function
        ),
    script:
        "../scripts/figure.py"


for study in plan.studies:

    rule:
        name:
            study
        input:
            layout.FIGURE.format(study=study),
