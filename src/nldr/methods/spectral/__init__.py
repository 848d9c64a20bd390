"""Spectral methods and scaling: Isomap, LLE, Laplacian eigenmaps, diffusion maps, MDS and others.

Isomap, LLE and Laplacian eigenmaps agree with scikit-learn on connected neighborhood graphs. They
differ in what happens on disconnected ones: the parameter ``disconnected`` selects an error, a
warning or a remedy (see :func:`nldr.neighborhoods.repair`), and fitted attributes record the number
of connected components and the edges that were added.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "diffusion": ["DiffusionMaps"],
        "isomap": ["Isomap"],
        "kernel_pca": ["ScaledKernelPCA"],
        "laplacian": ["LaplacianEigenmaps"],
        "lle": ["LLE"],
        "mds": ["MetricMDS"],
        "nonmetric": ["NonmetricMDS"],
        "pca": ["EigenvaluePCA"],
        "sammon": ["Sammon"],
    },
)
