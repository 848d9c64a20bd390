"""Dimensionality reduction methods: scikit-learn estimators, imported when first used."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "controls": ["DamagedOracle", "Oracle", "RandomEmbedding"],
        "disjoint_mvu": ["DisjointMVU"],
        "ikd": ["IKD"],
        "isomap": ["Isomap"],
        "landmark_mvu": ["LandmarkMVU"],
        "laplacian": ["LaplacianEigenmaps"],
        "largest_mvu": ["LargestComponentMVU"],
        "lle": ["LLE"],
        "mds": ["MetricMDS"],
        "mvu": ["MVU"],
        "tsne": ["TSNE"],
        "umap": ["UMAP"],
    },
)
