"""Point clouds of the embedding explorer: the data of one cell and its embeddings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Embedding:
    """One embedding of a cloud."""

    method: str  # name in the catalog
    method_cell: str
    title: str  # with the parameters that differ
    trial: int
    status: str
    message: str  # why it failed
    Z: NDArray | None  # coordinates, of shape (n, d); None if it failed
    scores: dict[str, float]  # metrics of this trial
    # Errors of its points, arrays of shape (n,): ``trustworthiness``, ``continuity`` and
    # ``distortion``, as ``nldr.metrics.pointwise.pointwise_errors`` defines them; ``doubt``, 1 for
    # points not to trust; ``instability``, the share of neighbors that change. NaN where unknown
    errors: dict[str, NDArray] = field(default_factory=dict)
    # Covariances of the points of a plane, of shape (n, 2, 2), where the method estimates them
    covariances: NDArray | None = None
    # How uncertain the method is on a square grid of the plane, from 0 to 1, with one row for each
    # value of the second coordinate; and left, right, bottom and top end
    background: tuple[NDArray, tuple[float, float, float, float]] | None = None


@dataclass(frozen=True)
class Cloud:
    """The data of one cell and trial, with its embeddings.

    Trials that have the same data belong to one cloud.
    """

    name: str  # in the catalog
    cell: str
    title: str  # with the parameters that differ
    trial: int  # the first trial that has these data
    n_points: int
    n_features: int
    # Observations, clean ones where known, of shape (n, n_features); None if they have more than
    # three features
    X: NDArray | None
    latent: NDArray | None  # true coordinates, of shape (n, m)
    labels: NDArray | None  # of shape (n,)
    images: NDArray | None  # the points as ``nldr.report.sprites.thumbnails`` returns them
    embeddings: list[Embedding]
    # Number of embeddings of the cell that did not fit on the page; only in the first cloud of the
    # cell, which may have no embedding at all
    left_out: int = 0
    # Features that points can be colored by, by name: texts of categories, or numbers, NaN where a
    # value is missing
    columns: dict[str, NDArray] = field(default_factory=dict)
    names: list[str] | None = None  # names of the points, which have numbers otherwise
