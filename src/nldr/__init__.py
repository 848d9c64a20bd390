"""A benchmark of nonlinear dimensionality reduction: datasets, methods, metrics and figures."""

__version__ = "0.5.0"
