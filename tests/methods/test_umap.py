import warnings

import numpy as np
import pytest
import umap
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.umap import UMAP
from nldr.neighborhoods.graphs import DisconnectedGraphWarning


@pytest.fixture
def X(rng):
    return rng.standard_normal((120, 6))


@pytest.fixture
def clusters(rng):
    """Three cubes of 30 points, 42 apart."""
    return rng.uniform(-2, 2, (90, 3)) + 30 * np.repeat(np.eye(3), 30, axis=0)


@pytest.mark.parametrize("n_components", [1, 3])
def test_equals_umap_learn(n_components, X):
    ours = UMAP(n_components, min_dist=0.3, n_epochs=50, random_state=0).fit(X)
    theirs = umap.UMAP(
        n_components=n_components,
        min_dist=0.3,
        n_epochs=50,
        n_jobs=1,
        random_state=ours.umap_.random_state,
    )
    assert_array_equal(ours.embedding_, theirs.fit_transform(X))
    assert ours.n_connected_components_ == 1


def test_connected_graph_does_not_warn(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        UMAP(n_epochs=20, random_state=0).fit(X)


def test_order_on_line_is_preserved(rng):
    line = np.sort(rng.uniform(0, 10, 100))[:, np.newaxis] * np.ones(4)
    Y = UMAP(random_state=0).fit_transform(line)
    nearest = (cdist(Y, Y) + np.diag(np.full(100, np.inf))).argmin(axis=1)
    assert np.abs(nearest - np.arange(100)).max() < 10


def test_disconnected_graph_warns_or_raises(clusters):
    model = UMAP(n_neighbors=8, n_epochs=20, random_state=0)
    message = r"3 connected components \(of 30, 30, 30 points\): UMAP arranges them by their means"
    with pytest.warns(DisconnectedGraphWarning, match=message) as record:
        model.fit(clusters)
    assert [w.filename for w in record if w.category is DisconnectedGraphWarning] == [__file__]
    assert model.n_connected_components_ == 3
    with pytest.raises(ValueError, match=message):
        model.set_params(disconnected="error").fit(clusters)


def test_transform_equals_umap_learn(X, rng):
    model = UMAP(n_epochs=30, random_state=0).fit(X[:100])
    new = X[100:]
    assert_array_equal(model.transform(new), model.umap_.transform(new.astype(np.float32)))
    # Neither the training rows nor the order of the new rows matters
    assert_array_equal(model.transform(X[:100][::-1]), model.embedding_[::-1])
    mixed = np.vstack([X[:3], new])
    assert_array_equal(model.transform(mixed)[:3], model.embedding_[:3])
    assert_array_equal(model.transform(mixed)[3:], model.transform(new))


@pytest.mark.filterwarnings("ignore:the neighborhood graph", "ignore:Spectral initialization")
def test_new_rows_are_placed_in_their_cluster(clusters):
    labels = np.repeat(np.arange(3), 30)
    model = UMAP(n_neighbors=8, n_epochs=60, random_state=0).fit(clusters)
    new = model.transform(clusters[::4] + 0.1)
    assert_array_equal(labels[cdist(new, model.embedding_).argmin(axis=1)], labels[::4])


def test_a_single_epoch_places_new_rows_too(X):
    # umap-learn divides the number of epochs by three for new rows
    model = UMAP(n_epochs=1, random_state=0).fit(X[:100])
    assert np.isfinite(model.transform(X[100:])).all()


def test_repeated_fits_with_same_seed_are_identical(X):
    model = UMAP(n_epochs=20, random_state=7)
    one, same = model.fit_transform(X), model.fit_transform(X)
    assert_array_equal(one, same)
    assert np.any(one != model.set_params(random_state=8).fit_transform(X))


def test_data_are_not_modified(X):
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
def test_invalid_parameters_raise(parameters, message, X):
    with pytest.raises(ValueError, match=message):
        UMAP(**parameters).fit(X)


@pytest.mark.filterwarnings("ignore:the neighborhood graph", "ignore:Spectral initialization")
@parametrize_with_checks([UMAP(n_neighbors=5, n_epochs=10)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
