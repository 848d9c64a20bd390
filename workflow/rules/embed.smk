# Makes the embeddings of all trials of a dataset by one method, or the statuses of their failures.


rule embed:
    input:
        outdated=build.outdated(layout.EMBEDDINGS),
        data=lambda w: plan.data_file(w.data, int(w.trials)),
    output:
        manifest=layout.EMBEDDINGS,
    log:
        layout.LOG.format(stage="embed", cell="{data}/{method}/{trials}"),
    priority: lambda w: plan.priority("embed", w)
    threads: lambda w: plan.threads(w.data, w.method, int(w.trials), cores)
    resources:
        mem_mb=lambda w: plan.limits[w.data, w.method].memory_mb + 1024,
    run:
        build.run("embed", wildcards, input, output, log, threads)
