import warnings

import numpy as np
import pytest
import umap
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.umap import UMAP
from nldr.neighborhoods.graphs import DisconnectedGraphWarning

RNG = np.random.default_rng(0)
X = RNG.standard_normal((120, 6))
BLOBS = RNG.standard_normal((90, 3)) + 30 * np.repeat(np.eye(3), 30, axis=0)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_equals_that_of_umap_learn(n_components):
    ours = UMAP(n_components, min_dist=0.3, n_epochs=50, random_state=0).fit(X)
    theirs = umap.UMAP(
        n_components=n_components, min_dist=0.3, n_epochs=50, n_jobs=1,
        random_state=ours.umap_.random_state,
    )  # fmt: skip
    assert_array_equal(ours.embedding_, theirs.fit_transform(X))
    assert ours.n_connected_components_ == 1


def test_no_warning_where_there_is_nothing_to_say():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        UMAP(n_epochs=20, random_state=0).fit(X)


def test_neighbors_stay_neighbors():
    line = np.sort(RNG.uniform(0, 10, 100))[:, np.newaxis] * np.ones(4)
    Y = UMAP(random_state=0).fit_transform(line)
    nearest = (cdist(Y, Y) + np.diag(np.full(100, np.inf))).argmin(axis=1)
    assert np.abs(nearest - np.arange(100)).max() < 10


def test_parts_are_told_or_refused():
    model = UMAP(n_neighbors=5, n_epochs=20, random_state=0)
    with pytest.warns(DisconnectedGraphWarning, match=r"3 parts \(of 30, 30, 30 points\)"):
        model.fit(BLOBS)
    assert model.n_connected_components_ == 3
    with pytest.raises(ValueError, match="falls into 3 parts"):
        model.set_params(disconnected="error").fit(BLOBS)


def test_two_fits_of_one_seed_are_identical():
    model = UMAP(n_epochs=20, random_state=7)
    one, same = model.fit_transform(X), model.fit_transform(X)
    assert_array_equal(one, same)
    assert np.any(one != model.set_params(random_state=8).fit_transform(X))


def test_data_are_left_alone():
    before = X.copy()
    UMAP(n_epochs=5, random_state=0).fit(X)
    assert_array_equal(X, before)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 120}, "n_neighbors=120 is too high for 120 samples"),
        ({"n_neighbors": 1}, "'n_neighbors' parameter of UMAP must be"),
        ({"min_dist": 1.5}, "'min_dist' parameter of UMAP must be"),
    ],
)
def test_unusable_parameters_are_errors(parameters, message):
    with pytest.raises(ValueError, match=message):
        UMAP(**parameters).fit(X)


@pytest.mark.filterwarnings("ignore:the neighborhood graph", "ignore:Spectral initialization")
@parametrize_with_checks([UMAP(n_neighbors=5, n_epochs=10)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
