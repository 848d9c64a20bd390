"""Costs of an embedding: the columns of a study's timings, and how figures label them."""

CLOCKS = ("seconds", "cpu_seconds", "transform_seconds")
LABELS = {"seconds": "fit time (s)", "cpu_seconds": "CPU time (s)", "peak_mb": "peak memory (MB)"}
CIRCUMSTANCES = ("fitted_rows", "threads", "exclusive")
COLUMNS = (*CLOCKS, "peak_mb", *CIRCUMSTANCES)
