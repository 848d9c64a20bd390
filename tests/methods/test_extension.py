"""Tests of the embedding of new rows by weights of their neighbors."""

import numpy as np
from sklearn.decomposition import PCA
from sklearn.manifold import LocallyLinearEmbedding

from nldr.methods import LLE, OutOfSample


def test_new_rows_of_locally_linear_embedding_are_those_of_scikit_learn(rng):
    X, new = rng.normal(size=(60, 3)), rng.normal(size=(5, 3))
    theirs = LocallyLinearEmbedding(n_neighbors=8, reg=1e-3, eigen_solver="dense").fit(X)
    ours = OutOfSample(LLE(n_neighbors=8, eigen_solver="dense"), n_neighbors=8, reg=1e-3).fit(X)
    expected = theirs.transform(new)
    # Up to scale and sign of the axes
    placed = ours.transform(new)
    for axis in range(2):
        assert abs(np.corrcoef(expected[:, axis], placed[:, axis])[0, 1]) > 0.999


def test_linear_maps_are_extended_exactly(rng):
    latent = rng.uniform(size=(80, 2))
    X = latent @ rng.normal(size=(2, 5))
    method = OutOfSample(PCA(2), n_neighbors=5, reg=1e-9).fit(X[:60])
    np.testing.assert_allclose(
        method.transform(X[60:]), PCA(2).fit(X[:60]).transform(X[60:]), atol=1e-4
    )
