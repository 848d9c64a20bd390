"""Inverse kernel decomposition (IKD), and embeddings that other methods can start from."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "diagnostics": ["diagnose"],
        "ikd": ["IKD"],
        "start": ["geodesic_embedding", "isomap_embedding"],
    },
)
