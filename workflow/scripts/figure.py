"""Draw one study's figure."""

from pathlib import Path

from nldr.engine.jobs.figure import draw_figure
from nldr.engine.logs import job_log

with job_log(snakemake.log[0], "figure", snakemake.wildcards.study):
    draw_figure(
        snakemake.params.job,
        table=Path(snakemake.input.table),
        timings=Path(snakemake.input.timings),
        published=Path(snakemake.input.published[0]) if snakemake.input.published else None,
        outputs=[Path(snakemake.output.pdf), Path(snakemake.output.png)],
    )
