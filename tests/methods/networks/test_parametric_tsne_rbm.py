import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist

from nldr.methods.networks.parametric_tsne_rbm import ParametricTSNERBM

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


def test_input_is_scaled_to_the_unit_interval(blobs):
    X, _ = blobs
    model = ParametricTSNERBM(**SMALL, pretrain_epochs=0).fit(X)
    scaled = (X - model.input_center_) / model.input_scale_
    assert (scaled.min(), scaled.max()) == (0, 1)


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        (np.eye(30), {"perplexity": 0.9}, r"perplexity=0\.9 must be at least 1"),
        (np.ones((30, 3)), {}, "all 30 rows of X are equal"),
    ],
)
def test_invalid_input_raises(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        ParametricTSNERBM(**SMALL | parameters).fit(X)
