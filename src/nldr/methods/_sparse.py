"""Base class of the methods that work on a graph of neighbors of dense or sparse rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from nldr.methods._graph import GraphEmbedder
from nldr.validation import fit_context

DENSE_ONLY = ("enhanced", "more_neighbors")  # remedies


class SparseGraphEmbedder(GraphEmbedder):
    """Base class of estimators on the graph of neighbors that take sparse rows and keep them so."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed the rows of `X`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Observations; sparse ones stay sparse.
        y : None
            Ignored.

        Returns
        -------
        estimator
            The fitted estimator.

        Raises
        ------
        ValueError
            If there are too few rows or features, values that are not finite, or a parameter that
            does not suit the data; see the class.
        """
        data = validate_data(
            self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=self._min_samples
        )
        if issparse(data) and self.disconnected in DENSE_ONLY:
            raise ValueError(
                f"disconnected={self.disconnected!r} needs dense rows: X.toarray() has them"
            )
        self._fit(data)
        return self

    def __sklearn_tags__(self) -> Tags:
        """Declare that sparse rows are accepted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
