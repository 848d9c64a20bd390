# Scores all trials of one method on one dataset, from the data and the embeddings.


rule score:
    input:
        outdated=build.outdated(layout.SCORES),
        data=lambda w: plan.data_file(w.data, int(w.trials)),
        embeddings=lambda w: plan.embedding_file(w.data, w.method, int(w.trials)),
    output:
        manifest=layout.SCORES,
    log:
        layout.LOG.format(stage="score", cell="{data}/{method}/{scorers}/{trials}"),
    priority: lambda w: plan.priority("score", w)
    threads: lambda w: max(s.threads for s in plan.scores_job(w.data, w.scorers, 1).scorings)
    resources:
        mem_mb=4096,
    run:
        build.run("score", wildcards, input, output, log, threads)
