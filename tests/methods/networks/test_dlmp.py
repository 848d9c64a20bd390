import numpy as np
import pytest
from numpy.testing import assert_allclose

from nldr.methods.networks.dlmp import DLMP
from nldr.methods.tsne import TSNE


@pytest.fixture(scope="module")
def fitted(blobs):
    return DLMP(
        perplexity=5, n_iter=300, hidden=(32,), n_epochs=200, batch_size=27, random_state=0
    ).fit(blobs)


def test_target_is_the_standardized_embedding_of_tsne(fitted, blobs):
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    expected = TSNE(perplexity=5, n_iter=50, random_state=seed).fit_transform(blobs)
    expected -= expected.mean(axis=0)
    assert_allclose(fitted.target_, expected / np.sqrt(np.mean(expected**2)), atol=1e-12)
    assert np.mean(fitted.target_**2) == pytest.approx(1)


def test_network_learns_the_target(fitted):
    error = np.mean((fitted.embedding_ - fitted.target_) ** 2)
    assert error < 0.2
    assert fitted.loss_[-1] == pytest.approx(error, rel=0.5)
