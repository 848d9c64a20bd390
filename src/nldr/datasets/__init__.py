"""Dataset generators and loaders: functions that return a Dataset, imported on first use."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "arrays": ["features"],
        "curves": ["latent_curve"],
        "images": ["coil20", "teapots", "umist"],
        "latent": ["gaussian_bump", "gp", "sinusoid"],
        "manifolds": [
            "broken_swiss_roll",
            "helix",
            "high_dimensional",
            "roll_and_thread",
            "swiss_roll",
            "twin_peaks",
            "two_swiss_rolls",
        ],
        "real": ["digits", "fashion_mnist", "mnist"],
        "rendering": ["turntable", "utah_teapot"],
        "spheres": ["nested_spheres"],
        "tables": ["bank", "letter", "qpcr"],
        "text": ["hatespeech", "imdb"],
    },
)
