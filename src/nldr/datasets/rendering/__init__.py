"""Datasets of rendered images whose latent coordinates are known.

:mod:`~nldr.datasets.rendering.scenes` makes the datasets with the software renderer in
:mod:`~nldr.datasets.rendering.renderer`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={"scenes": ["turntable", "utah_teapot"]},
)
