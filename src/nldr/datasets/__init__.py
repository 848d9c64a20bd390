"""Dataset generators and loaders: functions that return a Dataset, imported on first use.

Their parameters are keywords. `n_samples` is the number of points, `noise` the standard deviation
of Gaussian noise on each coordinate, in the units of ``X``, and `rng` the source of randomness. For
the same state of it, a smaller random subset of a file is part of a larger one. All raise
ValueError if a parameter is out of range or a file is malformed, and
:class:`nldr.datasets.download.DownloadError` if a file can neither be found nor downloaded.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "annotated": ["annotated"],
        "arrays": ["features"],
        "branches": ["curved_branches"],
        "bundled": ["table"],
        "curves": ["latent_curve"],
        "encoding_models": ["encoding_model"],
        "hierarchies": ["hierarchical_gaussians"],
        "holes": ["nested_rings", "s_curve_hole"],
        "hypercubes": ["hypercube"],
        "images": ["coil20", "orl", "teapots", "umist"],
        "latent": ["gaussian_bump", "gp", "sinusoid"],
        "mammoth": ["mammoth"],
        "manifolds": ["broken_swiss_roll", "roll_and_thread", "swiss_roll", "two_swiss_rolls"],
        "real": ["digits", "fashion_mnist", "mnist"],
        "rendering": ["turntable", "utah_teapot"],
        "shapes": ["broken_s_curve", "four_moons", "helix", "high_dimensional", "twin_peaks"],
        "single_cells": ["single_cells"],
        "spheres": ["nested_spheres"],
        "tables": ["bank", "letter", "qpcr"],
        "text": ["hatespeech", "imdb"],
        "topics": ["topic_counts"],
        "trees": ["tree"],
    },
)
