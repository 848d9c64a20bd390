"""Closed-form embeddings from which iterative methods can start their search."""

from __future__ import annotations

from numpy.typing import NDArray

from nldr.kernels import Kernel
from nldr.methods.ikd._similarity import RowSimilarity
from nldr.methods.ikd._variants import MetricGeodesicVariant


def geodesic_embedding(
    data: NDArray, n_components: int, kernel: Kernel, n_neighbors: int = 5
) -> NDArray:
    """Return the embedding of metric geodesic IKD, in units of the kernel's length scale.

    The result equals that of ``IKD(n_components, kernel=kernel, similarity="auto")`` with the
    variant metric_geodesic, but the input is not checked and no warning is issued. Connected
    components of the graph of edges lie side by side along the first axis.

    Raises
    ------
    ValueError
        If all rows are constant over the features.

    Examples
    --------
    A line segment of length 4 observed through 500 random waves of length scale 1:

    >>> import numpy as np
    >>> from nldr.kernels import SquaredExponential
    >>> rng = np.random.default_rng(0)
    >>> waves, phases = rng.standard_normal((1, 500)), rng.uniform(0, 2 * np.pi, 500)
    >>> X = np.cos(np.linspace(0, 4, 30)[:, np.newaxis] @ waves + phases)
    >>> embedding = geodesic_embedding(X, 1, SquaredExponential())
    >>> bool(np.isclose(np.ptp(embedding), 4, atol=0.2))
    True
    """
    similarity = RowSimilarity(data, "auto", min_similarity=1e-3).compare_all()
    variant = MetricGeodesicVariant(kernel, data.shape[1], threshold=None, n_neighbors=n_neighbors)
    variant.fit(similarity, n_components, "center")
    return variant.embedding


def isomap_embedding(data: NDArray, n_components: int, n_neighbors: int = 5) -> NDArray:
    """Return scikit-learn's Isomap embedding, computed by the deterministic dense eigensolver.

    With five neighbors this is the reference embedding of the IKD authors' released experiments.
    `n_neighbors` is lowered to ``n_samples - 1`` if it is larger.

    Examples
    --------
    >>> import numpy as np
    >>> line = np.arange(6.0)[:, np.newaxis]
    >>> np.abs(isomap_embedding(line, 1)).ravel().round(6)
    array([2.5, 1.5, 0.5, 0.5, 1.5, 2.5])
    """
    from sklearn.manifold import Isomap

    # The default ("auto") may choose ARPACK, which starts from a random vector.
    isomap = Isomap(
        n_components=n_components,
        n_neighbors=min(n_neighbors, len(data) - 1),
        eigen_solver="dense",
    )
    return isomap.fit_transform(data)
