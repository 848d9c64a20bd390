import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.spatial.distance import pdist
from sklearn import manifold
from sklearn.exceptions import ConvergenceWarning

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


def test_stress_is_sum_over_pairs_and_stationary(X):
    mds = MetricMDS(max_iter=100_000, eps=1e-14).fit(X)

    def stress(flat):
        return np.sum((pdist(flat.reshape(-1, 2)) - pdist(X)) ** 2)

    Y = mds.embedding_.ravel()
    assert mds.stress_ == pytest.approx(stress(Y))
    # Central differences; the stress at the classical scaling has derivatives of order 100.
    slopes = [approx_fprime(Y, stress, step) for step in (1e-6, -1e-6)]
    assert_allclose(np.mean(slopes, axis=0), 0, atol=0.01)


def test_too_few_iterations_warn(X):
    message = "did not converge to a tolerance of 1e-06 within 3 iterations: increase max_iter"
    with pytest.warns(ConvergenceWarning, match=message) as record:
        mds = MetricMDS(max_iter=3).fit(X)
    assert record[0].filename == __file__
    assert mds.n_iter_ == 3


def test_square_input_is_not_taken_for_distances(X):
    Y = MetricMDS(5).fit_transform(X[:5])
    assert_allclose(pdist(Y), pdist(X[:5]))
