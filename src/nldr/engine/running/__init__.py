"""Running jobs: processes, workers, progress and what Snakemake calls."""
