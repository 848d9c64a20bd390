# Needs all trials of a data set and their embeddings by one method. Makes their scores.


rule score:
    input:
        data=lambda w: plan.data_files(w.data, range(int(w.trials))),
        embeddings=lambda w: plan.embedding_files(w.data, w.method, int(w.trials)),
    output:
        cells.SCORES,
    log:
        "results/logs/scores/{data}/{method}/{scorer}/trials-{trials}.log",
    params:
        function=lambda w: plan.catalog_scorers[w.scorer].function,
        params=lambda w: plan.catalog_scorers[w.scorer].params,
        code=lambda w: plan.fingerprint("score.py", plan.catalog_scorers[w.scorer].function),
    resources:
        mem_mb=4096,
        runtime=60,
    conda:
        "../../envs/environment.yaml"
    script:
        "../scripts/score.py"
