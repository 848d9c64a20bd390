"""Methods that train a neural network, whose transform embeds new points."""

from importlib.util import find_spec

import lazy_loader

if missing := [name for name in ("jax", "equinox", "optax") if find_spec(name) is None]:
    raise ImportError(f"networks need {', '.join(missing)}: pip install 'nldr[networks]'")

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "autoencoder": ["VAE", "Autoencoder"],
        "dlmp": ["DLMP"],
        "parametric_tsne": ["ParametricTSNE"],
        "parametric_tsne_rbm": ["ParametricTSNERBM"],
        "parametric_umap": ["ParametricUMAP"],
        "picasso": ["Picasso"],
    },
)
