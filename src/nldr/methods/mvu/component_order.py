"""Disjoint maximum variance unfolding that returns points in another order than the data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.methods._docs import inherit_docs
from nldr.methods.mvu.published import PublishedDisjointMVU


@inherit_docs(PublishedDisjointMVU)
class ComponentOrderDisjointMVU(PublishedDisjointMVU):
    """Disjoint MVU as published, whose rows are in the order of the components.

    Row i of the embedding is not row i of the data, unless the components follow each other there.
    The released code returned its points like that, and compared them with the data row by row.

    Parameters
    ----------
    n_components, n_neighbors, variance_share, tol, max_iter

    Attributes
    ----------
    embedding_, labels_, n_connected_components_, component_mvus_, duality_gap_, max_violation_

    Examples
    --------
    >>> X = np.array([[0.0], [9.0], [1.0], [10.0]])
    >>> ComponentOrderDisjointMVU(1, n_neighbors=1).fit_transform(X).round(1)[:, 0].tolist()
    [5.0, 4.0, -4.0, -5.0]
    """

    def _fit(self, data: NDArray) -> None:
        super()._fit(data)
        self.embedding_ = self.embedding_[np.argsort(self.labels_, kind="stable")]
