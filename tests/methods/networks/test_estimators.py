"""Behavior that all estimators of the family share."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from nldr.methods.networks.autoencoder import VAE, Autoencoder
from nldr.methods.networks.dlmp import DLMP
from nldr.methods.networks.parametric_tsne import ParametricTSNE
from nldr.methods.networks.parametric_tsne_rbm import ParametricTSNERBM
from nldr.methods.networks.parametric_umap import ParametricUMAP

TRAINING = {"hidden": (8,), "n_epochs": 3, "random_state": 0}
ESTIMATORS = [
    Autoencoder(**TRAINING),
    VAE(**TRAINING),
    DLMP(perplexity=5, n_iter=260, **TRAINING),
    ParametricTSNE(perplexity=5, **TRAINING),
    ParametricTSNERBM(perplexity=5, pretrain_epochs=1, **TRAINING),
    ParametricUMAP(n_neighbors=3, **TRAINING),
]


@pytest.fixture(scope="module", params=ESTIMATORS, ids=lambda one: type(one).__name__)
def fitted(request, blobs):
    return clone(request.param).fit(blobs)


def test_embedding_is_the_network_output_for_the_scaled_rows_after_the_epochs(fitted, blobs):
    assert fitted.embedding_.dtype == np.float32
    assert_array_equal(fitted.embedding_, fitted.transform(blobs))
    scaled = (blobs - fitted.input_center_) / fitted.input_scale_
    assert_allclose(fitted.embedding_, fitted.network_(scaled.astype(np.float32)), atol=1e-5)
    # The history has one entry per epoch
    assert (fitted.n_epochs_, fitted.stop_reason_) == (3, "n_epochs")
    assert len(fitted.loss_) == len(fitted.validation_loss_) == 3
    assert np.isfinite([*fitted.loss_, *fitted.validation_loss_]).all()
    assert fitted.n_steps_ % 3 == 0


def test_saved_and_pickled_models_transform_identically(fitted, blobs, tmp_path):
    new = blobs + 0.1
    fitted.save(tmp_path / "model.npz")
    loaded = type(fitted).load(tmp_path / "model.npz")
    for restored in (loaded, pickle.loads(pickle.dumps(fitted))):
        assert_array_equal(restored.transform(new), fitted.transform(new))
        assert_array_equal(restored.embedding_, fitted.embedding_)
        if hasattr(fitted, "inverse_transform"):
            Y = fitted.embedding_[:5]
            assert_array_equal(restored.inverse_transform(Y), fitted.inverse_transform(Y))
    assert loaded.n_features_in_ == 4
    # Equal parameters, hence an equal fit
    assert repr(loaded.get_params()) == repr(fitted.get_params() | {"hidden": [8]})


def test_loaded_model_knows_the_names_of_its_features(blobs, tmp_path):
    frame = pd.DataFrame(blobs, columns=["a", "b", "c", "d"])
    rng = np.random.RandomState(0)
    model = Autoencoder(hidden=(8,), n_epochs=1, random_state=rng).fit(frame)
    model.save(tmp_path / "model.npz")
    restored = Autoencoder.load(tmp_path / "model.npz")
    assert restored.random_state is None
    assert_array_equal(restored.transform(frame), model.embedding_)
    with pytest.raises(ValueError, match="feature names should match"):
        restored.transform(frame.rename(columns={"a": "z"}))


def test_loading_another_class_or_file_raises(blobs, tmp_path):
    with pytest.raises(NotFittedError):
        Autoencoder().save(tmp_path / "model.npz")
    Autoencoder(hidden=(8,), n_epochs=1).fit(blobs).save(tmp_path / "model.npz")
    with pytest.raises(
        ValueError, match=r"is of class Autoencoder: load it with Autoencoder\.load"
    ):
        VAE.load(tmp_path / "model.npz")
    np.savez(tmp_path / "other.npz", X=np.eye(2))
    with pytest.raises(ValueError, match=r"other\.npz was not written by Autoencoder\.save"):
        Autoencoder.load(tmp_path / "other.npz")
