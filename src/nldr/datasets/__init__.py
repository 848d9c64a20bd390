"""Data set generators and loaders: functions that return a DataSet, imported when first used."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "arrays": ["features"],
        "images": ["coil20", "teapots", "umist"],
        "latent": ["gp"],
        "manifolds": ["swiss_roll"],
        "real": ["digits", "fashion_mnist", "mnist"],
        "tables": ["bank", "letter", "qpcr"],
        "text": ["hatespeech", "imdb"],
    },
)
