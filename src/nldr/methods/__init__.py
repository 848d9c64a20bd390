"""Dimensionality reduction methods, all of them scikit-learn estimators.

Every class here can be imported from this package, for example ``from nldr.methods import Isomap``.
A module is loaded only when one of its classes is first used, so that importing the package does
not load the libraries that single methods need.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
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
