"""Costs: records of jobs that have run, and the forecast of those that will."""
