"""Agreement of an embedding with the true latent, up to an affine map or a similarity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices
from nldr.metrics._distances import centered


def alignment(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by its agreement with ``data.Z`` after alignment.

    Returns
    -------
    dict of str to float
        ``r2_affine`` and ``procrustes``, see :func:`r2_affine` and :func:`procrustes`. NaN if a
        latent dimension is constant (``r2_affine``), or all are (``procrustes``).

    Examples
    --------
    >>> Z = np.random.default_rng(0).normal(size=(20, 2))
    >>> scores = alignment(Dataset(X=Z, Z=Z), 3 - 2 * Z)
    >>> {name: round(score, 12) for name, score in scores.items()}
    {'r2_affine': 1.0, 'procrustes': 0.0}
    """
    if data.Z is None:
        raise ValueError("alignment needs the true latent, the dataset has none (Z is None)")
    return {
        "r2_affine": r2_affine(data.Z, embedding),
        "procrustes": procrustes(data.Z, embedding),
    }


def r2_affine(Z: NDArray, embedding: NDArray) -> float:
    r"""Return the share of the latent variance that an affine map of the embedding explains.

    Each latent dimension is regressed on the embedding by least squares with intercept, and

    .. math:: R^2 = \frac1m \sum_{j=1}^m \left(1 -
        \frac{\sum_i (z_{ij} - \hat z_{ij})^2}{\sum_i (z_{ij} - \bar z_j)^2}\right).

    The embedding may have more or fewer dimensions than the latent, and collinear or constant
    columns. A random embedding scores ``n_components / (n_samples - 1)`` on average.

    Parameters
    ----------
    Z, embedding : ndarray of shape (n_samples, n_latent) and (n_samples, n_components)
        True latent and embedding.

    Returns
    -------
    float
        Mean R² in [0, 1], 1 is best; NaN if a latent dimension is constant.

    References
    ----------
    Li & Wu, *Inverse Kernel Decomposition*, §3.1.

    Examples
    --------
    >>> Z = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> round(r2_affine(Z, Z[:, :1]), 12)
    0.5
    """
    Z, embedding = matching_matrices(Z, embedding, "Z")
    if len(Z) == 0:
        return float("nan")
    # Constant latent dimensions have no R²
    latent = _standardized(Z)
    if not latent.any(axis=0).all():
        return float("nan")
    # Orthonormal basis of the embedding's column space, without numerically null directions
    basis, singular, _ = np.linalg.svd(_standardized(embedding), full_matrices=False)
    rounding = max(embedding.shape) * np.finfo(np.float64).eps
    basis = basis[:, singular > rounding * singular[0]]
    explained = np.square(basis.T @ latent).sum(axis=0)
    return float(min(explained.mean(), 1.0))


def procrustes(Z: NDArray, embedding: NDArray) -> float:
    r"""Return the share of the latent variance left after the best similarity transformation.

    With the columns of the latent Z and the embedding Y centered, s a scale and Q orthogonal,

    .. math:: \min_{s, Q} \frac{\|Z - s Y Q\|_F^2}{\|Z\|_F^2}
        = 1 - \frac{\|Z^T Y\|_*^2}{\|Z\|_F^2 \|Y\|_F^2},

    where the star denotes the nuclear norm. If the latent and the embedding differ in dimension,
    the smaller one is padded with columns of zeros. The residual is symmetric in the two.

    Parameters
    ----------
    Z, embedding : ndarray of shape (n_samples, n_latent) and (n_samples, n_components)
        True latent and embedding.

    Returns
    -------
    float
        Residual in [0, 1], 0 is best; 1 if all points of the embedding coincide. NaN if all
        points of the latent coincide.

    References
    ----------
    J. C. Gower, *Generalized Procrustes analysis*, Psychometrika 40 (1975).

    Examples
    --------
    >>> Z = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> round(procrustes(Z, 5 - 2 * Z[:, ::-1]), 12), round(procrustes(Z, Z[:, :1]), 12)
    (0.0, 0.5)
    """
    Z, embedding = matching_matrices(Z, embedding, "Z")
    if len(Z) == 0 or (Z[0] == Z).all():
        return float("nan")
    # Closed form of the minimum over scales and orthogonal maps
    nuclear = float(np.linalg.norm(_normalized(Z).T @ _normalized(embedding), "nuc"))
    return max(1.0 - nuclear**2, 0.0)


def _normalized(A: NDArray) -> NDArray:
    """Center the columns and scale the matrix to norm 1; equal rows become 0."""
    points = centered(A)
    length = np.linalg.norm(points)
    return points / length if length > 0 else points


def _standardized(A: NDArray) -> NDArray:
    """Center the columns and scale each to norm 1; constant columns become 0."""
    largest = np.abs(A).max(axis=0)
    columns = A / np.where(largest > 0, largest, 1.0)  # no square overflows
    columns -= columns.mean(axis=0)
    length = np.linalg.norm(columns, axis=0)
    return columns / np.where(length > 0, length, 1.0)
