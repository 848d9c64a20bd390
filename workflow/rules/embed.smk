# Makes the embedding of one trial of a dataset by one method, or the status of its failure.


rule embed:
    input:
        lambda w: plan.data_file(w.data, int(w.trial)),
    output:
        layout.EMBEDDING,
    log:
        "results/logs/embeddings/{data}/{method}/trial-{trial}.log",
    conda:
        "../../envs/environment.yaml"
    threads: lambda w: plan.threads(w.data, w.method, workflow.cores)
    resources:
        mem_mb=lambda w: plan.limits(w.data, w.method)[1] + 1024,
        slurm_extra=lambda w: "--exclusive" if plan.is_exclusive(w.data, w.method) else "",
        runtime=lambda w: 2 + int(plan.limits(w.data, w.method)[0] // 60),
    params:
        job=lambda w: (plan.embed_job(w.data, w.method, int(w.trial)),),  # a tuple: Snakemake compares built-in types only
        records=layout.RECORDS,
    script:
        "../scripts/embed.py"
