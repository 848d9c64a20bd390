"""Spectral methods on distances and neighborhood graphs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "isomap": ["Isomap"],
        "laplacian": ["LaplacianEigenmaps"],
        "lle": ["LLE"],
        "mds": ["MetricMDS"],
    },
)
