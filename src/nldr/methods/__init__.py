"""Dimensionality reduction methods, all of them scikit-learn estimators.

Every class here can be imported from this package, for example ``from nldr.methods import Isomap``.
So can ``PCA``, ``KernelPCA`` and ``ClassicalMDS``, which the catalog takes from scikit-learn. A
module is loaded only when one of its classes is first used, so that importing the package does not
load the libraries that single methods need.
"""

import importlib
from typing import Any

import lazy_loader

SCIKIT_LEARN = {"PCA": "decomposition", "KernelPCA": "decomposition", "ClassicalMDS": "manifold"}
# Names that other packages have for classes of this one
OTHER_NAMES = {
    "LocallyLinearEmbedding": "LLE",
    "MDS": "MetricMDS",
    "SpectralEmbedding": "LaplacianEigenmaps",
    "tSNE": "TSNE",
}

_ours, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "controls": ["DamagedOracle", "Oracle", "RandomEmbedding", "TwoPoints"],
        "densmap": ["DensMAP"],
        "dreams": ["DREAMS"],
        "extension": ["OutOfSample"],
        "gp": ["GPLVM", "BayesianGPLVM", "DiscreteGPLVM", "LolaGP"],
        "ikd": ["IKD"],
        "imputed": ["Imputed"],
        "mvu": [
            "MVU",
            "AlignedDisjointMVU",
            "DisjointMVU",
            "LandmarkMVU",
            "LargestComponentMVU",
            "PublishedDisjointMVU",
        ],
        "networks": [
            "DLMP",
            "VAE",
            "Autoencoder",
            "ParametricTSNE",
            "ParametricTSNERBM",
            "ParametricUMAP",
        ],
        "pacmap": ["LocalMAP", "PaCMAP"],
        "restarts": ["Restarts"],
        "spectral": [
            "LLE",
            "DiffusionMaps",
            "EigenvaluePCA",
            "Isomap",
            "LaplacianEigenmaps",
            "MetricMDS",
            "NonmetricMDS",
            "Sammon",
            "ScaledKernelPCA",
        ],
        "stream": ["Stream"],
        "tsne": ["TSNE", "RefittedTSNE"],
        "umap": ["UMAP"],
        "umato": ["UMATO"],
    },
)


def __getattr__(name: str) -> Any:
    if name in SCIKIT_LEARN:
        return getattr(importlib.import_module(f"sklearn.{SCIKIT_LEARN[name]}"), name)
    if name in OTHER_NAMES:
        raise ImportError(f"the class is called {OTHER_NAMES[name]} here, not {name}")
    return _ours(name)
