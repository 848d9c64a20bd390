"""The HTML page that shows all results of a run."""
