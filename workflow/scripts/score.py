"""Score the embeddings of one method on one dataset."""

from pathlib import Path

from nldr.engine.jobs.score import score
from nldr.engine.logs import job_log

(job,) = snakemake.params.job
cell = f"{snakemake.wildcards.data}/{snakemake.wildcards.method}/{snakemake.wildcards.scorer}"
with job_log(snakemake.log[0], snakemake.params.records, "score", cell):
    score(
        job,
        data_files=list(snakemake.input.data),
        embedding_files=list(snakemake.input.embeddings),
        output=Path(snakemake.output[0]),
        threads=snakemake.threads,
    )
