"""Costs of an embedding: the columns of a study's timings, and the labels that figures draw."""

# Measured times in seconds, the only numbers that differ from run to run.
CLOCKS = ("seconds", "cpu_seconds", "transform_seconds")

# Costs that studies compare and figures draw, with the labels of their axes.
COSTS = {
    "seconds": "fit time (s)",
    "cpu_seconds": "CPU time (s)",
    "transform_seconds": "time to place test points (s)",
    "peak_mb": "memory of the fit (MB)",
}

# All columns of the timings: costs, then the circumstances under which they were measured.
CIRCUMSTANCES = ("threads", "exclusive", "cores", "start", "cpu", "run", "written")
COLUMNS = (*CLOCKS, "compile_seconds", "peak_mb", "fitted_rows", *CIRCUMSTANCES)
