import jax
import jax.numpy as jnp
import numpy as np
import pytest
import umap
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.networks.parametric_umap import (
    ParametricUMAP,
    cross_entropy,
    curve,
    draw,
    fuzzy_graph,
)

RNG = np.random.default_rng(0)
BLOBS = RNG.standard_normal((90, 4)) + 30 * np.repeat(np.eye(4)[:3], 30, axis=0)
BLOB_OF = np.repeat(np.arange(3), 30)
SMALL = {"n_neighbors": 5, "hidden": (16,), "random_state": 0}


def places(Y):
    """The identity in place of a network."""
    return Y


def test_graph_and_curve_are_those_of_umap_learn():
    X = RNG.standard_normal((120, 6))
    theirs = umap.UMAP(n_neighbors=7, min_dist=0.3, n_epochs=1, random_state=0, n_jobs=1).fit(X)
    assert_allclose(fuzzy_graph(X, 7).toarray(), theirs.graph_.toarray(), atol=1e-5)
    assert_allclose(curve(0.3), (theirs._a, theirs._b))


def test_loss_is_the_cross_entropy():
    Y = RNG.standard_normal((20, 2))
    heads, tails = np.array([0, 3, 5]), np.array([1, 4, 9])
    others = np.array([[1, 2, 0], [2, 2, 1]])
    a, b = 1.5, 0.9
    loss = cross_entropy(places, (jnp.float32(Y), jnp.array([a, b])), (heads, tails, others))

    def q(i, j):
        return 1 / (1 + a * (np.sum((Y[i] - Y[j]) ** 2, axis=-1) + 1e-3) ** b)

    pairs = np.concatenate([np.log(1 - q(heads, tails[row])) for row in others])
    expected = -np.mean(np.concatenate([np.log(q(heads, tails)), pairs]))
    assert loss == pytest.approx(expected, rel=1e-5)


def test_gradient_is_finite_where_points_coincide():
    batch = np.array([0, 1]), np.array([1, 2]), np.array([[1, 0]])
    parameters = jnp.array([1.5, 0.9])
    gradient = jax.grad(lambda Y: cross_entropy(places, (Y, parameters), batch))(jnp.zeros((3, 2)))
    assert_array_equal(gradient, np.zeros((3, 2)))


def test_draws_follow_the_weights():
    counts = np.bincount(draw(np.array([1.0, 0.0, 3.0]), 40000, np.random.RandomState(0)))
    assert counts[1] == 0
    assert counts[2] / 40000 == pytest.approx(0.75, abs=0.01)


@pytest.fixture(scope="module")
def fitted():
    return ParametricUMAP(n_neighbors=10, hidden=(64, 32), random_state=0, batch_size=100).fit(
        BLOBS
    )


def test_new_points_land_in_their_blob(fitted):
    Y = fitted.transform(BLOBS)
    new = fitted.transform(BLOBS[::7] + 0.1)
    assert_array_equal(BLOB_OF[cdist(new, Y).argmin(axis=1)], BLOB_OF[::7])
    centers = Y.reshape(3, 30, 2).mean(axis=1)
    assert np.linalg.norm(Y - centers[BLOB_OF]) < 0.5 * np.linalg.norm(Y - Y.mean(axis=0))


def test_the_loss_falls(fitted):
    assert fitted.loss_[-1] < 0.7 * fitted.loss_[0]
    assert fitted.validation_loss_.min() < 0.7 * fitted.validation_loss_[0]
    assert len(fitted.loss_) == fitted.n_epochs_


def test_an_epoch_draws_the_heaviest_edge_once_on_average():
    model = ParametricUMAP(**SMALL, batch_size=10, n_epochs=1, validation_fraction=0).fit(BLOBS)
    n_edges = model.graph_.data.sum() / model.graph_.data.max()
    assert model.n_steps_ == np.ceil(round(n_edges) / 10)


def test_two_fits_of_one_seed_are_identical():
    model = ParametricUMAP(**SMALL, n_epochs=3)
    one, same = model.fit_transform(BLOBS), model.fit_transform(BLOBS)
    assert_array_equal(one, same)
    assert np.any(one != model.set_params(random_state=1).fit_transform(BLOBS))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 90}, "n_neighbors=90 is too high for 90 samples"),
        ({"n_neighbors": 1}, "'n_neighbors' parameter of ParametricUMAP must be"),
        ({"hidden": (0,)}, r"hidden=\(0,\): each layer needs at least one unit"),
    ],
)
def test_unusable_parameters_are_errors(parameters, message):
    with pytest.raises(ValueError, match=message):
        ParametricUMAP(**parameters).fit(BLOBS)


@parametrize_with_checks([ParametricUMAP(n_neighbors=3, hidden=(8,), n_epochs=3)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
