# Makes the report, from all that a run has made.


rule report:
    input:
        unpack(lambda _: plan.report_inputs(build.selected(cores))),
        outdated=build.outdated(outputs.reported),
    output:
        report=outputs.report,
        manifest=outputs.reported,
    log:
        layout.LOG.format(stage="report", cell="report"),
    resources:
        mem_mb=4096,
    run:
        build.report()
