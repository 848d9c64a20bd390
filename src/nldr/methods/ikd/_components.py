"""Latent of connected points from their squared distances, and parts placed side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh
from sklearn.utils.extmath import svd_flip

GAP = 0.25  # of the widest part


@dataclass
class Part:
    """Embedding of points whose squared distances are all known.

    `rows` are their indices among the training rows; `reference` is the index in `rows` of the
    one at the origin, None for the centroid; `reference_distances` are squared distances to it;
    `half_mean` is half the mean squared distance; `share` is the share of the squared norm of
    the matrix of inner products that the embedding holds; `shift` is where the part was put.
    """

    rows: NDArray
    reference: int | None
    reference_distances: NDArray
    half_mean: float
    eigenvalues: NDArray
    embedding: NDArray
    share: float
    shift: float = 0.0

    def place(self, distances: NDArray) -> NDArray:
        """Place points from their squared distances to the rows, which are overwritten.

        The Nyström extension z = Λ⁻¹ Ũᵀ g of the eigenvectors, where g holds the inner products
        of a new point with the rows about the same reference (Eq. 4); about the centroid it is
        Gower's formula.
        """
        if self.reference is None:
            to_reference = distances.mean(axis=1) - self.half_mean
        else:
            to_reference = distances[:, self.reference].copy()
        products = inner_products(distances, to_reference, self.reference_distances)
        values = self.eigenvalues
        inverse = np.divide(1.0, values, out=np.zeros(len(values)), where=values > 0)
        places = products @ (self.embedding * inverse)
        places[:, 0] += self.shift
        return places


def solve(
    distances: NDArray, n_components: int, reference: str | int, rows: NDArray | None = None
) -> Part:
    """Embed points by Alg. 1, lines 4 to 6, from squared distances, which are overwritten.

    Parameters
    ----------
    distances : ndarray of shape (n_points, n_points)
        Squared latent distances.
    n_components : int
        Dimension; columns beyond the number of points are zero.
    reference : {"min_max", "min_mean", "center"} or int
        What becomes the origin: the point of smallest maximal or mean distance, the centroid, or
        a point by its index.
    rows : ndarray of shape (n_points,), default=None
        Indices of the points among the training rows.

    Returns
    -------
    Part
        The embedding and what :meth:`Part.place` needs.
    """
    n_points = len(distances)
    half_mean = float(distances.mean()) / 2
    if reference == "center":
        row, to_reference = None, distances.mean(axis=1) - half_mean
    else:
        row = reference if isinstance(reference, int) else _central_row(distances, reference)
        to_reference = distances[row].copy()
    products = inner_products(distances, to_reference, to_reference)
    n_kept = min(n_components, n_points)
    values, vectors = np.zeros(n_components), np.zeros((n_points, n_components))
    values[:n_kept], vectors[:, :n_kept] = leading_eigenpairs(products, n_kept)
    total = np.vdot(products, products)
    return Part(
        rows=np.arange(n_points) if rows is None else rows,
        reference=row,
        reference_distances=to_reference,
        half_mean=half_mean,
        eigenvalues=values,
        embedding=vectors * np.sqrt(values),
        share=min(float(np.sum(values**2) / total), 1.0) if total > 0 else 1.0,
    )


def place_side_by_side(embeddings: list[NDArray]) -> list[float]:
    """Return shifts along the first axis that put embeddings in a row, the first one unmoved.

    Examples
    --------
    >>> place_side_by_side([np.array([[0.0], [4.0]]), np.array([[-1.0], [1.0]])])
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
    """Return the row of smallest maximum (Sec. 2.5), of several of smallest sum, or of the sum."""
    sums = distances.sum(axis=1)
    if criterion == "min_mean":
        return int(sums.argmin())
    return int(np.lexsort((sums, distances.max(axis=1)))[0])


def inner_products(distances: NDArray, rows: NDArray, columns: NDArray) -> NDArray:
    """Inner products g of Eq. 4: ½ (d_ir + d_rj − d_ij), in place of `distances`.

    `rows` and `columns` are the distances to the reference point r of the points that the rows
    and the columns of `distances` stand for.
    """
    distances *= -0.5
    distances += 0.5 * rows[:, np.newaxis]
    distances += 0.5 * columns
    return distances


def leading_eigenpairs(matrix: NDArray, n_components: int) -> tuple[NDArray, NDArray]:
    """Eigenpairs of the positive semi-definite matrix of this rank nearest `matrix` (Eq. 8).

    The eigenvalues are in descending order; what is no larger than rounding error is set to
    zero. The largest entry of each eigenvector is positive.
    """
    n_samples = len(matrix)

    def dense() -> tuple[NDArray, NDArray]:
        return linalg.eigh(matrix, subset_by_index=[n_samples - n_components, n_samples - 1])

    if 20 * n_components > n_samples:
        values, vectors = dense()
    else:
        # dsymv reads one triangle only, and the product is bound by memory.
        product = LinearOperator(
            matrix.shape, matvec=lambda v: linalg.blas.dsymv(1.0, matrix.T, v), dtype=float
        )
        try:
            values, vectors = eigsh(product, n_components, which="LA", rng=0)
        except ArpackError:  # a matrix of zeros, or eigenvalues too close to each other
            values, vectors = dense()
    values = values[::-1].copy()
    values[values <= n_samples * np.finfo(float).eps * max(1.0, values[0])] = 0.0
    return values, svd_flip(vectors[:, ::-1], None)[0]
