# Makes a figure, from its study's tables and, where it shows panels, data and embeddings.


rule figure:
    input:
        outdated=build.outdated(outputs.drawn),
        tables=lambda w: outputs.tables.format(study=build.owner(w.figure)),
        table=lambda w: outputs.table.format(study=plan.owners[w.figure]),
        timings=lambda w: outputs.timings.format(study=plan.owners[w.figure]),
        published=lambda w: plan.published_files(plan.owners[w.figure]),
        panel_data=lambda w: plan.panel_data_files(w.figure),
        panel_embeddings=lambda w: plan.panel_embeddings(w.figure),
    output:
        pdf=outputs.figure,
        png=outputs.picture,
        svg=report(
            outputs.drawing,
            caption="../report/figure.rst",
            category=lambda w: captions.paper_of(plan, plan.owners[w.figure]),
            subcategory=lambda w: captions.heading_of(plan, plan.owners[w.figure]),
            labels=lambda w: captions.labels_of(plan, "figure", w.figure),
        ),
        manifest=outputs.drawn,
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


# What has a mistake can be asked for, and then says so.
for name, mistake in plan.refused().items():

    rule:
        name:
            name
        input:
            lambda w, mistake=mistake: build.refuse(mistake),


# Any other word: nothing has this name.
rule no_such_name:
    input:
        lambda w: build.refuse_name(w.word),
    output:
        "{word}",
