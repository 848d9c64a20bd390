"""Restoration of edge lengths by sparse Newton steps on the coordinates.

With coordinates Y and the differences δ_e = Y_i − Y_j along edges e = (i, j), moving Y by
ΔY = Σ_e y_e (e_i − e_j) δ_eᵀ, the smallest motion for given first-order changes, changes the
squared lengths by

    2 G y,  G_ef = ⟨δ_e, δ_f⟩ (e_i − e_j)ᵀ(e_k − e_l),  f = (k, l).                            (1)

G is sparse, because only edges that share a point have an entry. Kernel matrices YYᵀ remain
positive semidefinite and centered, and the rank of Y does not increase.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array, eye_array
from scipy.sparse.linalg import splu

STEPS = 30  # maximum number of Newton steps
LEAST_RIDGE = 1e-12  # relative to the mean diagonal of G, for linearly dependent edges
LARGEST_RIDGE = 1.0  # beyond which no step is tried
PROGRESS = 0.9  # share of the sum of squares that a step may leave
ENOUGH = 1e-10  # deviation, in mean squared lengths, that needs no further step
CHUNK = 200_000  # pairs of edges whose inner products are computed at a time


def incidence(edges: NDArray, n_samples: int) -> csc_array:
    """Return the matrix with rows e_i − e_j.

    Examples
    --------
    >>> incidence(np.array([[0, 2]]), 3).toarray()
    array([[ 1.,  0., -1.]])
    """
    numbers = np.arange(len(edges))
    data = np.repeat([1.0, -1.0], len(edges))
    rows, columns = np.tile(numbers, 2), edges.T.ravel()
    return csc_array(coo_array((data, (rows, columns)), shape=(len(edges), n_samples)))


def restore_lengths(Y: NDArray, edges: NDArray, squared: NDArray, *, shrink: bool) -> NDArray:
    """Return coordinates near `Y` whose edges have the given lengths more accurately.

    The squared lengths have a mean of about 1; with `shrink`, edges may be shorter.

    Examples
    --------
    >>> Y = restore_lengths(np.array([[0.0], [1.1]]), np.array([[0, 1]]), np.ones(1), shrink=False)
    >>> Y.round(6).ravel().tolist()
    [0.05, 1.05]
    """
    differences = incidence(edges, len(Y)).tocsr()
    overlap = (differences @ differences.T).tocoo()

    def missing_of(Y: NDArray) -> NDArray:
        return squared - np.square(Y[edges[:, 0]] - Y[edges[:, 1]]).sum(axis=1)

    def wrong_of(missing: NDArray) -> NDArray:
        return np.minimum(missing, 0.0) if shrink else missing

    missing, ridge = missing_of(Y), LEAST_RIDGE
    wrong = wrong_of(missing)
    best, least = Y, np.abs(wrong).max(initial=0.0)
    for _ in range(STEPS):
        if least <= ENOUGH or ridge > LARGEST_RIDGE:
            break

        # Edges that are wrong or, if edges may shrink, could become too long
        used = np.flatnonzero(missing < least) if shrink else np.arange(len(edges))

        # Levenberg-Marquardt: a Newton step, Eq. 1, with a larger ridge where it fails
        motion = _newton_motion(Y, edges, wrong, used, overlap, ridge)
        moved = Y + differences.T @ motion
        missing_there = missing_of(moved)
        wrong_there = wrong_of(missing_there)
        if wrong_there @ wrong_there >= PROGRESS * (wrong @ wrong):
            ridge *= 100
            continue
        Y, missing, wrong = moved, missing_there, wrong_there
        ridge = max(ridge / 100, LEAST_RIDGE)

        # The largest deviation need not decrease with their sum of squares
        if np.abs(wrong).max() < least:
            best, least = Y, np.abs(wrong).max()
    return best


def _newton_motion(
    Y: NDArray, edges: NDArray, wrong: NDArray, used: NDArray, overlap: coo_array, ridge: float
) -> NDArray:
    """Return y_e δ_e for all edges e, where y solves 2Gy = wrong for the edges in use."""
    along = Y[edges[:, 0]] - Y[edges[:, 1]]

    products = np.empty(overlap.nnz)
    for a in range(0, overlap.nnz, CHUNK):
        e, f = overlap.row[a : a + CHUNK], overlap.col[a : a + CHUNK]
        products[a : a + CHUNK] = np.einsum("ea,ea->e", along[e], along[f])
    G = csc_array((products * overlap.data, (overlap.row, overlap.col)), shape=overlap.shape)

    G = csc_array(G[used][:, used])
    shift = ridge * G.diagonal().mean()
    factor = splu(
        csc_array(G + shift * eye_array(len(used))),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    y = np.zeros(len(edges))
    y[used] = factor.solve(wrong[used] / 2)
    return y[:, np.newaxis] * along
