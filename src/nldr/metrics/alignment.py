"""How much of the true latent an affine map or a similarity of the embedding recovers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import finite_matrix
from nldr.metrics._distances import unit


def alignment(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by what is left after alignment with ``data.Z``.

    Parameters
    ----------
    data : Dataset
        Data whose true latent is known.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.

    Returns
    -------
    dict of str to float
        ``r2_affine`` and ``procrustes``, see the functions of these names.

    Raises
    ------
    ValueError
        If the data has no true latent, and as :func:`r2_affine`.

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
    r"""Share of the latent's variance that an affine map of the embedding explains.

    Each latent dimension is regressed on the embedding by least squares with intercept, and

    .. math:: R^2 = \frac1m \sum_{j=1}^m \left(1 -
        \frac{\sum_i (z_{ij} - \hat z_{ij})^2}{\sum_i (z_{ij} - \bar z_j)^2}\right).

    The embedding may have more or fewer dimensions than the latent, and dependent or constant
    columns. Noise scores ``n_components / (n_samples - 1)`` on average.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_latent)
        True latent.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.

    Returns
    -------
    float
        Mean R² in [0, 1], 1 is best; NaN if a latent dimension is constant, for which it is
        not defined.

    Raises
    ------
    ValueError
        If ``Z`` and ``embedding`` differ in rows or hold NaN or infinity.

    References
    ----------
    Li & Wu, *Inverse Kernel Decomposition*, §3.1.

    Examples
    --------
    >>> Z = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> round(r2_affine(Z, Z[:, :1]), 12)
    0.5
    """
    Z = finite_matrix(Z, "Z")
    embedding = finite_matrix(embedding, "embedding", len(Z))
    if len(Z) == 0:
        return float("nan")
    latent = _standardized(Z)
    if not latent.any(axis=0).all():
        return float("nan")
    basis, singular, _ = np.linalg.svd(_standardized(embedding), full_matrices=False)
    rounding = max(embedding.shape) * np.finfo(np.float64).eps
    basis = basis[:, singular > rounding * singular[0]]
    explained = np.square(basis.T @ latent).sum(axis=0)
    return float(min(explained.mean(), 1.0))


def procrustes(Z: NDArray, embedding: NDArray) -> float:
    r"""Share of the latent's variance left after the best similarity of the embedding.

    With the columns of latent and embedding centered, s a scale and Q a rotation or reflection,

    .. math:: \min_{s, Q} \frac{\|Z - s Y Q\|_F^2}{\|Z\|_F^2}
        = 1 - \frac{\|Z^T Y\|_*^2}{\|Z\|_F^2 \|Y\|_F^2},

    where the star marks the sum of singular values. If latent and embedding differ in
    dimension, columns of zeros are thought to be added to the smaller one. Exchanging the two
    changes nothing.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_latent)
        True latent.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.

    Returns
    -------
    float
        Residual in [0, 1], 0 is best; 1 for an embedding that is a single point. NaN if the
        latent is a single point, for which it is not defined.

    Raises
    ------
    ValueError
        If ``Z`` and ``embedding`` differ in rows or hold NaN or infinity.

    References
    ----------
    J. C. Gower, *Generalized Procrustes analysis*, Psychometrika 40 (1975).

    Examples
    --------
    >>> Z = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> round(procrustes(Z, 5 - 2 * Z[:, ::-1]), 12), round(procrustes(Z, Z[:, :1]), 12)
    (0.0, 0.5)
    """
    Z = finite_matrix(Z, "Z")
    embedding = finite_matrix(embedding, "embedding", len(Z))
    if len(Z) == 0 or (Z[0] == Z).all():
        return float("nan")
    nuclear = float(np.linalg.norm(_normalized(Z).T @ _normalized(embedding), "nuc"))
    return max(1.0 - nuclear**2, 0.0)


def _normalized(A: NDArray) -> NDArray:
    """Center the columns and scale the whole to length 1; a single point becomes 0."""
    centered = unit(A)
    centered -= centered[:1].copy()  # a single point becomes 0 exactly
    centered -= centered.mean(axis=0)
    length = np.linalg.norm(centered)
    return centered / length if length > 0 else centered


def _standardized(A: NDArray) -> NDArray:
    """Center the columns and scale them to length 1; constant columns become 0."""
    largest = np.abs(A).max(axis=0)
    unit = A / np.where(largest > 0, largest, 1.0)  # no square overflows
    unit -= unit.mean(axis=0)
    length = np.linalg.norm(unit, axis=0)
    return unit / np.where(length > 0, length, 1.0)
