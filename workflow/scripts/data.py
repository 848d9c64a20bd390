"""Make one trial of a dataset."""

from pathlib import Path

from nldr.engine.jobs.data import make_data
from nldr.engine.logs import job_log

(job,) = snakemake.params.job
with job_log(snakemake.log[0], snakemake.params.records, "data", snakemake.wildcards.data):
    make_data(job, Path(snakemake.output[0]))
