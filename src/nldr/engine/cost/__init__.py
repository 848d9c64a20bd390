"""Costs: records of jobs that have run, and a model of those that will."""
