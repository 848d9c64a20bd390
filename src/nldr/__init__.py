"""Nonlinear dimensionality reduction: methods, datasets, metrics, and a benchmark of them.

Everything is imported on first use: ``nldr.compare``, ``nldr.check``, ``nldr.diff``,
``nldr.doctor``, ``nldr.load``, ``nldr.plot``, ``nldr.evaluate``, ``nldr.Dataset``,
``nldr.reference``, and the subpackages ``nldr.comparison``, ``nldr.methods``, ``nldr.datasets``,
``nldr.metrics`` and ``nldr.neighborhoods``.
"""

import lazy_loader

__version__ = "1.0.0rc1"

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "comparison",
        "datasets",
        "inputs",
        "kernels",
        "methods",
        "metrics",
        "neighborhoods",
    ],
    submod_attrs={
        "comparison": ["check", "compare", "diff", "doctor", "load", "plot"],
        "dataset": ["Dataset"],
        "metrics.evaluation": ["evaluate"],
        "metrics.reference": ["reference"],
    },
)
