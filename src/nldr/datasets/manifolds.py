"""Swiss rolls, whole, broken, in pairs and with a thread, with known latent coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_choice, check_positive, checkerboard, observe

# Interval of p that is missing from the broken Swiss roll: in the text, and in the released runs
GAPS = {"text": (2 / 5, 4 / 5), "released": (2 / 5, 3 / 5)}
LABELS = {"components": False, "checkerboard": True}
FIELD = (2.0, 12.0)  # sides of a field of the checkerboard: angle, height
ARRANGEMENTS = {"side_by_side": (1.0, 0.0, 0.0), "end_to_end": (0.0, 1.0, 0.0), "turned": None}


def swiss_roll(*, n_samples: int, height: float, noise: float, rng: np.random.Generator) -> Dataset:
    r"""Sample a rolled-up rectangle, the Swiss roll.

    With :math:`p` and :math:`q` uniform in [0, 1] and :math:`t = \frac{3\pi}{2}(1 + 2p)`,

    .. math:: x = (t \cos t,\; h q,\; t \sin t), \qquad
        z = \left(\tfrac12 (t \sqrt{1 + t^2} + \operatorname{arsinh} t),\; h q\right).

    The first latent coordinate is the arc length of the spiral from its center, so distances in
    ``Z`` are geodesic distances on the surface.

    Parameters
    ----------
    height : float
        Extent h of the roll along its axis, in the units of ``X``; 30 in the paper.

    Returns
    -------
    Dataset
        ``X`` with three features, ``Z`` with two, a checkerboard on the surface as ``y``
        (:math:`t/2 + h q/12`, each term rounded, is even or odd), and ``clean`` if there is noise.

    References
    ----------
    Costa, Maximum Variance Unfolding on Disjoint Manifolds, datasets; labels as in the runs that
    its author released.

    Examples
    --------
    >>> data = swiss_roll(n_samples=100, height=30.0, noise=0.0, rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape
    ((100, 3), (100, 2))
    """
    check_positive(n_samples=n_samples, height=height)
    p = rng.random(n_samples)
    q = rng.random(n_samples)
    clean, Z, y = _roll(p, q, height)
    return observe(clean, noise, rng, Z=Z, y=y)


def _roll(p: NDArray, q: NDArray, height: float) -> tuple[NDArray, NDArray, NDArray]:
    """Return points of the Swiss roll, their coordinates on the unrolled rectangle, and fields."""
    t = 1.5 * np.pi * (1 + 2 * p)
    X = np.column_stack([t * np.cos(t), height * q, t * np.sin(t)])
    arc = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    fields = checkerboard(t / FIELD[0], height * q / FIELD[1])
    return X, np.column_stack([arc, height * q]), fields


def broken_swiss_roll(
    *,
    n_samples: int,
    height: float,
    noise: float,
    gap: str = "text",
    labels: str = "components",
    rng: np.random.Generator,
) -> Dataset:
    r"""Sample a Swiss roll with a missing strip, which has two connected components.

    This is :func:`swiss_roll` with :math:`p` uniform outside :math:`(\frac25, \frac45)`, which the
    paper says of t. In the runs that its author released, the interval is :math:`(\frac25,
    \frac35)`. With the interval of the text the components are 6.24 units apart, so a neighborhood
    graph joins them if there are too few points or too many neighbors.

    Parameters
    ----------
    n_samples : int
        Number of points; with ``gap="text"`` about two thirds are on the inner component, with
        ``gap="released"`` the first half of them, rounded up.
    height : float
        Extent h of the roll along its axis, in the units of ``X``; 30 in the paper.
    gap : {"text", "released"}, default="text"
        Interval of p without points.
    labels : {"components", "checkerboard"}, default="components"
        Whether labels are the components, or the fields of a checkerboard as in
        :func:`swiss_roll`.

    Returns
    -------
    Dataset
        ``X`` with three features; ``Z`` with two, whose distances within a component are geodesic
        distances on the surface; ``y``, 0 on the inner and 1 on the outer component, or 0 and 1 on
        the fields of a checkerboard; ``clean`` if there is noise.

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
    low, high = check_choice("gap", gap, GAPS)
    fields = check_choice("labels", labels, LABELS)
    p = rng.random(n_samples)
    q = rng.random(n_samples)
    if gap == "released":
        # Half of the points on each side of the gap
        outer = np.arange(n_samples) >= -(-n_samples // 2)
        p = np.where(outer, high + (1 - high) * p, low * p)
    else:
        # Move the values beyond the start of the gap to its other side
        p = (1 - (high - low)) * p
        outer = p > low
        p[outer] += high - low
    clean, Z, board = _roll(p, q, height)
    return observe(clean, noise, rng, Z=Z, y=board if fields else outer.astype(np.int64))


def two_swiss_rolls(
    *,
    n_samples: int,
    height: float,
    distance: float,
    noise: float,
    arrangement: str = "side_by_side",
    labels: str = "components",
    rng: np.random.Generator,
) -> Dataset:
    r"""Sample two Swiss rolls.

    Both are as in :func:`swiss_roll`, and up to 27 units wide.

    Parameters
    ----------
    n_samples : int
        Number of points; half of them, rounded up, are on the first roll.
    height : float
        Extent h of the rolls along their axes, in the units of ``X``.
    distance : float
        Length of the shift of the second roll, in the units of ``X``; not used by ``"turned"``.
    arrangement : {"side_by_side", "end_to_end", "turned"}, default="side_by_side"
        ``"side_by_side"`` shifts the second roll along the first coordinate, ``"end_to_end"`` along
        the common axis. ``"turned"`` turns the first roll by −45° about the third coordinate axis
        and shifts it by (20, 20, 30), and shifts the second one by −20 along its axis. The last two
        are in the author's released runs.
    labels : {"components", "checkerboard"}, default="components"
        Whether labels are the rolls, or the fields of a checkerboard as in :func:`swiss_roll`.

    Returns
    -------
    Dataset
        ``X`` with three features; ``Z`` with two, the coordinates on the unrolled rectangle, which
        do not distinguish the rolls; ``y``, 0 on the first and 1 on the second roll, or 0 and 1 on
        the fields of a checkerboard; ``clean`` if there is noise.

    Examples
    --------
    >>> data = two_swiss_rolls(n_samples=5, height=30.0, distance=60.0, noise=0.0,
    ...                        rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape, data.y.tolist()
    ((5, 3), (5, 2), [0, 0, 0, 1, 1])
    """
    check_positive(n_samples=n_samples, height=height, distance=distance)
    direction = check_choice("arrangement", arrangement, ARRANGEMENTS)
    fields = check_choice("labels", labels, LABELS)
    clean, Z, board = _roll(rng.random(n_samples), rng.random(n_samples), height)
    second = np.arange(n_samples) >= -(-n_samples // 2)
    if direction is not None:
        clean[second] += distance * np.array(direction)
    else:
        turn = np.sqrt(0.5) * np.array([[1, 1, 0], [-1, 1, 0], [0, 0, np.sqrt(2)]])
        clean[~second] = clean[~second] @ turn.T + [20, 20, 30]
        clean[second] -= [0, 20, 0]
    return observe(clean, noise, rng, Z=Z, y=board if fields else second.astype(np.int64))


def roll_and_thread(
    *, n_samples: int, height: float, distance: float, noise: float, rng: np.random.Generator
) -> Dataset:
    r"""Sample a surface and a curve: a Swiss roll and a straight thread beside it.

    The roll is as in :func:`swiss_roll`. The thread is parallel to its axis and 60 units long,

    .. math:: x = (D,\; 60 u,\; 0), \qquad z = (60 u,\; 0),

    with :math:`u` stratified: [0, 1] is divided into one equal interval per point of the thread,
    and each interval contains one uniform value.

    Parameters
    ----------
    n_samples : int
        Number of points; a quarter of them, rounded down, are on the thread.
    height : float
        Extent of the roll along its axis, in the units of ``X``.
    distance : float
        Distance D of the thread from the axis, in the units of ``X``.

    Returns
    -------
    Dataset
        ``X`` with three features; ``Z`` with two, the coordinates on the unrolled rectangle, or
        the position along the thread and 0; ``y``, 0 on the roll and 1 on the thread; ``clean`` if
        there is noise.

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
    sheet, on_sheet, _ = _roll(rng.random(n_roll), rng.random(n_roll), height)
    # Thread: one point in each of n_thread equal intervals
    u = (np.arange(n_thread) + rng.random(n_thread)) / max(n_thread, 1)
    thread = np.column_stack([np.full(n_thread, distance), 60 * u, np.zeros(n_thread)])
    on_thread = np.column_stack([60 * u, np.zeros(n_thread)])
    y = np.repeat([0, 1], [n_roll, n_thread])
    clean, Z = np.concatenate([sheet, thread]), np.concatenate([on_sheet, on_thread])
    return observe(clean, noise, rng, Z=Z, y=y)
