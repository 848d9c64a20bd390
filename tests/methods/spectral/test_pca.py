import numpy as np
from numpy.testing import assert_allclose

from nldr.methods.spectral.isomap import Isomap
from nldr.methods.spectral.pca import EigenvaluePCA


def test_axes_are_eigenvectors_times_eigenvalues(rng):
    X = rng.standard_normal((40, 5)) * [5, 3, 2, 1, 0.5]
    centered = X - X.mean(axis=0)
    values, vectors = np.linalg.eigh(centered @ centered.T)
    expected = (vectors * values)[:, ::-1][:, :3]
    fitted = EigenvaluePCA(3).fit(X)
    assert_allclose(np.abs(fitted.embedding_), np.abs(expected), atol=1e-9)
    assert_allclose(fitted.transform(X[:7]), fitted.embedding_[:7])


def test_isomap_of_all_neighbors_agrees(rng):
    # With all points as neighbors, geodesic distances are Euclidean
    X = rng.standard_normal((30, 4)) * [4, 3, 2, 1]
    isomap = Isomap(3, n_neighbors=29, scaling="eigenvalue").fit(X)
    assert_allclose(np.abs(isomap.embedding_), np.abs(EigenvaluePCA(3).fit_transform(X)))
    assert_allclose(isomap.transform(X[:5]), isomap.embedding_[:5])
