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
            labels=lambda w: captions.labels_of(plan, "verdicts", w.study),
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


# Decides the claims of the papers, from the cells that they select of studies.


if plan.claims_mistake is None:

    rule claims:
        input:
            unpack(lambda _: plan.claim_files(studies=build.claimed(cores))),
            outdated=lambda _: build.outdated_claims(cores),
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


# `nldr claim <claim> --build` builds the cells of one claim and decides it.
for name in plan.claims:

    rule:
        name:
            CLAIM + name
        input:
            unpack(lambda w, name=name: plan.claim_files([name])),
