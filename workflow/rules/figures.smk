# Makes a figure, from its study's tables and, where it shows panels, data and embeddings.


rule figure:
    input:
        outdated=build.outdated(layout.DRAWN),
        tables=lambda w: layout.TABLES.format(study=plan.owners[w.figure]),
        table=lambda w: layout.TABLE.format(study=plan.owners[w.figure]),
        timings=lambda w: layout.TIMINGS.format(study=plan.owners[w.figure]),
        published=lambda w: plan.published_files(plan.owners[w.figure]),
        panel_data=lambda w: plan.panel_data_files(w.figure),
        panel_embeddings=lambda w: plan.panel_embeddings(w.figure),
    output:
        pdf=layout.FIGURE,
        png=layout.PICTURE,
        manifest=layout.DRAWN,
    log:
        layout.LOG.format(stage="figure", cell="{figure}"),
    priority: lambda w: plan.priority("figure", w)
    resources:
        mem_mb=4096,
    run:
        build.run("figure", wildcards, input, output, log, threads)


# `snakemake <study>` builds all figures of a study, `snakemake <figure>` one of them.
for name, files in plan.targets().items():

    rule:
        name:
            name
        input:
            files,


# A study with a mistake can be asked for, and then says so.
for name, mistake in plan.broken.items():

    rule:
        name:
            name
        input:
            lambda w, mistake=mistake: build.refuse(mistake),
