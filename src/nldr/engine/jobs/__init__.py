"""The stages of the workflow: one module per kind of job."""
