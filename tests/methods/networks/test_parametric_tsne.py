from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from nldr.methods.networks import _training
from nldr.methods.networks.parametric_tsne import ParametricTSNE

# Fits with these parameters, without further ones that compile, share compiled functions
SMALL = {"perplexity": 5, "hidden": (8,), "random_state": 0}


def test_training_stops_when_the_validation_loss_stops_decreasing(blobs):
    model = ParametricTSNE(**SMALL, exaggeration_iter=0, tol=10, n_iter_no_change=3)
    model.fit(blobs)
    assert (model.n_epochs_, model.stop_reason_) == (4, "validation_loss")
    # Early stopping starts after early exaggeration
    assert clone(model).set_params(exaggeration_iter=6).fit(blobs).n_epochs_ == 10


def test_exaggeration_counts_steps_or_epochs(blobs):
    def weights(**parameters):
        model = ParametricTSNE(**SMALL, batch_size=27, n_epochs=4, **parameters).fit(blobs)
        assert model.n_steps_ == 12
        return np.asarray(model.network_.weights[0])

    two_epochs = weights(exaggeration_iter=2, exaggeration_unit="epochs")
    assert_array_equal(two_epochs, weights(exaggeration_iter=6))
    assert np.any(two_epochs != weights(exaggeration_iter=5))
    assert_array_equal(weights(early_exaggeration=1), weights(exaggeration_iter=0))


@pytest.mark.parametrize(
    ("variant", "changed"),
    [
        ({"loss": "released"}, {"loss"}),
        ({"activation": "sigmoid"}, {"activation"}),
        ({"optimizer": "sgd"}, {"optimizer"}),
        ({"final_learning_rate": 1e-7}, {"optimizer"}),
        ({"clip": 1e-4}, {"optimizer"}),
        ({"exaggeration": 2.0}, {"factors", "held_out"}),
        ({"input_scaling": "none"}, {"data"}),
        ({"input_scaling": "features"}, {"data"}),
    ],
)
def test_settings_change_their_part_of_the_training(variant, changed, blobs, monkeypatch):
    """What each part does is tested with it: to train eight networks takes their compilation."""
    trainings = []

    def keep(network, loss, data, make_batches, held_out, optimizer, *_):
        parts = {"activation": network.activation, "loss": loss, "data": data.tolist()}
        # The factors of an epoch after early exaggeration
        parts |= {"factors": make_batches(1)[2].tolist(), "held_out": held_out[2].tolist()}
        trainings.append(parts | {"optimizer": optimizer})
        return SimpleNamespace(model=network)

    monkeypatch.setattr(_training, "train", keep)
    for params in ({}, variant):
        model = ParametricTSNE(**SMALL, exaggeration_iter=1, **params)
        model._fit_network(blobs * [1, 2, 3, 4], [4, 8, 2], np.random.RandomState(0))
    default, other = trainings
    assert {part for part in default if default[part] != other[part]} == changed


@pytest.mark.parametrize("input_scaling", ["range", "global"])
def test_embedding_does_not_depend_on_units_and_origin(input_scaling, blobs):
    # Adam would amplify rounding errors of small gradients
    sgd = {"n_epochs": 5, "optimizer": "sgd", "learning_rate": 0.05}
    one, other = (
        ParametricTSNE(**SMALL, **sgd, input_scaling=input_scaling).fit_transform(X)
        for X in (blobs, 1000 * blobs + 7)
    )
    assert_allclose(one, other, atol=1e-3)


def test_feature_scaling_standardizes_features_that_vary(blobs):
    X = blobs * [1, 2, 3, 0]
    model = ParametricTSNE(**SMALL, input_scaling="features", n_epochs=1).fit(X)
    scaled = (X - model.input_center_) / model.input_scale_
    assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
    assert_allclose(scaled.std(axis=0), [1, 1, 1, 0])
