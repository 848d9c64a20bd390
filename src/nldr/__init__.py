"""Datasets, methods, metrics and figures of a benchmark of nonlinear dimensionality reduction."""

__version__ = "0.2.0"
