"""Everything that knows config, files or Snakemake: from studies to jobs to tables."""
