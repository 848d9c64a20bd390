"""Content of the report, gathered from the results of a run."""
