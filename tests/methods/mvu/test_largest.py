import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.mvu.largest import LargestComponentMVU
from nldr.methods.mvu.mvu import MVU

RNG = np.random.default_rng(0)
CLOUD = RNG.standard_normal((40, 3))
FAR = RNG.standard_normal((15, 3)) + 50


def test_largest_component_is_unfolded_as_if_alone():
    X = np.concatenate([FAR, CLOUD])
    largest = LargestComponentMVU(n_neighbors=6).fit(X)
    assert largest.n_connected_components_ == 2
    assert_array_equal(largest.embedding_[15:], MVU(n_neighbors=6).fit_transform(CLOUD))


def test_other_points_are_weighted_means_of_their_nearest():
    sheet = np.column_stack([RNG.uniform(0, 1, (60, 2)), np.zeros(60)])
    above = np.add(sheet[20:26], [0, 0, 5])
    largest = LargestComponentMVU(n_neighbors=5).fit(np.concatenate([sheet, above]))
    assert largest.n_connected_components_ == 2
    # Nearest to a point above the sheet is its foot, and the four next to that.
    feet = largest.embedding_[20:26]
    assert np.linalg.norm(largest.embedding_[60:] - feet, axis=1).max() < 0.25
    near = np.argsort(np.linalg.norm(sheet - above[0], axis=1))[:5]
    weights = np.linalg.lstsq(
        np.vstack([largest.embedding_[near].T, np.ones(5)]), np.append(largest.embedding_[60], 1)
    )[0]
    assert_allclose(weights @ largest.embedding_[near], largest.embedding_[60])


def test_connected_data_are_unfolded_whole():
    assert_array_equal(
        LargestComponentMVU(n_neighbors=6).fit_transform(CLOUD),
        MVU(n_neighbors=6).fit_transform(CLOUD),
    )


def test_too_many_components_are_an_error():
    with pytest.raises(ValueError, match="n_components=41 is too high for 40 samples"):
        LargestComponentMVU(41).fit(CLOUD)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([LargestComponentMVU()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
