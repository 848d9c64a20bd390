"""Certificate of maximum variance unfolding, recomputed from lengths and multipliers alone.

Let w be multipliers of the edges e = (i, j), and L(w) = Σ w_e (e_i − e_j)(e_i − e_j)ᵀ the weighted
graph Laplacian. If z is an affine dependency of points that are all joined to each other, that is

    Σ z_i = 0  and  ‖Σ z_i x_i‖² = −½ Σ z_i z_j d_ij² = 0,                                   (1)

then Kz = 0 for every kernel matrix K ⪰ 0 with these edge lengths. Let λ be the least eigenvalue of
L(w) on the vectors that are orthogonal to the constants and to all given z. If λ > 0, then

    λ tr K ≤ ⟨L(w), K⟩ = Σ w_e d_e²                                                          (2)

for every K with ΣK = 0. Without dependencies and with w ≥ 0, this also holds if edges may be
shorter. Nothing here uses the solver.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ROUNDING = 1e-10  # squared length of Σ z_i x_i, in mean squared edge lengths, that counts as zero
RANK = 1e-9  # relative singular value that counts as zero


@dataclass(frozen=True)
class Certificate:
    """Bound, gap and violation that embedding and multipliers prove.

    Attributes
    ----------
    trace : float
        Sum of squared distances of the embedded points from their mean.
    bound : float
        Upper bound on the trace of every embedding with these edge lengths, Eq. 2; infinite if the
        multipliers prove none.
    gap : float
        ``bound / trace - 1``.
    violation : float
        Largest violation of an edge's squared length, in mean squared lengths.
    """

    trace: float
    bound: float
    gap: float
    violation: float


def certify(
    squared: NDArray,
    edges: NDArray,
    multipliers: NDArray,
    coordinates: NDArray,
    *,
    dependencies: NDArray | None = None,
    shrink: bool = False,
) -> Certificate:
    """Return trace, proven bound and violation of a solution.

    Parameters
    ----------
    squared : ndarray of shape (n_edges,)
        Squared lengths of the edges in the data.
    edges : ndarray of shape (n_edges, 2)
        Pairs of rows.
    multipliers : ndarray of shape (n_edges,)
        Multipliers of the edges, in any unit.
    coordinates : ndarray of shape (n_samples, n_axes)
        Embedded points, in all dimensions.
    dependencies : ndarray of shape (n_samples, n_dependencies), default=None
        Affine dependencies z as columns, which are checked.
    shrink : bool, default=False
        Whether edges may be shorter than in the data. Only dependencies between equal points are
        allowed then.

    Returns
    -------
    Certificate
        The four numbers.

    Raises
    ------
    ValueError
        If a column of `dependencies` is no affine dependency of points all joined to each other.

    Examples
    --------
    Three points in a row: no arrangement has more variance than the straight line.

    >>> edges, squared = np.array([[0, 1], [1, 2]]), np.ones(2)
    >>> line = np.array([[-1.0], [0.0], [1.0]])
    >>> proof = certify(squared, edges, np.ones(2), line)
    >>> proof.trace, round(proof.bound, 9), proof.violation
    (2.0, 2.0, 0.0)
    """
    n_samples, (i, j) = len(coordinates), edges.T
    scale = squared.mean() if squared.any() else 1.0

    # Squared distances of joined points; NaN for others
    distances = np.full((n_samples, n_samples), np.nan)
    distances[i, j] = distances[j, i] = squared / scale
    np.fill_diagonal(distances, 0.0)

    # Dependencies, Eq. 1
    Z = np.zeros((n_samples, 0)) if dependencies is None else dependencies
    for z in Z.T:
        members = np.flatnonzero(z)
        within = distances[np.ix_(members, members)]
        length = -z[members] @ within @ z[members] / 2 + abs(z.sum())
        if not length < ROUNDING or (shrink and within.any()):
            raise ValueError("a column of dependencies is no affine dependency of joined points")

    # Vectors that are orthogonal to the constants and to all dependencies
    left, values, _ = np.linalg.svd(np.column_stack([np.ones(n_samples), Z]))
    free = left[:, np.count_nonzero(values > RANK * values[0]) :]

    # Weighted graph Laplacian on them, by differences along edges
    along = free[i] - free[j]
    least = np.linalg.eigvalsh(along.T @ (multipliers[:, np.newaxis] * along))[0]

    # Bound, Eq. 2
    sound = least > 0 and not (shrink and multipliers.min() < 0)
    bound = float(multipliers @ squared / least) if sound else np.inf

    trace = float(np.square(coordinates - coordinates.mean(axis=0)).sum())
    gap = bound / trace - 1 if trace > 0 else 0.0
    return Certificate(trace, bound, gap, violation(squared, edges, coordinates, shrink=shrink))


def violation(
    squared: NDArray, edges: NDArray, coordinates: NDArray, *, shrink: bool = False
) -> float:
    """Return the largest violation of an edge's squared length, in mean squared lengths.

    Examples
    --------
    >>> round(violation(np.ones(1), np.array([[0, 1]]), np.array([[0.0], [1.1]])), 6)
    0.21
    """
    steps = coordinates[edges[:, 0]] - coordinates[edges[:, 1]]
    excess = np.square(steps).sum(axis=1) - squared
    worst = max(excess.max(), 0.0) if shrink else np.abs(excess).max()
    return float(worst / squared.mean()) if squared.any() else float(worst)
