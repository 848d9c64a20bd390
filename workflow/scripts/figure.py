"""Draw one figure of a study."""

from pathlib import Path

from nldr.engine.jobs.figure import draw_figure
from nldr.engine.logs import job_log

(job,) = snakemake.params.job
with job_log(snakemake.log[0], snakemake.params.records, "figure", snakemake.wildcards.figure):
    draw_figure(
        job,
        table=Path(snakemake.input.table),
        timings=Path(snakemake.input.timings),
        published=Path(snakemake.input.published[0]) if snakemake.input.published else None,
        panel_data=list(snakemake.input.panel_data),
        panel_embeddings=list(snakemake.input.panel_embeddings),
        outputs=[Path(snakemake.output.pdf), Path(snakemake.output.png)],
    )
