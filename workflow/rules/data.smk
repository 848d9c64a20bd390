# Makes all trials of one dataset, from nothing.


rule data:
    input:
        outdated=build.outdated(layout.DATA),
    output:
        manifest=layout.DATA,
    log:
        layout.LOG.format(stage="data", cell="{data}/{trials}"),
    priority: lambda w: plan.priority("data", w)
    resources:
        mem_mb=4096,
    run:
        build.run("data", wildcards, input, output, log, threads)
