"""Tests of the embedding of new rows by weights of their neighbors."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.manifold import LocallyLinearEmbedding
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods import LLE, LaplacianEigenmaps, OutOfSample, RandomEmbedding


@parametrize_with_checks([OutOfSample(RandomEmbedding(random_state=0))])
def test_scikit_learn_checks(estimator: BaseEstimator, check) -> None:
    check(estimator)


def test_new_rows_of_locally_linear_embedding_are_those_of_scikit_learn(
    rng: np.random.Generator,
) -> None:
    X, new = rng.normal(size=(60, 3)), rng.normal(size=(5, 3))
    theirs = LocallyLinearEmbedding(n_neighbors=8, reg=1e-3, eigen_solver="dense").fit(X)
    ours = OutOfSample(LLE(n_neighbors=8, eigen_solver="dense"), n_neighbors=8, reg=1e-3).fit(X)
    expected = theirs.transform(new)
    # Up to scale and sign of the axes
    found = ours.transform(new)
    for axis in range(2):
        assert abs(np.corrcoef(expected[:, axis], found[:, axis])[0, 1]) > 0.999


def test_linear_maps_are_extended_exactly(rng: np.random.Generator) -> None:
    latent = rng.uniform(size=(80, 2))
    X = latent @ rng.normal(size=(2, 5))
    method = OutOfSample(PCA(2), n_neighbors=5, reg=1e-9).fit(X[:60])
    np.testing.assert_allclose(
        method.transform(X[60:]), PCA(2).fit(X[:60]).transform(X[60:]), atol=1e-4
    )


def test_training_rows_keep_their_coordinates(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    method = OutOfSample(LaplacianEigenmaps(n_neighbors=10)).fit(X)
    np.testing.assert_array_equal(method.transform(X[::-1]), method.embedding_[::-1])
    assert method.get_feature_names_out().tolist() == ["outofsample0", "outofsample1"]


def test_the_estimator_that_is_given_is_not_fitted(rng: np.random.Generator) -> None:
    given = LLE(n_neighbors=5)
    OutOfSample(given).fit(rng.normal(size=(30, 3)))
    assert not hasattr(given, "embedding_")


def test_what_is_no_method_raises(rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match="'estimator' parameter of OutOfSample must be an object"):
        OutOfSample(3).fit(rng.normal(size=(9, 3)))
