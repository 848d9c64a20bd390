"""Assemble one study's tables."""

from pathlib import Path

from nldr.engine.jobs.table import make_tables
from nldr.engine.logs import job_log

(job,) = snakemake.params.job
with job_log(snakemake.log[0], snakemake.params.records, "table", snakemake.wildcards.study):
    make_tables(
        job,
        scores=list(snakemake.input.scores),
        embeddings=list(snakemake.input.embeddings),
        published=Path(snakemake.input.published[0]) if snakemake.input.published else None,
        table=Path(snakemake.output.table),
        summary=Path(snakemake.output.summary),
        timings=Path(snakemake.output.timings),
    )
