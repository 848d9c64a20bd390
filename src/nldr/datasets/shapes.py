"""Manifolds beside the Swiss rolls: curves and surfaces in 3D, and a 5D manifold in 10D."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_choice, check_positive, checkerboard, observe

# Pieces of the broken S-curve, intervals of the angle in units of π
S_PIECES = np.array([[-1.5, -1.1], [-0.9, -0.1], [0.1, 0.9], [1.1, 1.5]])
S_LABELS = {"components": False, "checkerboard": True}
MOON_LABELS = {"components": False, "kinds": True}


def helix(*, n_samples: int, noise: float, even: bool = False, rng: np.random.Generator) -> Dataset:
    r"""Sample a closed coil with eight turns around a ring.

    With :math:`p` uniform in [0, 2π] (in the paper, [0, 1]),

    .. math:: x = ((2 + \cos 8p) \cos p,\; (2 + \cos 8p) \sin p,\; \sin 8p), \qquad
        z = \int_0^p \sqrt{64 + (2 + \cos 8u)^2}\, du.

    The latent is the arc length of the coil from p = 0; its two ends, 0 and 51.99, are the same
    point. Labels are whether :math:`1.5 p`, rounded, is even or odd.

    Parameters
    ----------
    even : bool, default=False
        Whether p is evenly spaced, the i-th value being :math:`2 \pi i / n` as in the runs that
        the author of the paper released, or uniformly distributed.

    Returns
    -------
    Dataset
        ``X`` with three features, ``Z`` with one, labels ``y``, and ``clean`` if there is noise.

    References
    ----------
    Costa, Maximum Variance Unfolding on Disjoint Manifolds, datasets; van der Maaten, Postma &
    van den Herik, Dimensionality Reduction: A Comparative Review.

    Examples
    --------
    >>> data = helix(n_samples=100, noise=0.0, rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape
    ((100, 3), (100, 1))
    """
    check_positive(n_samples=n_samples)
    unit = np.arange(1, n_samples + 1) / n_samples if even else rng.random(n_samples)
    p = 2 * np.pi * unit
    distance = 2 + np.cos(8 * p)  # from the axis of the ring
    clean = np.column_stack([distance * np.cos(p), distance * np.sin(p), np.sin(8 * p)])
    # Arc length: the speed is an even periodic function of 8p, so integrate its Fourier series;
    # successive terms decrease by a factor of 16, so 32 samples are exact up to rounding
    speed = np.sqrt(64 + (2 + np.cos(2 * np.pi * np.arange(32) / 32)) ** 2)
    mean, *terms = np.fft.rfft(speed).real / 32
    k = 8 * np.arange(1, len(terms) + 1)
    arc = mean * p + 2 * np.sin(np.multiply.outer(p, k)) @ (terms / k)
    return observe(clean, noise, rng, Z=arc[:, None], y=checkerboard(1.5 * p))


def twin_peaks(*, n_samples: int, noise: float, rng: np.random.Generator) -> Dataset:
    r"""Sample a square sheet with two peaks and two valleys.

    With :math:`z` uniform in [-1, 1]²,

    .. math:: x = (z_1,\; z_2,\; 10 \sin(\pi z_1) \tanh(3 z_2)).

    Labels are whether :math:`\sum_j (x_j - \min x_j) / 10`, each term rounded, is even or odd.
    The sheet is not isometric to the plane: its peaks have height 10 over a square of side 2. (The
    formula printed in the paper describes a curve.)

    Returns
    -------
    Dataset
        ``X`` with three features, ``Z`` with two, labels ``y``, and ``clean`` if there is noise.

    References
    ----------
    Costa, Maximum Variance Unfolding on Disjoint Manifolds, datasets; van der Maaten, Postma &
    van den Herik, Dimensionality Reduction: A Comparative Review.

    Examples
    --------
    >>> data = twin_peaks(n_samples=100, noise=0.0, rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape
    ((100, 3), (100, 2))
    """
    check_positive(n_samples=n_samples)
    Z = 1 - 2 * rng.random((n_samples, 2))
    height = 10 * np.sin(np.pi * Z[:, 0]) * np.tanh(3 * Z[:, 1])
    clean = np.column_stack([Z, height])
    fields = checkerboard(*(clean - clean.min(axis=0)).T / 10)
    return observe(clean, noise, rng, Z=Z, y=fields)


def high_dimensional(
    *, n_samples: int, noise: float, grid: bool = False, rng: np.random.Generator
) -> Dataset:
    r"""Sample a five-dimensional manifold in ten dimensions.

    With :math:`z` uniform in [0, 1]⁵,

    .. math:: x = (\cos z_1, \tanh 3 z_2, z_1 + z_3, z_4 \sin z_2, \sin(z_1 + z_5),
        z_5 \cos z_2, z_5 + z_4, z_2, z_3 z_4, z_1).

    The equation is from the comparative review. Labels are whether :math:`\sum_i (1 + z_i)`, each
    :math:`z_i` rounded, is even or odd.

    Parameters
    ----------
    n_samples : int
        Number of points; with `grid` the fifth power of a whole number of at least 2.
    grid : bool, default=False
        Whether z is on a regular grid with the same number of values per coordinate, 0 and 1
        included, as in the runs that the author of the paper released (four values, 1024 points).

    Returns
    -------
    Dataset
        ``X`` with ten features, ``Z`` with five, labels ``y``, and ``clean`` if there is noise.

    References
    ----------
    Costa, Maximum Variance Unfolding on Disjoint Manifolds, datasets; van der Maaten, Postma &
    van den Herik, Dimensionality Reduction: A Comparative Review.

    Examples
    --------
    >>> data = high_dimensional(n_samples=100, noise=0.0, rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape
    ((100, 10), (100, 5))
    """
    check_positive(n_samples=n_samples)
    Z = _grid(n_samples) if grid else rng.random((n_samples, 5))
    a, b, c, d, e = Z.T
    columns = [np.cos(a), np.tanh(3 * b), a + c, d * np.sin(b), np.sin(a + e)]
    columns += [e * np.cos(b), e + d, b, c * d, a]
    clean = np.column_stack(columns)
    return observe(clean, noise, rng, Z=Z, y=checkerboard(*(1 + np.round(Z)).T))


def _grid(n_samples: int) -> NDArray:
    """Return the points of a regular grid in [0, 1]⁵, the last coordinate changing fastest."""
    n_values = round(n_samples**0.2)
    if n_values < 2 or n_values**5 != n_samples:
        raise ValueError(
            "n_samples must be the fifth power of a whole number of at least 2 with grid=True, "
            f"such as 1024, got {n_samples}"
        )
    values = np.linspace(0, 1, n_values)
    return np.stack(np.meshgrid(*[values] * 5, indexing="ij"), axis=-1).reshape(-1, 5)


def broken_s_curve(
    *, n_samples: int, noise: float, labels: str = "components", rng: np.random.Generator
) -> Dataset:
    r"""Sample an S-shaped surface with three missing strips, which has four connected components.

    With :math:`t/\pi` in [-1.5, -1.1], [-0.9, -0.1], [0.1, 0.9] or [1.1, 1.5], a quarter of the
    points in each, and :math:`q` uniform in [0, 2],

    .. math:: x = (\sin t,\; q,\; \operatorname{sign}(t) (\cos t - 1)), \qquad z = (t, q).

    Parameters
    ----------
    n_samples : int
        Number of points; if they do not divide by four, earlier pieces have one more.
    labels : {"components", "checkerboard"}, default="components"
        Whether labels are the four pieces, or whether :math:`t/2 + q/2`, each term rounded, is even
        or odd.

    Returns
    -------
    Dataset
        ``X`` with three features; ``Z`` with two, whose distances within a component are geodesic
        distances on the surface; labels ``y``; ``clean`` if there is noise.

    References
    ----------
    As in the runs that the author of Costa, Maximum Variance Unfolding on Disjoint Manifolds,
    released.

    Examples
    --------
    >>> data = broken_s_curve(n_samples=6, noise=0.0, rng=np.random.default_rng(0))
    >>> data.X.shape, data.y.tolist()
    ((6, 3), [0, 0, 1, 1, 2, 3])
    """
    check_positive(n_samples=n_samples)
    fields = check_choice("labels", labels, S_LABELS)
    piece = np.sort(np.arange(n_samples) % len(S_PIECES))
    low, high = np.pi * S_PIECES[piece].T
    t = low + (high - low) * rng.random(n_samples)
    q = 2 * rng.random(n_samples)
    clean = np.column_stack([np.sin(t), q, np.sign(t) * (np.cos(t) - 1)])
    y = checkerboard(t / 2, q / 2) if fields else piece
    return observe(clean, noise, rng, Z=np.column_stack([t, q]), y=y)


def four_moons(
    *, n_samples: int, noise: float, labels: str = "components", rng: np.random.Generator
) -> Dataset:
    r"""Sample two pairs of crescents, one pair a unit behind the other.

    With :math:`t` uniform in [0, π], an outer and an inner moon of a pair are

    .. math:: (\sin t, \cos t), \qquad \tfrac14 (1 - \sin t, -\cos t).

    They are the last two coordinates; the first is 0 for one pair and 1 for the other.

    Parameters
    ----------
    n_samples : int
        Number of points; if they do not divide by four, earlier moons have one more.
    labels : {"components", "kinds"}, default="components"
        Whether labels are the four moons, or 0 on outer and 1 on inner moons.

    Returns
    -------
    Dataset
        ``X`` with three features; ``Z`` with one, the arc length :math:`t` on outer and
        :math:`t/4` on inner moons; labels ``y``; ``clean`` if there is noise.

    References
    ----------
    As in the runs that the author of Costa, Maximum Variance Unfolding on Disjoint Manifolds,
    released.

    Examples
    --------
    >>> data = four_moons(n_samples=6, noise=0.0, rng=np.random.default_rng(0))
    >>> data.X.shape, data.X[:, 0].tolist(), data.y.tolist()
    ((6, 3), [0.0, 0.0, 0.0, 0.0, 1.0, 1.0], [0, 0, 1, 1, 2, 3])
    """
    check_positive(n_samples=n_samples)
    kinds = check_choice("labels", labels, MOON_LABELS)
    moon = np.sort(np.arange(n_samples) % 4)
    pair, inner = np.divmod(moon, 2)
    t = np.pi * rng.random(n_samples)
    # Outer moons, and inner ones, which are a quarter as large and face the other way
    outer = np.column_stack([np.sin(t), np.cos(t)])
    flat = np.where(inner[:, None] == 1, [0.25, 0] - outer / 4, outer)
    clean = np.column_stack([pair, flat])
    arc = np.where(inner == 1, t / 4, t)
    return observe(clean, noise, rng, Z=arc[:, None], y=inner if kinds else moon)
