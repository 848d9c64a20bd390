# Makes the tables and timings of a study, from its scores and embeddings.


rule table:
    input:
        scores=lambda w: plan.score_files(w.study),
        embeddings=lambda w: plan.study_embeddings(w.study),
        published=lambda w: plan.published_files(w.study),
    output:
        table=layout.TABLE,
        summary=layout.SUMMARY,
        timings=layout.TIMINGS,
    log:
        "results/logs/tables/{study}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=2048,
        runtime=30,
    params:
        job=lambda w: (plan.table_job(w.study),),  # a tuple: Snakemake compares built-in types only
        records=layout.RECORDS,
    script:
        "../scripts/table.py"


rule tables:
    input:
        [layout.TABLE.format(study=study) for study in plan.selected],
