"""Alg. 1 on one connected component, and the arrangement of components side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from nldr.methods._base import fix_signs

GAP = 0.25  # between components, relative to the width of the widest


@dataclass
class ComponentEmbedding:
    """Embedding of points whose pairwise squared distances are all known.

    Attributes
    ----------
    rows : ndarray of shape (n_points,)
        Indices of the points among the training rows.
    reference : int or None
        Index in `rows` of the point at the origin; None if the centroid is at the origin.
    reference_distances : ndarray of shape (n_points,)
        Squared distances from the reference to the points. For the released centering, twice the
        mean squared distance of each point minus the mean of all.
    half_mean : float
        Half the mean squared distance.
    eigenvalues : ndarray of shape (n_components,)
        Largest eigenvalues of the matrix of inner products, descending, not negative.
    embedding : ndarray of shape (n_points, n_components)
        Coordinates relative to the reference.
    explained_share : float
        Fraction of the squared norm of the matrix of inner products that the embedding explains.
    one_sided : bool
        Whether the means were added along one axis only, as in the released centering.
    shift : float
        Offset along the first axis that separates the component from others.
    """

    rows: NDArray
    reference: int | None
    reference_distances: NDArray
    half_mean: float
    eigenvalues: NDArray
    embedding: NDArray
    explained_share: float
    one_sided: bool = False
    shift: float = 0.0

    def transform(self, distances: NDArray) -> NDArray:
        """Return the coordinates of new points by the Nyström extension of the eigenvectors.

        With g the inner products of a new point with the embedded points (Eq. 4), it is z = Λ⁻¹ Ũᵀ
        g. If the reference is the centroid, this is Gower's formula. `distances` are squared, of
        shape (n_new, n_points), and overwritten.
        """
        # Squared distances from the new points to the reference; under the released centering new
        # points follow the fitted rows, so that only the means of these enter
        if self.one_sided:
            to_reference = np.zeros(len(distances))
        elif self.reference is None:
            to_reference = distances.mean(axis=1) - self.half_mean
        else:
            to_reference = distances[:, self.reference].copy()
        # Nyström extension; columns of eigenvalue zero stay zero
        products = inner_products(distances, to_reference, self.reference_distances)
        values = self.eigenvalues
        inverse = np.divide(1.0, values, out=np.zeros(len(values)), where=values > 0)
        coordinates = products @ (self.embedding * inverse)
        coordinates[:, 0] += self.shift
        return coordinates


def embed_distances(
    distances: NDArray, n_components: int, reference: str | int, rows: NDArray | None = None
) -> ComponentEmbedding:
    """Embed points given their squared distances (Alg. 1, lines 5 and 6), which are overwritten.

    Columns beyond the number of points are zero. The origin is the point with the smallest maximum
    or mean distance, the centroid, or the point with the index `reference`. ``"center_released"``
    adds twice the mean of each column instead of the means of row and column, and uses the lower
    triangle of the asymmetric result. `rows` are indices of the points among the training rows.
    """
    n_points = len(distances)
    # Reference point (Sec. 2.5)
    half_mean = float(distances.mean()) / 2
    one_sided = reference == "center_released"
    if one_sided:
        row, to_reference = None, 2 * (distances.mean(axis=0) - half_mean)
    elif reference == "center":
        row, to_reference = None, distances.mean(axis=1) - half_mean
    else:
        row = reference if isinstance(reference, int) else _central_row(distances, reference)
        to_reference = distances[row].copy()
    # Inner products g(D), Eq. 4
    products = inner_products(
        distances, np.zeros(n_points) if one_sided else to_reference, to_reference
    )
    if one_sided:
        # The released code passes the asymmetric matrix to a solver that reads the lower triangle.
        products = np.tril(products) + np.tril(products, -1).T
    n_kept = min(n_components, n_points)
    values, vectors = np.zeros(n_components), np.zeros((n_points, n_components))
    values[:n_kept], vectors[:, :n_kept] = leading_eigenpairs(products, n_kept)
    total = np.vdot(products, products)
    return ComponentEmbedding(
        rows=np.arange(n_points) if rows is None else rows,
        reference=row,
        reference_distances=to_reference,
        half_mean=half_mean,
        eigenvalues=values,
        embedding=vectors * np.sqrt(values),
        explained_share=min(float(np.sum(values**2) / total), 1.0) if total > 0 else 1.0,
        one_sided=one_sided,
    )


def side_by_side_shifts(embeddings: list[NDArray]) -> list[float]:
    """Return offsets along the first axis that place embeddings next to each other.

    The first embedding does not move. The gap is a quarter of the largest width, or 1 if all
    embeddings are single points.

    Examples
    --------
    >>> side_by_side_shifts([np.array([[0.0], [4.0]]), np.array([[-1.0], [1.0]])])
    [0.0, 6.0]
    """
    widths = [np.ptp(points[:, 0]) for points in embeddings]
    gap = GAP * max(widths) or 1.0
    shifts, end = [0.0], embeddings[0][:, 0].max()
    for points, width in zip(embeddings[1:], widths[1:], strict=True):
        shifts.append(float(end + gap - points[:, 0].min()))
        end += gap + width
    return shifts


def _central_row(distances: NDArray, criterion: str) -> int:
    """Return the row with the smallest maximum (Sec. 2.5; ties by the sum), or smallest mean."""
    sums = distances.sum(axis=1)
    if criterion == "min_mean":
        return int(sums.argmin())
    return int(np.lexsort((sums, distances.max(axis=1)))[0])


def inner_products(
    distances: NDArray, row_distances: NDArray, column_distances: NDArray
) -> NDArray:
    """Return the inner products ½ (d_ir + d_rj − d_ij) about the reference r (Eq. 4).

    The result is written over `distances`. `row_distances` and `column_distances` are the squared
    distances d_ir and d_rj from the reference to the points of the rows and columns.
    """
    distances *= -0.5
    distances += 0.5 * row_distances[:, np.newaxis]
    distances += 0.5 * column_distances
    return distances


def leading_eigenpairs(matrix: NDArray, n_components: int) -> tuple[NDArray, NDArray]:
    """Return eigenpairs of the best positive semidefinite approximation of this rank (Eq. 8).

    The eigenvalues are in descending order; eigenvalues at the level of rounding errors, and
    negative ones, are set to zero. The entry of largest magnitude of each eigenvector is positive.
    """
    n_samples = len(matrix)

    def dense_eigenpairs() -> tuple[NDArray, NDArray]:
        return linalg.eigh(matrix, subset_by_index=[n_samples - n_components, n_samples - 1])

    if 20 * n_components > n_samples:
        values, vectors = dense_eigenpairs()
    else:
        # Lanczos. The product is bound by memory, and dsymv reads only one triangle.
        product = LinearOperator(
            matrix.shape, matvec=lambda v: linalg.blas.dsymv(1.0, matrix.T, v), dtype=float
        )
        try:
            values, vectors = eigsh(product, n_components, which="LA", rng=0)
        except ArpackError:  # a matrix of zeros, or eigenvalues too close to each other
            values, vectors = dense_eigenpairs()
    values = values[::-1].copy()
    values[values <= n_samples * np.finfo(float).eps * max(1.0, values[0])] = 0.0
    return values, fix_signs(vectors[:, ::-1])
