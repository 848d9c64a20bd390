"""Assemble one study's tables."""

from pathlib import Path

from nldr.logs import job_log
from nldr.tables import make_tables

with job_log(snakemake.log[0], "table", snakemake.wildcards.study):
    make_tables(
        snakemake.params.job,
        published=Path(snakemake.input.published[0]) if snakemake.input.published else None,
        table=Path(snakemake.output.table),
        summary=Path(snakemake.output.summary),
        timings=Path(snakemake.output.timings),
    )
