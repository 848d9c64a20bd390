import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from openTSNE.affinity import PerplexityBasedNN
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from scipy.special import xlogy
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.networks._training import equal_batches, forward, glorot, load_weights
from nldr.methods.networks.parametric_tsne import (
    ParametricTSNE,
    affinities,
    kl_loss,
    released_loss,
    sub_affinities,
)
from nldr.methods.tsne import exact_gradient

RNG = np.random.default_rng(0)
BLOBS = RNG.standard_normal((90, 4)) + 30 * np.repeat(np.eye(4)[:3], 30, axis=0)
BLOB_OF = np.repeat(np.arange(3), 30)
SMALL = {"perplexity": 5, "hidden": (16,), "random_state": 0}


def full(upper):
    return (upper + upper.T).toarray()


def one_batch(n_components, factor=1.0):
    """Free places of 30 points, and the batch that holds them all."""
    X = np.random.default_rng(1).standard_normal((30, 10))
    Y = np.random.default_rng(2).standard_normal((30, n_components))
    rows = np.arange(30).reshape(1, 30)
    upper = affinities(X, 5)
    batch = rows[0], sub_affinities(upper, rows)[0], np.float32(factor)
    return jnp.asarray(Y, jnp.float32), full(upper), batch


def places(Y):
    """The identity in place of a network: the coordinates themselves are free."""
    return Y


@pytest.mark.parametrize("n_components", [1, 2, 3, 5])
def test_loss_of_the_whole_set_and_its_gradient_are_those_of_tsne(n_components):
    Y, P, batch = one_batch(n_components)
    value, gradient = jax.value_and_grad(lambda Y: kl_loss(places, Y, batch))(Y)
    # openTSNE's kernel with α is Student's of ν degrees of freedom, of places √(α/ν) smaller.
    nu = max(n_components - 1, 1)
    alpha = (nu + 1) / 2
    scale = np.sqrt(alpha / nu)
    other = np.asarray(Y, np.float64) * scale
    divergence, quarter = exact_gradient(other, csr_matrix(P), alpha, should_eval_error=True)
    assert value == pytest.approx(divergence, abs=1e-5)
    assert_allclose(gradient, 4 * quarter * scale, atol=1e-5)


@pytest.mark.parametrize("exaggeration", [1.0, 4.0])
def test_gradient_of_a_batch_is_that_of_equations_5_and_8(exaggeration):
    X = np.random.default_rng(3).standard_normal((50, 6)).astype(np.float32)
    network = glorot((6, 20, 2), "leaky_relu", np.random.RandomState(0))
    upper = affinities(X, 5)
    rows = equal_batches(np.arange(50), 20, np.random.RandomState(0))
    batch = rows[1], sub_affinities(upper, rows)[1], np.float32(exaggeration)
    ours = jax.grad(kl_loss)(network, X, batch)
    Y, pull_back = jax.vjp(lambda network: network(X[rows[1]]), network)
    p = full(upper)[np.ix_(rows[1], rows[1])]
    w = 1 / (1 + cdist(Y, Y, "sqeuclidean"))
    q = w - np.eye(len(w))
    weights = (exaggeration * p / p.sum() - q / q.sum()) * w
    slopes = 4 * (weights.sum(axis=1, keepdims=True) * np.asarray(Y) - weights @ np.asarray(Y))
    expected = pull_back(slopes.astype(np.float32))[0]
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(expected), strict=True):
        assert_allclose(a, b, atol=1e-5)


def test_released_loss_is_that_of_the_released_code():
    Y, P, batch = one_batch(2, factor=4.0)
    w = 1 / (1 + cdist(Y, Y, "sqeuclidean"))
    q = w / w.sum()
    expected = np.sum(xlogy(4 * P, 4 * P) - 4 * P * np.log(q))
    assert released_loss(places, Y, batch) == pytest.approx(expected, rel=1e-5)


def test_a_batch_without_neighbors_has_no_loss():
    Y, _, (rows, p, factor) = one_batch(2)
    value, gradient = jax.value_and_grad(lambda Y: kl_loss(places, Y, (rows, 0 * p, factor)))(Y)
    assert value == 0
    assert_array_equal(gradient, np.zeros((30, 2)))


def test_affinities_are_those_of_opentsne_and_sum_to_one():
    upper = affinities(BLOBS, 7)
    assert_allclose(full(upper), PerplexityBasedNN(BLOBS, 7, method="exact").P.toarray())
    assert 2 * upper.sum() == pytest.approx(1)


@pytest.mark.parametrize("batch_size", [7, 40, 90])
def test_sub_affinities_are_the_blocks_of_the_whole(batch_size):
    upper = affinities(BLOBS, 7)
    rows = equal_batches(np.arange(3, 90), batch_size, np.random.RandomState(0))
    blocks = sub_affinities(upper, rows)
    assert blocks.dtype == np.float32
    for batch, block in zip(rows, blocks, strict=True):
        assert_allclose(block, full(upper)[np.ix_(batch, batch)], rtol=1e-6)


@pytest.fixture(scope="module")
def fitted():
    return ParametricTSNE(
        perplexity=10, hidden=(64, 32), n_epochs=100, exaggeration_iter=20, random_state=0
    ).fit(BLOBS)


def test_new_points_land_in_their_blob(fitted):
    Y = fitted.transform(BLOBS)
    new = fitted.transform(BLOBS[::7] + 0.1)
    assert_array_equal(BLOB_OF[cdist(new, Y).argmin(axis=1)], BLOB_OF[::7])
    centers = Y.reshape(3, 30, 2).mean(axis=1)
    within = np.linalg.norm(Y - centers[BLOB_OF])
    assert within < 0.5 * np.linalg.norm(Y - Y.mean(axis=0))


