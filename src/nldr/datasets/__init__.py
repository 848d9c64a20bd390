"""Data set generators and loaders: functions that return a DataSet, imported when first used."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "curves": ["latent_curve"],
        "latent": ["gaussian_bump", "gp", "sinusoid"],
        "manifolds": [
            "broken_swiss_roll",
            "helix",
            "high_dimensional",
            "swiss_roll",
            "twin_peaks",
        ],
        "real": ["digits", "mnist"],
        "spheres": ["nested_spheres"],
    },
)
