# Makes the tables and timings of a study, from its scores and embeddings.


rule table:
    input:
        outdated=build.outdated(layout.TABLES),
        scores=lambda w: plan.score_files(w.study),
        embeddings=lambda w: plan.study_embeddings(w.study),
        published=lambda w: plan.published_files(w.study),
    output:
        table=layout.TABLE,
        summary=layout.SUMMARY,
        failures=layout.FAILURES,
        timings=layout.TIMINGS,
        costs=layout.COSTS,
        manifest=layout.TABLES,
    log:
        layout.LOG.format(stage="table", cell="{study}"),
    priority: lambda w: plan.priority("table", w)
    resources:
        mem_mb=2048,
    run:
        build.run("table", wildcards, input, output, log, threads)


rule tables:
    input:
        lambda _: [layout.TABLE.format(study=study) for study in build.selected(workflow.cores)],
