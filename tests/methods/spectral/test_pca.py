import numpy as np
from numpy.testing import assert_allclose

from nldr.methods.spectral.pca import EigenvaluePCA


def test_axes_are_eigenvectors_times_eigenvalues(rng):
    X = rng.standard_normal((40, 5)) * [5, 3, 2, 1, 0.5]
    centered = X - X.mean(axis=0)
    values, vectors = np.linalg.eigh(centered @ centered.T)
    expected = (vectors * values)[:, ::-1][:, :3]
    fitted = EigenvaluePCA(3).fit(X)
    assert_allclose(np.abs(fitted.embedding_), np.abs(expected), atol=1e-9)
    assert_allclose(fitted.transform(X[:7]), fitted.embedding_[:7])
