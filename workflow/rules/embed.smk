# Needs one trial of a dataset. Makes what one method made of it, or the status of its failure.


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
        slurm_extra=lambda w: "--exclusive" if plan.alone(w.data, w.method) else "",
        runtime=lambda w: 2 + int(plan.limits(w.data, w.method)[0] // 60),
    params:
        job=lambda w: plan.embedding_job(w.data, w.method, int(w.trial)),
        code=lambda w: plan.catalog.fingerprint("embed.py", plan.methods[w.method].entry.class_),
    script:
        "../scripts/embed.py"
