"""Rendered images of known latent coordinates."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={"scenes": ["turntable", "utah_teapot"]},
)
