import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist
from sklearn import manifold

from nldr.methods.spectral.mds import MetricMDS


@pytest.fixture
def X(rng):
    return rng.standard_normal((60, 5)) * [5, 4, 3, 2, 1]


def test_equals_scikit_learn(X):
    ours = MetricMDS().fit(X)
    theirs = manifold.MDS(init="classical_mds", n_init=1, max_iter=1000).fit(X)
    signs = np.sign(np.sum(ours.embedding_ * theirs.embedding_, axis=0))
    assert_allclose(ours.embedding_, signs * theirs.embedding_, atol=1e-8)
    assert ours.stress_ == pytest.approx(theirs.stress_)
    assert ours.n_iter_ == theirs.n_iter_


def test_square_input_is_not_taken_for_distances(X):
    Y = MetricMDS(5).fit_transform(X[:5])
    assert_allclose(pdist(Y), pdist(X[:5]))
