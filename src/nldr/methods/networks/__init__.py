"""Methods that train a neural network, whose transform embeds new points."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "autoencoder": ["VAE", "Autoencoder"],
        "dlmp": ["DLMP"],
        "parametric_tsne": ["ParametricTSNE"],
        "parametric_tsne_rbm": ["ParametricTSNERBM"],
        "parametric_umap": ["ParametricUMAP"],
    },
)
