"""Point clouds of the embedding explorer: the data of one cell and its embeddings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Embedding:
    """One embedding of a cloud.

    Attributes
    ----------
    method, method_cell, title : str
        Name in the catalog, cell, and title with the parameters that differ.
    trial : int
        Its trial.
    status, message : str
        Status, and why it failed.
    Z : ndarray of shape (n, d) or None
        The coordinates; None if it failed.
    scores : dict of str to float
        Metrics of this trial.
    errors : dict of str to ndarray of shape (n,)
        Errors of its points: ``trustworthiness``, ``continuity`` and ``distortion``, as
        ``nldr.metrics.pointwise.pointwise_errors`` defines them; ``doubt``, 1 for points not to
        trust; ``instability``, the share of neighbors that change. NaN where unknown.
    covariances : ndarray of shape (n, 2, 2) or None
        Covariances of the points of a plane, where the method estimates them.
    background : (ndarray of shape (size, size), (float, float, float, float)) or None
        How uncertain the method is on a grid of the plane, from 0 to 1, with one row for each value
        of the second coordinate; and left, right, bottom and top end.
    """

    method: str
    method_cell: str
    title: str
    trial: int
    status: str
    message: str
    Z: NDArray | None
    scores: dict[str, float]
    errors: dict[str, NDArray] = field(default_factory=dict)
    covariances: NDArray | None = None
    background: tuple[NDArray, tuple[float, float, float, float]] | None = None


@dataclass(frozen=True)
class Cloud:
    """The data of one cell and trial, with its embeddings.

    Trials that have the same data belong to one cloud.

    Attributes
    ----------
    name, cell, title : str
        Name in the catalog, cell, and title with the parameters that differ.
    trial : int
        The first trial that has these data.
    n_points, n_features : int
        Numbers of observations and of their features.
    X : ndarray of shape (n, n_features) or None
        Observations, clean ones where known; None if they have more than three features.
    latent : ndarray of shape (n, m) or None
        True latent coordinates.
    labels : ndarray of shape (n,) or None
        Labels.
    images : ndarray of uint8 of shape (n, height, width) or (n, height, width, 3), or None
        The points as small images, see ``nldr.report.sprites.thumbnails``.
    embeddings : list of Embedding
        Its embeddings.
    columns : dict of str to ndarray of shape (n,)
        Features that points can be colored by, by name; NaN where a value is missing.
    left_out : int
        Number of embeddings of the cell that did not fit on the page; only in the first cloud of
        the cell, which may have no embedding at all.
    names : list of str or None
        Names of the points, which have numbers otherwise.
    """

    name: str
    cell: str
    title: str
    trial: int
    n_points: int
    n_features: int
    X: NDArray | None
    latent: NDArray | None
    labels: NDArray | None
    images: NDArray | None
    embeddings: list[Embedding]
    left_out: int = 0
    columns: dict[str, NDArray] = field(default_factory=dict)
    names: list[str] | None = None
