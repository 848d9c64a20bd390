"""Model selection with scikit-learn: scorers of embeddings, and a split for methods without one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nldr.metrics.evaluation import CatalogMetric, evaluate, find_metric


def scorer(metric: str) -> Callable[..., float]:
    """Return a metric as ``scoring`` of GridSearchCV: higher is better.

    Rows are scored by their coordinates: ``transform`` gives them, or ``embedding_`` for a method
    that cannot embed new rows, which then must be scored on the rows that it was fitted on; see
    :class:`AllRows`.

    Parameters
    ----------
    metric : str
        Name of a metric of the catalog, such as ``"trustworthiness_k7"``. Where lower is better,
        the scorer returns the negative value.

    Returns
    -------
    callable
        Function of estimator, ``X`` and ``y``.

    Raises
    ------
    ValueError
        If there is no such metric, or if it needs the true latent, which scorers do not get.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from nldr.methods import MVU
    >>> X, y = load_iris(return_X_y=True)
    >>> search = GridSearchCV(
    ...     MVU(disconnected="bridges"), {"n_neighbors": [3, 6]},
    ...     scoring=scorer("trustworthiness_k7"), cv=AllRows(),
    ... )
    >>> search.fit(X[::3]).best_params_
    {'n_neighbors': 6}
    """
    catalog_metric = find_metric(metric)
    if catalog_metric.needs == "latent":
        raise ValueError(
            f"'{metric}' needs the true latent, which scorers do not get: use "
            "nldr.evaluate(X, Z, latent=…)"
        )
    return functools.partial(_score, metric=catalog_metric)


def _score(estimator: Any, X: ArrayLike, y: Any = None, *, metric: CatalogMetric) -> float:
    """Return a metric of the coordinates of some rows, higher is better."""
    labels = y if metric.needs == "labels" else None
    value = evaluate(X, coordinates(estimator, X), labels, metrics=metric.name)[metric.name]
    return value if metric.direction == "higher" else -value


def coordinates(estimator: Any, X: ArrayLike) -> NDArray:
    """Return the coordinates of rows in the embedding of a fitted estimator or pipeline.

    Raises
    ------
    ValueError
        If the estimator cannot embed new rows, and was fitted on another number of rows.

    Examples
    --------
    >>> from nldr.methods import LLE
    >>> X = np.random.default_rng(0).normal(size=(30, 3))
    >>> coordinates(LLE().fit(X), X).shape
    (30, 2)
    """
    if hasattr(estimator, "transform"):
        return np.asarray(estimator.transform(X))
    # The last step of a pipeline
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    name = type(last).__name__
    if not hasattr(last, "embedding_"):
        raise ValueError(f"{name} has neither transform nor embedding_: fit it first")
    if len(last.embedding_) != len(np.asarray(X)):
        raise ValueError(
            f"{name} cannot embed new rows, and these are not the rows it was fitted on: pass "
            f"cv=nldr.metrics.AllRows(), or wrap it: nldr.methods.OutOfSample({name}())"
        )
    return last.embedding_


class AllRows:
    """Cross-validation with one split, in which all rows train and all rows test.

    Methods that cannot embed new rows are chosen by how well they embed the rows that they were
    fitted on.

    Examples
    --------
    >>> [(train, test)] = AllRows().split(np.zeros((3, 2)))
    >>> train, test
    (array([0, 1, 2]), array([0, 1, 2]))
    """

    def split(
        self, X: ArrayLike, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray, NDArray]]:
        """Yield the indices of all rows, to train and to test."""
        rows = np.arange(len(np.asarray(X)))
        yield rows, rows

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits: one."""
        return 1
