# Makes the tables and timings of a study, from its scores and embeddings.


rule table:
    input:
        outdated=build.outdated(outputs.tables),
        scores=lambda w: plan.score_files(w.study),
        embeddings=lambda w: plan.study_embeddings(w.study),
        published=lambda w: plan.published_files(w.study),
    output:
        table=outputs.table,
        summary=report(
            outputs.summary,
            caption="../report/table.rst",
            category=lambda w: captions.paper_of(plan, w.study),
            subcategory=lambda w: captions.heading_of(plan, w.study),
            labels=lambda w: captions.labels_of(plan, "table", w.study),
        ),
        failures=outputs.failures,
        timings=outputs.timings,
        costs=outputs.costs,
        manifest=outputs.tables,
    log:
        layout.LOG.format(stage="table", cell="{study}"),
    priority: lambda w: plan.priority("table", w)
    resources:
        mem_mb=2048,
    run:
        build.run("table", wildcards, input, output, log, threads)


rule tables:
    input:
        lambda _: [outputs.table.format(study=study) for study in build.selected(cores)],
