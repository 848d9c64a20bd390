"""Nonlinear dimensionality reduction: methods, datasets, metrics, and a benchmark of them.

Everything is imported on first use: ``nldr.evaluate``, ``nldr.Dataset``, ``nldr.reference``, and
the subpackages ``nldr.methods``, ``nldr.datasets``, ``nldr.metrics`` and ``nldr.neighborhoods``.
"""

import lazy_loader

__version__ = "0.10.7"

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=["datasets", "kernels", "methods", "metrics", "neighborhoods"],
    submod_attrs={
        "dataset": ["Dataset"],
        "metrics.evaluation": ["evaluate"],
        "reference": ["reference"],
    },
)
