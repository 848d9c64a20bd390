"""Dimensionality reduction methods: scikit-learn estimators, imported when first used."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "autoencoder": ["VAE", "Autoencoder"],
        "bayesian_gplvm": ["BayesianGPLVM"],
        "controls": ["DamagedOracle", "Oracle", "RandomEmbedding"],
        "disjoint_mvu": ["DisjointMVU"],
        "dlmp": ["DLMP"],
        "gplvm": ["GPLVM"],
        "ikd": ["IKD"],
        "isomap": ["Isomap"],
        "landmark_mvu": ["LandmarkMVU"],
        "laplacian": ["LaplacianEigenmaps"],
        "largest_mvu": ["LargestComponentMVU"],
        "lle": ["LLE"],
        "lolagp": ["LolaGP"],
        "mds": ["MetricMDS"],
        "mvu": ["MVU"],
        "parametric_tsne": ["ParametricTSNE"],
        "parametric_tsne_rbm": ["ParametricTSNERBM"],
        "parametric_umap": ["ParametricUMAP"],
        "stream": ["Stream"],
        "tsne": ["TSNE"],
        "umap": ["UMAP"],
    },
)
