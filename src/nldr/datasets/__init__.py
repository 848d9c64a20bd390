"""Data set generators and loaders: functions that return a DataSet, imported when first used."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "latent": ["gp"],
        "manifolds": ["swiss_roll"],
        "real": ["digits", "mnist"],
        "rendered": ["turntable", "utah_teapot"],
    },
)
