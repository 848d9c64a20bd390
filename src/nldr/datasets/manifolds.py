"""Curves and surfaces in space, and one of five dimensions in ten; their latent is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_positive, observe

GAP = (2 / 5, 4 / 5)  # the share of the spiral that the broken Swiss roll lacks


def swiss_roll(*, n_samples: int, height: float, noise: float, rng: np.random.Generator) -> Dataset:
    r"""Sample a rolled-up rectangle, the Swiss roll.

    With :math:`p` and :math:`q` uniform in [0, 1] and :math:`t = \frac{3\pi}{2}(1 + 2p)`,

    .. math:: x = (t \cos t,\; h q,\; t \sin t), \qquad
        z = \left(\tfrac12 (t \sqrt{1 + t^2} + \operatorname{arsinh} t),\; h q\right).

    The first latent coordinate is the length of the spiral from its center, so distances in ``Z``
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
    Dataset
        ``X`` of three features, ``Z`` of two, and ``clean`` if there is noise.

    Raises
    ------
    ValueError
        If the number of points or the height is not positive, or the noise is negative.

    References
    ----------
    Costa, Maximum Variance Unfolding on Disjoint Manifolds, datasets.

    Examples
    --------
    >>> data = swiss_roll(n_samples=100, height=30.0, noise=0.0, rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape
    ((100, 3), (100, 2))
    """
    check_positive(n_samples=n_samples, height=height)
    p = rng.random(n_samples)
    q = rng.random(n_samples)
    clean, Z = _roll(p, q, height)
    return observe(clean, noise, rng, Z=Z)


def _roll(p: NDArray, q: NDArray, height: float) -> tuple[NDArray, NDArray]:
    """Return points of the Swiss roll and their coordinates on the unrolled rectangle."""
    t = 1.5 * np.pi * (1 + 2 * p)
    X = np.column_stack([t * np.cos(t), height * q, t * np.sin(t)])
    arc = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    return X, np.column_stack([arc, height * q])


def broken_swiss_roll(
    *, n_samples: int, height: float, noise: float, rng: np.random.Generator
) -> Dataset:
    r"""Sample a Swiss roll that lacks a strip, so that it falls into two pieces.

    This is :func:`swiss_roll` with :math:`p` uniform outside :math:`(\frac25, \frac45)`. The paper
    rejects that interval of t, where it has no points; meant is p, its position on the spiral.

    The pieces are 6.24 units from each other, so with too few points, or too many neighbors, a
    neighborhood graph joins them: of 2000 noiseless points (the catalog's number), the graph of
    6 to 15 nearest neighbors had the two components in each of 20 draws; of 1000 points, that of
    6 had, and that of 12 in 14 draws.

    Parameters
    ----------
    n_samples : int
        Number of points; about two thirds are on the inner piece.
    height : float
        Extent h of the roll along its axis, in the units of ``X``; the paper has 30.
    noise : float
        Standard deviation of the Gaussian noise on all three coordinates, in the units of ``X``.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Dataset
        ``X`` of three features; ``Z`` of two, where distances within a piece are distances along
        the surface; ``y``, 0 on the inner piece and 1 on the outer; ``clean`` if there is noise.

    Raises
    ------
    ValueError
        If the number of points or the height is not positive, or the noise is negative.

    References
    ----------
    Costa, Maximum Variance Unfolding on Disjoint Manifolds, datasets; van der Maaten, Postma &
    van den Herik, Dimensionality Reduction: A Comparative Review.

    Examples
    --------
    >>> data = broken_swiss_roll(n_samples=100, height=30.0, noise=0.0,
    ...                          rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape, np.unique(data.y).tolist()
    ((100, 3), (100, 2), [0, 1])
    """
    check_positive(n_samples=n_samples, height=height)
    low, high = GAP
    p = (1 - (high - low)) * rng.random(n_samples)
    q = rng.random(n_samples)
    outer = p > low
    p[outer] += high - low
    clean, Z = _roll(p, q, height)
    return observe(clean, noise, rng, Z=Z, y=outer.astype(np.int64))


def two_swiss_rolls(
    *, n_samples: int, height: float, distance: float, noise: float, rng: np.random.Generator
) -> Dataset:
    r"""Sample two Swiss rolls side by side, with parallel axes.

    Each is as :func:`swiss_roll`, the second moved along the first axis. They are up to 27 wide, so
    at a distance of 60 no neighborhood graph of use joins them.

    Parameters
    ----------
    n_samples : int
        Number of points, of which the first roll has half, rounded up.
    height : float
        Extent h of the rolls along their axes, in the units of ``X``.
    distance : float
        Distance of the axes, in the units of ``X``.
    noise : float
        Standard deviation of the Gaussian noise on all three coordinates, in the units of ``X``.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Dataset
        ``X`` of three features; ``Z`` of two, coordinates on either roll, which do not tell the
        rolls apart; ``y``, 0 on the first and 1 on the second; ``clean`` if there is noise.

    Raises
    ------
    ValueError
        If the number of points, the height or the distance is not positive, or the noise is
        negative.

    Examples
    --------
    >>> data = two_swiss_rolls(n_samples=5, height=30.0, distance=60.0, noise=0.0,
    ...                        rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape, data.y.tolist()
    ((5, 3), (5, 2), [0, 0, 0, 1, 1])
    """
    check_positive(n_samples=n_samples, height=height, distance=distance)
    clean, Z = _roll(rng.random(n_samples), rng.random(n_samples), height)
    y = (np.arange(n_samples) >= -(-n_samples // 2)).astype(np.int64)
    clean[:, 0] += distance * y
    return observe(clean, noise, rng, Z=Z, y=y)


def roll_and_thread(
    *, n_samples: int, height: float, distance: float, noise: float, rng: np.random.Generator
) -> Dataset:
    r"""Sample a surface and a curve: a Swiss roll and, beside it, a straight thread.

    The roll is as :func:`swiss_roll`. The thread is parallel to its axis and 60 long: with one
    :math:`u` in each of as many equal parts of [0, 1] as it has points (a curve sampled at random
    falls apart too easily),

    .. math:: x = (D,\; 60 u,\; 0), \qquad z = (60 u,\; 0).

    Parameters
    ----------
    n_samples : int
        Number of points, of which the thread has a quarter, rounded down.
    height : float
        Extent of the roll along its axis, in the units of ``X``.
    distance : float
        Distance D of the thread from the axis, in the units of ``X``.
    noise : float
        Standard deviation of the Gaussian noise on all three coordinates, in the units of ``X``.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Dataset
        ``X`` of three features; ``Z`` of two: coordinates on the roll, or the length along the
        thread and 0; ``y``, 0 on the roll and 1 on the thread; ``clean`` if there is noise.

    Raises
    ------
    ValueError
        If the number of points, the height or the distance is not positive, or the noise is
        negative.

    Examples
    --------
    >>> data = roll_and_thread(n_samples=8, height=30.0, distance=60.0, noise=0.0,
    ...                        rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z[-2:, 1].tolist(), data.y.tolist()
    ((8, 3), [0.0, 0.0], [0, 0, 0, 0, 0, 0, 1, 1])
    """
    check_positive(n_samples=n_samples, height=height, distance=distance)
    n_thread = n_samples // 4
    n_roll = n_samples - n_thread
    sheet, on_sheet = _roll(rng.random(n_roll), rng.random(n_roll), height)
    u = (np.arange(n_thread) + rng.random(n_thread)) / max(n_thread, 1)
    thread = np.column_stack([np.full(n_thread, distance), 60 * u, np.zeros(n_thread)])
    on_thread = np.column_stack([60 * u, np.zeros(n_thread)])
    y = np.repeat([0, 1], [n_roll, n_thread])
    clean, Z = np.concatenate([sheet, thread]), np.concatenate([on_sheet, on_thread])
    return observe(clean, noise, rng, Z=Z, y=y)


def helix(*, n_samples: int, noise: float, rng: np.random.Generator) -> Dataset:
    r"""Sample a closed coil of eight turns around a ring.

    With :math:`p` uniform in [0, 2π] (the paper's [0, 1] gives a short arc of it),

    .. math:: x = ((2 + \cos 8p) \cos p,\; (2 + \cos 8p) \sin p,\; \sin 8p), \qquad
        z = \int_0^p \sqrt{64 + (2 + \cos 8u)^2}\, du.

    The latent is the length of the coil from the point of p = 0. The coil is closed, so the two
    ends of the latent's range, 0 and 51.99, are the same point.

    Parameters
    ----------
    n_samples : int
        Number of points.
    noise : float
        Standard deviation of the Gaussian noise on all three coordinates, in the units of ``X``.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Dataset
        ``X`` of three features, ``Z`` of one, and ``clean`` if there is noise.

    Raises
    ------
    ValueError
        If the number of points is not positive, or the noise is negative.

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
    p = 2 * np.pi * rng.random(n_samples)
    distance = 2 + np.cos(8 * p)  # from the axis of the ring
    clean = np.column_stack([distance * np.cos(p), distance * np.sin(p), np.sin(8 * p)])
    # The speed along the coil is even and periodic in 8p: the integral of its Fourier series,
    # whose terms fall by a factor of 16, is exact to rounding.
    speed = np.sqrt(64 + (2 + np.cos(2 * np.pi * np.arange(32) / 32)) ** 2)
    mean, *terms = np.fft.rfft(speed).real / 32
    k = 8 * np.arange(1, len(terms) + 1)
    arc = mean * p + 2 * np.sin(np.multiply.outer(p, k)) @ (terms / k)
    return observe(clean, noise, rng, Z=arc[:, None])


def twin_peaks(*, n_samples: int, noise: float, rng: np.random.Generator) -> Dataset:
    r"""Sample a square sheet with two peaks and two hollows.

    With :math:`z` uniform in [-1, 1]²,

    .. math:: x = (z_1,\; z_2,\; 10 \sin(\pi z_1) \tanh(3 z_2)).

    The sheet is not isometric to the plane: its peaks are 10 high over a square of side 2. (The
    paper prints a curve, without the second coordinate, the product and the factor 10.)

    Parameters
    ----------
    n_samples : int
        Number of points.
    noise : float
        Standard deviation of the Gaussian noise on all three coordinates, in the units of ``X``.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Dataset
        ``X`` of three features, ``Z`` of two, and ``clean`` if there is noise.

    Raises
    ------
    ValueError
        If the number of points is not positive, or the noise is negative.

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
    return observe(np.column_stack([Z, height]), noise, rng, Z=Z)


def high_dimensional(*, n_samples: int, noise: float, rng: np.random.Generator) -> Dataset:
    r"""Sample a five-dimensional manifold in ten dimensions.

    With :math:`z` uniform in [0, 1]⁵,

    .. math:: x = (\cos z_1, \tanh 3 z_2, z_1 + z_3, z_4 \sin z_2, \sin(z_1 + z_5),
        z_5 \cos z_2, z_5 + z_4, z_2, z_3 z_4, z_1).

    The paper describes it in words; the equation is the comparative review's.

    Parameters
    ----------
    n_samples : int
        Number of points.
    noise : float
        Standard deviation of the Gaussian noise on all ten coordinates, in the units of ``X``.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Dataset
        ``X`` of ten features, ``Z`` of five, and ``clean`` if there is noise.

    Raises
    ------
    ValueError
        If the number of points is not positive, or the noise is negative.

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
    Z = rng.random((n_samples, 5))
    a, b, c, d, e = Z.T
    clean = np.column_stack(
        [np.cos(a), np.tanh(3 * b), a + c, d * np.sin(b), np.sin(a + e),
         e * np.cos(b), e + d, b, c * d, a]
    )  # fmt: skip
    return observe(clean, noise, rng, Z=Z)
