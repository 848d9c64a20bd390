"""A helix with noise."""  # CHANGE: name the data

# Copy this file to src/nldr/datasets/mine.py. CHANGE marks each line that your dataset replaces.

from __future__ import annotations

import numpy as np

from nldr.dataset import Dataset


def mine(  # CHANGE: the name, given in workflow/catalog/datasets.yaml
    *,
    n_samples: int,
    turns: float,  # CHANGE: your parameters; their defaults are in the catalog
    noise: float,  # CHANGE
    rng: np.random.Generator,
) -> Dataset:
    """Sample a helix of radius 1 and pitch 1.

    CHANGE: say what the data are, and cite the source with the equation. With the parameter ``rng``
    the function is called again in each trial; without it, all trials share the same data.

    Parameters
    ----------
    n_samples : int
        Number of points.
    turns : float
        Number of turns of the helix.
    noise : float
        Standard deviation of the Gaussian noise on all coordinates, in the units of ``X``.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Dataset
        ``X``, ``clean``; ``Z``, the angle in turns; ``y``, the number of the turn.

    Raises
    ------
    ValueError
        If ``turns`` is not positive.

    Examples
    --------
    >>> data = mine(n_samples=20, turns=2.0, noise=0.0, rng=np.random.default_rng(0))  # CHANGE
    >>> data.X.shape, data.Z.shape
    ((20, 3), (20, 1))
    """
    # CHANGE: from here on, your generator or loader.
    if turns <= 0:
        raise ValueError(f"turns must be positive, got {turns}")

    # Latent: the angle, uniform over all turns.
    latent = turns * rng.random(n_samples)
    angle = 2 * np.pi * latent

    # Observations: the helix, then noise.
    clean = np.column_stack([np.cos(angle), np.sin(angle), latent])
    return Dataset(
        X=clean + noise * rng.normal(size=clean.shape),
        Z=latent[:, None],  # leave out what is not known: Z, y, clean
        y=latent.astype(int),
        clean=clean,  # metrics compare embeddings with the clean points
    )
