import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from scipy.special import expit, logsumexp
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.networks._rbm import (
    RBM,
    contrastive_divergence,
    hidden_means,
    train_rbm,
    train_stack,
)
from nldr.methods.networks.parametric_tsne_rbm import ParametricTSNERBM

RNG = np.random.default_rng(0)
BLOBS = RNG.standard_normal((90, 4)) + 30 * np.repeat(np.eye(4)[:3], 30, axis=0)
BLOB_OF = np.repeat(np.arange(3), 30)
SMALL = {"perplexity": 5, "hidden": (16, 8), "pretrain_epochs": 2, "random_state": 0}
STATES = np.array(list(itertools.product([0, 1], repeat=4)), float)
BARS = np.repeat([[1, 1, 0, 0], [0, 0, 1, 1]], 50, axis=0).astype(float)


def log_likelihood(rbm, rows):
    """Exact mean log-likelihood of rows of four binary units."""
    weights, visible, hidden = (np.asarray(part, float) for part in rbm)

    def minus_free_energy(v):
        return v @ visible + np.logaddexp(0, v @ weights + hidden).sum(axis=1)

    return np.mean(minus_free_energy(rows)) - logsumexp(minus_free_energy(STATES))


@pytest.mark.parametrize("gaussian", [False, True])
def test_contrastive_divergence_is_that_of_its_definition(gaussian):
    rbm = RBM(*(RNG.standard_normal(s).astype(np.float32) for s in [(4, 3), (4,), (3,)]))
    draws = RNG.uniform(size=(100, 3)).astype(np.float32)
    weights, visible, hidden = rbm
    up = BARS @ weights + hidden
    up = up if gaussian else expit(up)
    states = up + draws if gaussian else draws < up
    back = expit(states @ weights.T + visible)
    again = back @ weights + hidden
    again = again if gaussian else expit(again)
    ours = contrastive_divergence(rbm, np.float32(BARS), draws, gaussian=gaussian)
    pairs = [
        np.outer(v, h) - np.outer(b, a) for v, h, b, a in zip(BARS, up, back, again, strict=True)
    ]
    assert_allclose(ours.weights, np.mean(pairs, axis=0), atol=1e-5)
    assert_allclose(ours.visible, (BARS - back).mean(axis=0), atol=1e-5)
    assert_allclose(ours.hidden, (up - again).mean(axis=0), atol=1e-5)


def test_a_machine_learns_the_distribution_of_its_data():
    rbm = train_rbm(BARS, 6, np.random.RandomState(0), n_epochs=200, batch_size=20)
    untrained = train_rbm(BARS, 6, np.random.RandomState(0), n_epochs=0)
    assert log_likelihood(untrained, BARS) == pytest.approx(-4 * np.log(2), abs=0.5)
    assert log_likelihood(rbm, BARS) > -np.log(2) - 0.2


def test_machines_stand_one_on_another():
    options = {"n_epochs": 3, "batch_size": 20, "learning_rate": 0.1}
    lower, upper = train_stack(BARS, [5, 2], np.random.RandomState(0), **options)
    rng = np.random.RandomState(0)
    assert_array_equal(lower.weights, train_rbm(BARS, 5, rng, **options).weights)
    rows = np.asarray(hidden_means(lower, np.float32(BARS), gaussian=False))
    expected = train_rbm(rows, 2, rng, gaussian=True, **options | {"learning_rate": 0.001})
    assert_allclose(upper.weights, expected.weights, atol=1e-6)


def test_new_points_land_in_their_blob():
    model = ParametricTSNERBM(perplexity=10, hidden=(64, 32), random_state=0).fit(BLOBS)
    Y = model.transform(BLOBS)
    new = model.transform(BLOBS[::7] + 0.1)
    assert_array_equal(BLOB_OF[cdist(new, Y).argmin(axis=1)], BLOB_OF[::7])
    assert model.loss_[-1] < 0.7 * model.loss_[0]
    assert len(model.loss_) == len(model.validation_loss_) == model.n_epochs_


def test_pretraining_makes_a_difference_and_data_are_brought_to_the_unit_interval():
    model = ParametricTSNERBM(**SMALL, n_epochs=1).fit(BLOBS)
    scaled = (BLOBS - model.input_center_) / model.input_scale_
    assert (scaled.min(), scaled.max()) == (0, 1)
    plain = ParametricTSNERBM(**SMALL | {"pretrain_epochs": 0}, n_epochs=1).fit(BLOBS)
    assert np.abs(model.transform(BLOBS) - plain.transform(BLOBS)).max() > 1e-3


def test_two_fits_of_one_seed_are_identical():
    model = ParametricTSNERBM(**SMALL, n_epochs=2)
    one, same = model.fit_transform(BLOBS), model.fit_transform(BLOBS)
    assert_array_equal(one, same)
    assert np.any(one != model.set_params(random_state=1).fit_transform(BLOBS))


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        (BLOBS, {"perplexity": 0.9}, r"perplexity=0\.9 must be at least 1"),
        (np.ones((30, 3)), {}, "all 30 rows of X are equal"),
        (BLOBS, {"hidden": (0,)}, r"hidden=\(0,\): each layer needs at least one unit"),
    ],
)
def test_unusable_input_is_an_error(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        ParametricTSNERBM(**parameters).fit(X)


@pytest.mark.filterwarnings("ignore:perplexity=5 is too high")
@parametrize_with_checks(
    [ParametricTSNERBM(perplexity=5, hidden=(8,), pretrain_epochs=1, n_epochs=3)]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
