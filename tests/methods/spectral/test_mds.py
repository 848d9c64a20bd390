import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from scipy.spatial.distance import pdist
from sklearn import manifold
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.spectral.mds import MetricMDS

X = np.random.default_rng(0).standard_normal((60, 5)) * [5, 4, 3, 2, 1]


def test_equals_that_of_scikit_learn():
    ours = MetricMDS().fit(X)
    theirs = manifold.MDS(init="classical_mds", n_init=1, max_iter=1000).fit(X)
    signs = np.sign(np.sum(ours.embedding_ * theirs.embedding_, axis=0))
    assert_allclose(ours.embedding_, signs * theirs.embedding_, atol=1e-8)
    assert ours.stress_ == pytest.approx(theirs.stress_)
    assert ours.n_iter_ == theirs.n_iter_


def test_stress_is_the_sum_over_pairs_and_stationary():
    mds = MetricMDS(max_iter=100_000, eps=1e-14).fit(X)

    def stress(flat):
        return np.sum((pdist(flat.reshape(-1, 2)) - pdist(X)) ** 2)

    Y = mds.embedding_.ravel()
    assert mds.stress_ == pytest.approx(stress(Y))
    assert_allclose(approx_fprime(Y, stress, 1e-6), 0, atol=0.01)


def test_distances_that_fit_are_kept():
    Y = MetricMDS(5).fit_transform(X)
    assert_allclose(pdist(Y), pdist(X))


def test_ends_below_classical_scaling_and_a_random_start():
    start = manifold.ClassicalMDS().fit_transform(X)
    random = manifold.MDS(init="random", n_init=1, random_state=0).fit(X)
    stress = MetricMDS().fit(X).stress_
    assert stress < np.sum((pdist(start) - pdist(X)) ** 2)
    assert stress < 1.01 * random.stress_


def test_too_few_steps_are_a_convergence_warning():
    with pytest.warns(ConvergenceWarning, match="within 3 steps: raise max_iter"):
        mds = MetricMDS(max_iter=3).fit(X)
    assert mds.n_iter_ == 3


def test_two_fits_are_identical():
    assert_array_equal(MetricMDS().fit_transform(X), MetricMDS().fit_transform(X))


def test_square_data_are_data():
    assert MetricMDS().fit_transform(X[:5]).shape == (5, 2)


def test_more_components_than_features_are_an_error():
    with pytest.raises(ValueError, match="n_components=6"):
        MetricMDS(6).fit(X)


@parametrize_with_checks([MetricMDS(), MetricMDS(1)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
