"""Upper bound on the trace that multipliers of the edges prove, for small and for large graphs.

The bound is Σ w_e d_e² / λ, with λ the least eigenvalue of the weighted graph Laplacian L(w) on
vectors of sum zero.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csc_array, diags_array, eye_array
from scipy.sparse.linalg import LinearOperator, SuperLU, eigsh, splu

from nldr.methods.mvu._polish import incidence

DENSE = 400  # number of points up to which all eigenvalues are computed
MARGIN = 1e-7  # by which the computed eigenvalue is reduced before it is proven


def trace_bound(squared: NDArray, edges: NDArray, w: NDArray, n_samples: int) -> float:
    """Return the bound that multipliers of either sign prove; infinite if none.

    Examples
    --------
    >>> edges, squared = np.array([[0, 1], [1, 2]]), np.ones(2)
    >>> round(trace_bound(squared, edges, np.ones(2), 3), 6)
    2.0
    """
    least, _ = connectivity(edges, w, n_samples)
    return float(w @ squared / least) if least > 0 else np.inf


def connectivity(edges: NDArray, w: NDArray, n_samples: int) -> tuple[float, NDArray]:
    """Return the least eigenvalue of L(w) on vectors of sum zero, with its eigenvector.

    Beyond a few hundred points the inertia of L(w) − σI proves it (Sylvester): for σ just below it,
    only the constants have a negative eigenvalue. It is −∞, with a vector of zeros, if it is not
    positive or cannot be proven.

    Examples
    --------
    >>> round(connectivity(np.array([[0, 1], [1, 2]]), np.ones(2), 3)[0], 6)
    1.0
    """
    B = incidence(edges, n_samples)
    L = csc_array(B.T @ (diags_array(w) @ B))
    nothing = -np.inf, np.zeros(n_samples)
    if n_samples <= DENSE:
        dense = L.toarray() + np.abs(w).max() / n_samples
        values, vectors = eigh(dense, subset_by_index=[0, 0])
        return (float(values[0]), vectors[:, 0]) if values[0] > 0 else nothing

    # Largest eigenvalue of the inverse on vectors of sum zero: the first point is grounded
    inverse = _grounded_inverse(L)
    if inverse is None:
        return nothing
    start = np.random.default_rng(0).standard_normal(n_samples)
    operator = LinearOperator((n_samples, n_samples), matvec=inverse, dtype=np.float64)
    values, vectors = eigsh(operator, k=1, which="LA", tol=1e-8, v0=start, rng=0)
    least = float((1 - MARGIN) / values[0])
    return (least, vectors[:, 0]) if _only_constants_below(L, least) else nothing


def factorize(M: csc_array) -> SuperLU:
    """Return a sparse factorization of a symmetric matrix, without pivoting.

    Examples
    --------
    >>> factorize(csc_array(2 * np.eye(2))).solve(np.ones(2)).tolist()
    [0.5, 0.5]
    """
    return splu(
        csc_array(M),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def _grounded_inverse(L: csc_array) -> Callable[[NDArray], NDArray] | None:
    """Return the map from b to the x of sum zero with Lx = b; None if L is not positive there."""
    try:
        factor = factorize(L[1:, 1:])
    except RuntimeError:  # singular
        return None
    if np.any(factor.U.diagonal() <= 0):
        return None

    def solve(b: NDArray) -> NDArray:
        b = b.ravel() - b.mean()
        x = np.append(0.0, factor.solve(b[1:]))
        return x - x.mean()

    return solve


def _only_constants_below(L: csc_array, sigma: float) -> bool:
    """Return whether L − σI has a single negative eigenvalue, that of the constants."""
    try:
        factor = factorize(L - sigma * eye_array(L.shape[0]))
    except RuntimeError:
        return False
    symmetric = np.array_equal(factor.perm_r, factor.perm_c)
    return symmetric and np.count_nonzero(factor.U.diagonal() < 0) == 1
