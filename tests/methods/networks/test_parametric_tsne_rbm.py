import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from nldr.methods.networks.parametric_tsne_rbm import ParametricTSNERBM, visible_units

SMALL = {"perplexity": 5, "hidden": (8,), "n_epochs": 1, "random_state": 0}


def test_pretraining_changes_the_embedding_and_widens_the_gap_of_free_energies(blobs):
    plain, pretrained = (ParametricTSNERBM(**SMALL, pretrain_epochs=n).fit(blobs) for n in (0, 100))
    assert np.abs(pretrained.embedding_ - plain.embedding_).max() > 1e-3
    assert plain.free_energy_gap_ < pretrained.free_energy_gap_


def test_input_is_scaled_as_the_visible_units_need_it(blobs):
    model = ParametricTSNERBM(**SMALL, pretrain_epochs=0, visible="binary").fit(blobs)
    scaled = (blobs - model.input_center_) / model.input_scale_
    assert (scaled.min(), scaled.max()) == (0, 1)
    assert len(np.unique(model.input_scale_)) == 1
    model.set_params(visible="gaussian").fit(blobs)
    scaled = (blobs - model.input_center_) / model.input_scale_
    assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
    assert_allclose(scaled.std(axis=0), 1)


def test_visible_units_are_chosen_by_the_variance(rng, blobs):
    binary = rng.random((200, 6)) < [0.1, 0.3, 0.5, 0.5, 0.8, 0.9]
    assert visible_units(5 * binary + 3.0) == "binary"
    # Gray values in the middle of the range have less variance
    assert visible_units(np.vstack([np.eye(6), 0.5 + 0.1 * rng.random((200, 6))])) == "gaussian"
    auto, same = (
        ParametricTSNERBM(**SMALL, pretrain_epochs=1, visible=visible).fit(blobs)
        for visible in ("auto", visible_units(blobs))
    )
    assert auto.visible_ == same.visible_
    assert_array_equal(auto.embedding_, same.embedding_)
