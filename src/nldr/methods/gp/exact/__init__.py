"""Exact likelihood and kernels of the GPLVM."""
