"""Surfaces in three dimensions whose parametrisation is known."""

from __future__ import annotations

import numpy as np

from nldr.dataset import DataSet
from nldr.datasets._synthetic import check_positive, observe


def swiss_roll(*, n_samples: int, height: float, noise: float, rng: np.random.Generator) -> DataSet:
    r"""Sample a rolled-up rectangle, the Swiss roll.

    With :math:`p` and :math:`q` uniform in [0, 1] and :math:`t = \frac{3\pi}{2}(1 + 2p)`,

    .. math:: x = (t \cos t,\; h q,\; t \sin t), \qquad
        z = \left(\tfrac12 (t \sqrt{1 + t^2} + \operatorname{arsinh} t),\; h q\right).

    The first latent coordinate is the length of the spiral from its centre, so distances in ``Z``
    are distances along the surface. (The paper has the axis of the roll last.)

    Parameters
    ----------
    n_samples : int
        Number of points.
    height : float
        Extent h of the roll along its axis, in the units of ``X``; the paper has 30.
    noise : float
        Standard deviation of the Gaussian noise on all three coordinates, in the units of ``X``.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    DataSet
        ``X`` of three features, ``Z`` of two, and ``clean`` if there is noise.

    Raises
    ------
    ValueError
        If the number of points or the height is not positive, or the noise is negative.

    References
    ----------
    Costa, Maximum Variance Unfolding on Disjoint Manifolds, data sets.

    Examples
    --------
    >>> data = swiss_roll(n_samples=100, height=30.0, noise=0.0, rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape
    ((100, 3), (100, 2))
    """
    check_positive(n_samples=n_samples, height=height)
    p = rng.random(n_samples)
    q = rng.random(n_samples)
    t = 1.5 * np.pi * (1 + 2 * p)
    clean = np.column_stack([t * np.cos(t), height * q, t * np.sin(t)])
    arc = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    return observe(clean, noise, rng, Z=np.column_stack([arc, height * q]))
