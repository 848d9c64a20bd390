import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from nldr.methods.networks.parametric_tsne_rbm import ParametricTSNERBM, visible_units

SMALL = {"perplexity": 5, "hidden": (8,), "n_epochs": 1, "random_state": 0}


def test_new_points_are_embedded_in_their_cluster(blobs):
    X, labels = blobs
    model = ParametricTSNERBM(perplexity=10, hidden=(64, 32), n_epochs=100, random_state=0).fit(X)
    new = model.transform(X[::7] + 0.1)
    assert_array_equal(labels[cdist(new, model.embedding_).argmin(axis=1)], labels[::7])
    assert model.loss_[-1] < 0.9 * model.loss_[0]


def test_pretraining_changes_the_embedding(blobs):
    X, _ = blobs
    pretrained = ParametricTSNERBM(**SMALL, pretrain_epochs=2).fit(X)
    plain = ParametricTSNERBM(**SMALL, pretrain_epochs=0).fit(X)
    assert np.abs(pretrained.embedding_ - plain.embedding_).max() > 1e-3


def test_input_is_scaled_as_the_visible_units_need_it(blobs):
    X, _ = blobs
    model = ParametricTSNERBM(**SMALL, pretrain_epochs=0, visible="binary").fit(X)
    scaled = (X - model.input_center_) / model.input_scale_
    assert (scaled.min(), scaled.max()) == (0, 1)
    assert len(np.unique(model.input_scale_)) == 1
    model.set_params(visible="gaussian").fit(X)
    scaled = (X - model.input_center_) / model.input_scale_
    assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
    assert_allclose(scaled.std(axis=0), 1)


def test_visible_units_are_chosen_by_the_variance(rng):
    binary = rng.random((200, 6)) < [0.1, 0.3, 0.5, 0.5, 0.8, 0.9]
    assert visible_units(5 * binary + 3.0) == "binary"
    # Gray values in the middle of the range have less variance
    assert visible_units(np.vstack([np.eye(6), 0.5 + 0.1 * rng.random((200, 6))])) == "gaussian"


def test_automatic_visible_units_are_those_chosen_by_the_variance(blobs):
    X, _ = blobs
    auto, same = (
        ParametricTSNERBM(**SMALL, pretrain_epochs=1, visible=visible).fit(X)
        for visible in ("auto", visible_units(X))
    )
    assert auto.visible_ == same.visible_
    assert_array_equal(auto.embedding_, same.embedding_)


def test_free_energy_gap_tells_whether_the_pretraining_learned_anything(blobs):
    X, _ = blobs
    gaps = [ParametricTSNERBM(**SMALL, pretrain_epochs=n).fit(X).free_energy_gap_ for n in (0, 100)]
    assert gaps[0] < gaps[1]
