"""Dimensionality reduction methods: scikit-learn estimators, imported when first used."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "controls": ["DamagedOracle", "Oracle", "RandomEmbedding"],
        "gp": ["GPLVM", "BayesianGPLVM", "LolaGP"],
        "ikd": ["IKD"],
        "mvu": ["MVU", "DisjointMVU", "LandmarkMVU", "LargestComponentMVU"],
        "networks": [
            "DLMP",
            "VAE",
            "Autoencoder",
            "ParametricTSNE",
            "ParametricTSNERBM",
            "ParametricUMAP",
        ],
        "spectral": ["LLE", "Isomap", "LaplacianEigenmaps", "MetricMDS"],
        "stream": ["Stream"],
        "tsne": ["TSNE"],
        "umap": ["UMAP"],
    },
)
