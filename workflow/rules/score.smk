# Makes the scores of all trials of one method on one dataset, from the data and the embeddings.


rule score:
    input:
        data=lambda w: plan.data_files(w.data, range(int(w.trials))),
        embeddings=lambda w: plan.embedding_files(w.data, w.method, int(w.trials)),
    output:
        layout.SCORES,
    log:
        "results/logs/scores/{data}/{method}/{scorer}/trials-{trials}.log",
    conda:
        "../../envs/environment.yaml"
    threads: lambda w: plan.score_threads(w.data, w.scorer)
    resources:
        mem_mb=4096,
        runtime=60,
    params:
        job=lambda w: (plan.score_job(w.scorer),),  # a tuple: Snakemake compares built-in types only
        records=layout.RECORDS,
    script:
        "../scripts/score.py"
