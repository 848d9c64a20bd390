"""Certificate of maximum variance unfolding, recomputed from lengths and multipliers alone.

Let w be multipliers of the edges e = (i, j), and L(w) = Σ w_e (e_i − e_j)(e_i − e_j)ᵀ the weighted
graph Laplacian. If z is an affine dependency of points that are all joined to each other, that is

    Σ z_i = 0  and  ‖Σ z_i x_i‖² = −½ Σ z_i z_j d_ij² = 0,                                   (1)

then Kz = 0 for every kernel matrix K ⪰ 0 with these edge lengths. Let λ be the least eigenvalue of
L(w) on the vectors that are orthogonal to the constants and to all given z. If λ > 0, then

    λ tr K ≤ ⟨L(w), K⟩ = Σ w_e d_e²                                                          (2)

for every K with ΣK = 0. Without dependencies and with w ≥ 0, this also holds if edges may be
shorter. Nothing here uses the solver.

The gap is relative to the variance of all points, and the violation to the mean of all squared
lengths. With an outlier, or components of very different scales, both can be small although the
shape of most points is not determined; the estimators warn of that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, eye_array
from scipy.sparse.linalg import eigsh, splu

ROUNDING = 1e-10  # squared length of Σ z_i x_i, in mean squared edge lengths, that counts as zero
RANK = 1e-9  # relative singular value that counts as zero
DENSE = 3000  # number of points up to which all eigenvalues are computed
WEIGHTS = (1e6, 1e7, 1e8)  # of the dependencies in a sparse matrix, in mean absolute multipliers
SAFETY = (1e-5, 1e-4, 1e-3, 1e-2)  # by which a computed eigenvalue is reduced until it is proven


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
    dependencies: NDArray | csc_array | None = None,
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
    dependencies : ndarray or csc_array of shape (n_samples, n_dependencies), default=None
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
    n_samples = len(coordinates)
    scale = squared.mean() if squared.any() else 1.0

    Z = csc_array((n_samples, 0) if dependencies is None else dependencies)
    _check_dependencies(Z, edges, squared / scale, shrink=shrink)

    # Least eigenvalue on the vectors orthogonal to the constants and to all dependencies
    least_eigenvalue = _dense_eigenvalue if n_samples <= DENSE else _sparse_eigenvalue
    least = least_eigenvalue(Z, edges, multipliers)

    # Bound, Eq. 2
    sound = least > 0 and not (shrink and multipliers.min() < 0)
    bound = float(multipliers @ squared / least) if sound else np.inf

    trace = float(np.square(coordinates - coordinates.mean(axis=0)).sum())
    gap = bound / trace - 1 if trace > 0 else 0.0
    return Certificate(trace, bound, gap, violation(squared, edges, coordinates, shrink=shrink))


def _check_dependencies(Z: csc_array, edges: NDArray, squared: NDArray, *, shrink: bool) -> None:
    """Raise an error if a column does not satisfy Eq. 1 or its points are not all joined."""
    lengths = {(min(i, j), max(i, j)): d for (i, j), d in zip(edges.tolist(), squared, strict=True)}
    for k in range(Z.shape[1]):
        column = slice(Z.indptr[k], Z.indptr[k + 1])
        members, z = Z.indices[column][Z.data[column] != 0], Z.data[column][Z.data[column] != 0]

        pairs = [(min(i, j), max(i, j)) for i in members.tolist() for j in members.tolist()]
        within = np.array([0.0 if i == j else lengths.get((i, j), np.nan) for i, j in pairs])
        within = within.reshape(len(members), len(members))
        length = -z @ within @ z / 2 + abs(z.sum())
        if not length < ROUNDING or (shrink and within.any()):
            raise ValueError("a column of dependencies is no affine dependency of joined points")


def _dense_eigenvalue(Z: csc_array, edges: NDArray, multipliers: NDArray) -> float:
    """Return the least eigenvalue of L(w) on the vectors orthogonal to constants and Z."""
    (i, j), n_samples = edges.T, Z.shape[0]
    left, values, _ = np.linalg.svd(np.column_stack([np.ones(n_samples), Z.toarray()]))
    free = left[:, np.count_nonzero(values > RANK * values[0]) :]

    # Weighted graph Laplacian on them, by differences along edges
    along = free[i] - free[j]
    return float(np.linalg.eigvalsh(along.T @ (multipliers[:, np.newaxis] * along))[0])


def _sparse_eigenvalue(Z: csc_array, edges: NDArray, multipliers: NDArray) -> float:
    """Return a proven lower bound on that eigenvalue, −∞ if it is not positive.

    It is that of L(w) + γZZᵀ for a large γ; small ones prove less, and large ones are lost in
    rounding.
    """
    (i, j), n_samples = edges.T, Z.shape[0]
    rows, columns = np.concatenate([i, j, i, j]), np.concatenate([i, j, j, i])
    entries = np.concatenate([multipliers, multipliers, -multipliers, -multipliers])
    L = csc_array(csr_array((entries, (rows, columns)), shape=(n_samples, n_samples)))
    scale = np.abs(multipliers).mean()
    return max(
        _proven_eigenvalue(csc_array(L + weight * scale * (Z @ Z.T)), scale) for weight in WEIGHTS
    )


def _proven_eigenvalue(M: csc_array, scale: float) -> float:
    """Return a lower bound on the least eigenvalue of a sparse matrix apart from the constants.

    The number of negative pivots of a factorization proves it.
    """
    n_samples = M.shape[0]

    # The eigenvalues nearest to a small negative number: those of the constants and the next
    start = np.random.default_rng(0).standard_normal(n_samples)
    shift = -1e-3 * scale / n_samples
    values = eigsh(M, k=2, sigma=shift, v0=start, return_eigenvectors=False)
    for reduced in (values.max() * (1 - share) for share in SAFETY):
        factor = splu(
            csc_array(M - reduced * eye_array(n_samples)),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        symmetric = np.array_equal(factor.perm_r, factor.perm_c)
        if symmetric and np.count_nonzero(factor.U.diagonal() < 0) == 1:
            return float(reduced)
    return -np.inf


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
