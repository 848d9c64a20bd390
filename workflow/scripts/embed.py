"""Compute one embedding in a child process, or write why it failed."""

from pathlib import Path

from nldr.engine.jobs.embed import run_embedding
from nldr.engine.logs import record

(job,) = snakemake.params.job
run_embedding(
    job,
    data=Path(snakemake.input[0]),
    output=Path(snakemake.output[0]),
    log=Path(snakemake.log[0]),
)
cell = f"{snakemake.wildcards.data}/{snakemake.wildcards.method}"
record(snakemake.params.records, "embed", cell)