def test_the_loss_falls_and_its_course_is_told(fitted):
    assert fitted.loss_[-1] < 0.9 * fitted.loss_[20]
    assert len(fitted.loss_) == len(fitted.validation_loss_) == fitted.n_epochs_ == 100
    assert (fitted.n_steps_, fitted.stop_reason_) == (100, "n_epochs")
    assert fitted.validation_loss_[-1] < 0.7 * fitted.validation_loss_[0]


def test_training_ends_where_the_validation_loss_stops_falling():
    model = ParametricTSNE(**SMALL, exaggeration_iter=0, tol=10, n_iter_no_change=3).fit(BLOBS)
    assert (model.n_epochs_, model.stop_reason_) == (4, "validation_loss")
    exaggerated = model.set_params(exaggeration_iter=6).fit(BLOBS)
    assert exaggerated.n_epochs_ == 10


def test_without_validation_rows_training_goes_on():
    model = ParametricTSNE(**SMALL, validation_fraction=0, n_epochs=30, tol=10).fit(BLOBS)
    assert (model.n_epochs_, len(model.validation_loss_)) == (30, 0)


def test_exaggeration_is_counted_in_steps_or_epochs():
    def weights(**parameters):
        model = ParametricTSNE(**SMALL, batch_size=27, n_epochs=4, **parameters).fit(BLOBS)
        assert model.n_steps_ == 12
        return np.asarray(model.network_.weights[0])

    two_epochs = weights(exaggeration_iter=2, exaggeration_unit="epochs")
    assert_array_equal(two_epochs, weights(exaggeration_iter=6))
    assert np.any(two_epochs != weights(exaggeration_iter=5))
    assert_array_equal(weights(early_exaggeration=1), weights(exaggeration_iter=0))


@pytest.mark.parametrize(
    "variant",
    [
        {"loss": "released"},
        {"activation": "sigmoid"},
        {"optimizer": "sgd"},
        {"final_learning_rate": 1e-7},
        {"clip": 1e-4},
        {"exaggeration": 2.0, "exaggeration_iter": 1},
        {"input_scaling": "none"},
        {"input_scaling": "features"},
    ],
)
def test_each_variant_makes_a_difference(variant):
    X = BLOBS * [1, 2, 3, 4]
    plain = ParametricTSNE(**SMALL, n_epochs=3).fit(X).transform(X)
    other = ParametricTSNE(**SMALL, n_epochs=3, **variant).fit(X).transform(X)
    assert np.abs(plain - other).max() > 1e-6


@pytest.mark.parametrize("input_scaling", ["range", "global"])
def test_scaled_as_a_whole_the_unit_of_the_data_is_of_no_account(input_scaling):
    def embedding(X):
        return ParametricTSNE(**SMALL, input_scaling=input_scaling, n_epochs=5).fit_transform(X)

    assert_allclose(embedding(BLOBS), embedding(1000 * BLOBS + 7), atol=1e-3)


def test_the_range_of_the_data_is_brought_to_the_unit_interval():
    model = ParametricTSNE(**SMALL, input_scaling="range", n_epochs=1).fit(BLOBS)
    seen = (BLOBS - model.input_center_) / model.input_scale_
    assert (seen.min(), seen.max()) == (0, 1)
    assert len(np.unique(model.input_scale_)) == 1


def test_features_are_standardized_for_the_network_alone():
    X = np.column_stack([BLOBS, np.ones(90)])
    model = ParametricTSNE(**SMALL, input_scaling="features", n_epochs=1).fit(X)
    seen = (X - model.input_center_) / model.input_scale_
    assert_allclose(seen.std(axis=0), [1, 1, 1, 1, 0])
    assert_allclose(model.transform(X), forward(model.network_, seen), atol=1e-6)


def test_two_fits_of_one_seed_are_identical():
    model = ParametricTSNE(**SMALL, n_epochs=3)
    one, same = model.fit_transform(BLOBS), model.fit_transform(BLOBS)
    assert_array_equal(one, same)
    assert np.any(one != model.set_params(random_state=1).fit_transform(BLOBS))


def test_saved_and_pickled_models_place_points_bit_by_bit(fitted, tmp_path):
    expected = fitted.transform(BLOBS)
    assert_array_equal(pickle.loads(pickle.dumps(fitted)).transform(BLOBS), expected)
    fitted.save_weights(tmp_path / "weights.npz")
    fitted.network_ = load_weights(tmp_path / "weights.npz")
    assert_array_equal(fitted.transform(BLOBS), expected)


def test_too_high_a_perplexity_is_lowered_with_a_warning():
    with pytest.warns(UserWarning, match="perplexity=50 is too high for 31 samples, 10 is used"):
        model = ParametricTSNE(hidden=(8,), n_epochs=1).fit(BLOBS[:31])
    assert model.perplexity_ == 10


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        (BLOBS[:3], {"perplexity": 1}, r"3 sample\(s\).*minimum of 4"),
        (BLOBS, {"perplexity": 0.9}, r"perplexity=0\.9 must be at least 1"),
        (np.ones((30, 3)), {}, "all 30 rows of X are equal"),
        (BLOBS, {"hidden": (8, 0)}, r"hidden=\(8, 0\): each layer needs at least one unit"),
        (BLOBS, {"loss": "js"}, "'loss' parameter of ParametricTSNE must be"),
    ],
)
def test_unusable_input_is_an_error(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        ParametricTSNE(**{"perplexity": 5} | parameters).fit(X)


@pytest.mark.filterwarnings("ignore:perplexity=5 is too high")
@parametrize_with_checks([ParametricTSNE(perplexity=5, hidden=(8,), n_epochs=5)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
