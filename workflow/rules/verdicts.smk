# Decides the published numbers of a study, from its table.


rule verdict:
    input:
        outdated=build.outdated(layout.DECIDED),
        tables=layout.TABLES,
        table=layout.TABLE,
        published=lambda w: plan.published_files(w.study),
    output:
        verdicts=layout.VERDICTS,
        page=layout.VERDICT_PAGE,
        manifest=layout.DECIDED,
    log:
        layout.LOG.format(stage="verdict", cell="{study}"),
    priority: lambda w: plan.priority("verdict", w)
    resources:
        mem_mb=1024,
    run:
        build.run("verdict", wildcards, input, output, log, threads)


# Decides the claims of the papers, from the tables of the studies that they name.


if "claims" not in plan.broken:

    rule claims:
        input:
            outdated=build.outdated(layout.CLAIMED),
            tables=lambda _: expand(layout.TABLES, study=plan.claim_studies()),
            table=lambda _: expand(layout.TABLE, study=plan.claim_studies()),
            timings=lambda _: expand(layout.TIMINGS, study=plan.claim_studies()),
            published=lambda _: sorted(
                {f for s in plan.claim_studies() for f in plan.published_files(s)}
            ),
        output:
            claims=layout.CLAIMS,
            page=layout.CLAIM_PAGE,
            details=layout.CLAIM_DETAILS,
            manifest=layout.CLAIMED,
        log:
            layout.LOG.format(stage="claims", cell="claims"),
        resources:
            mem_mb=2048,
        run:
            build.run("claims", wildcards, input, output, log, threads)
