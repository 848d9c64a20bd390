"""Make one trial of a data set."""

from pathlib import Path

from nldr.logs import job_log
from nldr.make import make_data

with job_log(snakemake.log[0], "data", snakemake.wildcards.data):
    make_data({**snakemake.params.job, "code": snakemake.params.code}, Path(snakemake.output[0]))
