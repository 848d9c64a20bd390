"""Curves and surfaces in 3D, and a 5D manifold in 10D, with known latent coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_positive, observe

GAP = (2 / 5, 4 / 5)  # interval of p that is missing from the broken Swiss roll


def swiss_roll(*, n_samples: int, height: float, noise: float, rng: np.random.Generator) -> Dataset:
    r"""Sample a rolled-up rectangle, the Swiss roll.

    With :math:`p` and :math:`q` uniform in [0, 1] and :math:`t = \frac{3\pi}{2}(1 + 2p)`,

    .. math:: x = (t \cos t,\; h q,\; t \sin t), \qquad
        z = \left(\tfrac12 (t \sqrt{1 + t^2} + \operatorname{arsinh} t),\; h q\right).

    The first latent coordinate is the arc length of the spiral from its center, so distances in
    ``Z`` are geodesic distances on the surface. (In the paper, the axis of the roll is the last
    coordinate.)

    Parameters
    ----------
    n_samples : int
        Number of points.
    height : float
        Extent h of the roll along its axis, in the units of ``X``; 30 in the paper.
    noise : float
        Standard deviation of the Gaussian noise on all three coordinates, in the units of ``X``.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Dataset
        ``X`` with three features, ``Z`` with two, and ``clean`` if there is noise.

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
    # Angle of the Archimedean spiral r = t
    t = 1.5 * np.pi * (1 + 2 * p)
    X = np.column_stack([t * np.cos(t), height * q, t * np.sin(t)])
    # Arc length of the spiral
    arc = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    return X, np.column_stack([arc, height * q])


def broken_swiss_roll(
    *, n_samples: int, height: float, noise: float, rng: np.random.Generator
) -> Dataset:
    r"""Sample a Swiss roll with a missing strip, which has two connected components.

    This is :func:`swiss_roll` with :math:`p` uniform outside :math:`(\frac25, \frac45)`. The paper
    excludes that interval of t, which contains no points; presumably p is meant.

    The components are 6.24 units apart, so a neighborhood graph joins them if there are too few
    points or too many neighbors. In 20 draws of 2000 points without noise (the number in the
    catalog), the graphs of 6 to 15 nearest neighbors always had two components; with 1000 points,
    the graph of 6 neighbors always did, and the graph of 12 neighbors did in 14 draws.

    Parameters
    ----------
    n_samples : int
        Number of points; about two thirds are on the inner component.
    height : float
        Extent h of the roll along its axis, in the units of ``X``; 30 in the paper.
    noise : float
        Standard deviation of the Gaussian noise on all three coordinates, in the units of ``X``.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Dataset
        ``X`` with three features; ``Z`` with two, whose distances within a component are geodesic
        distances on the surface; ``y``, 0 on the inner and 1 on the outer component; ``clean`` if
        there is noise.

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
    # Move the values beyond the start of the gap to its other side
    outer = p > low
    p[outer] += high - low
    clean, Z = _roll(p, q, height)
    return observe(clean, noise, rng, Z=Z, y=outer.astype(np.int64))


def two_swiss_rolls(
    *, n_samples: int, height: float, distance: float, noise: float, rng: np.random.Generator
) -> Dataset:
    r"""Sample two Swiss rolls side by side, with parallel axes.

    Both are as in :func:`swiss_roll`; the second one is shifted along the first axis. They are up
    to 27 units wide, so at a distance of 60 no reasonable neighborhood graph joins them.

    Parameters
    ----------
    n_samples : int
        Number of points; half of them, rounded up, are on the first roll.
    height : float
        Extent h of the rolls along their axes, in the units of ``X``.
    distance : float
        Distance between the axes, in the units of ``X``.
    noise : float
        Standard deviation of the Gaussian noise on all three coordinates, in the units of ``X``.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Dataset
        ``X`` with three features; ``Z`` with two, the coordinates on the unrolled rectangle, which
        do not distinguish the rolls; ``y``, 0 on the first and 1 on the second roll; ``clean`` if
        there is noise.

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
    # Shift the second roll
    clean[:, 0] += distance * y
    return observe(clean, noise, rng, Z=Z, y=y)


def roll_and_thread(
    *, n_samples: int, height: float, distance: float, noise: float, rng: np.random.Generator
) -> Dataset:
    r"""Sample a surface and a curve: a Swiss roll and a straight thread beside it.

    The roll is as in :func:`swiss_roll`. The thread is parallel to its axis and 60 units long,

    .. math:: x = (D,\; 60 u,\; 0), \qquad z = (60 u,\; 0),

    with :math:`u` stratified: [0, 1] is divided into one equal interval per point of the thread,
    and each interval contains one uniform value. (The neighborhood graph of a curve with
    independent uniform points is easily disconnected.)

    Parameters
    ----------
    n_samples : int
        Number of points; a quarter of them, rounded down, are on the thread.
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
        ``X`` with three features; ``Z`` with two, the coordinates on the unrolled rectangle, or
        the position along the thread and 0; ``y``, 0 on the roll and 1 on the thread; ``clean`` if
        there is noise.

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
    # Thread: one point in each of n_thread equal intervals
    u = (np.arange(n_thread) + rng.random(n_thread)) / max(n_thread, 1)
    thread = np.column_stack([np.full(n_thread, distance), 60 * u, np.zeros(n_thread)])
    on_thread = np.column_stack([60 * u, np.zeros(n_thread)])
    y = np.repeat([0, 1], [n_roll, n_thread])
    clean, Z = np.concatenate([sheet, thread]), np.concatenate([on_sheet, on_thread])
    return observe(clean, noise, rng, Z=Z, y=y)


def helix(*, n_samples: int, noise: float, rng: np.random.Generator) -> Dataset:
    r"""Sample a closed coil with eight turns around a ring.

    With :math:`p` uniform in [0, 2π] (the interval [0, 1] in the paper gives only a short arc),

    .. math:: x = ((2 + \cos 8p) \cos p,\; (2 + \cos 8p) \sin p,\; \sin 8p), \qquad
        z = \int_0^p \sqrt{64 + (2 + \cos 8u)^2}\, du.

    The latent is the arc length of the coil from p = 0. The coil is closed, so the two ends of
    the latent range, 0 and 51.99, are the same point.

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
        ``X`` with three features, ``Z`` with one, and ``clean`` if there is noise.

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
    # Arc length: the speed is an even periodic function of 8p, so integrate its Fourier series;
    # successive terms decrease by a factor of 16, so 32 samples are exact up to rounding
    speed = np.sqrt(64 + (2 + np.cos(2 * np.pi * np.arange(32) / 32)) ** 2)
    mean, *terms = np.fft.rfft(speed).real / 32
    k = 8 * np.arange(1, len(terms) + 1)
    arc = mean * p + 2 * np.sin(np.multiply.outer(p, k)) @ (terms / k)
    return observe(clean, noise, rng, Z=arc[:, None])


def twin_peaks(*, n_samples: int, noise: float, rng: np.random.Generator) -> Dataset:
    r"""Sample a square sheet with two peaks and two valleys.

    With :math:`z` uniform in [-1, 1]²,

    .. math:: x = (z_1,\; z_2,\; 10 \sin(\pi z_1) \tanh(3 z_2)).

    The sheet is not isometric to the plane: its peaks have height 10 over a square of side 2.
    (The formula printed in the paper describes a curve: it lacks the second coordinate, the
    product and the factor 10.)

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
        ``X`` with three features, ``Z`` with two, and ``clean`` if there is noise.

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

    The paper describes this manifold in words; the equation is from the comparative review.

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
        ``X`` with ten features, ``Z`` with five, and ``clean`` if there is noise.

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
