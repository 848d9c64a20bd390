# Decides the published numbers of a study, from its table.


rule verdict:
    input:
        outdated=build.outdated(outputs.decided),
        tables=outputs.tables,
        table=outputs.table,
        published=lambda w: plan.published_files(w.study),
    output:
        verdicts=report(
            outputs.verdicts,
            caption="../report/verdicts.rst",
            category=lambda w: captions.paper_of(plan, w.study),
            subcategory=lambda w: captions.heading_of(plan, w.study),
            labels=lambda w: captions.table_labels(plan, w.study, "verdicts"),
        ),
        page=outputs.verdict_page,
        manifest=outputs.decided,
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
            outdated=build.outdated(outputs.claimed),
            tables=lambda _: expand(outputs.tables, study=plan.claim_studies()),
            table=lambda _: expand(outputs.table, study=plan.claim_studies()),
            timings=lambda _: expand(outputs.timings, study=plan.claim_studies()),
            published=lambda _: sorted(
                {f for s in plan.claim_studies() for f in plan.published_files(s)}
            ),
        output:
            claims=report(
                outputs.claims,
                caption="../report/claims.rst",
                category="Claims",
                labels={"kind": "claims", "name": "claims", "title": "All claims, as a table"},
            ),
            page=report(
                outputs.claim_page,
                caption="../report/claims.rst",
                category="Claims",
                labels={"kind": "claims", "name": "claims", "title": "All claims, to read"},
            ),
            details=outputs.claim_details,
            manifest=outputs.claimed,
        log:
            layout.LOG.format(stage="claims", cell="claims"),
        resources:
            mem_mb=2048,
        run:
            build.run("claims", wildcards, input, output, log, threads)
