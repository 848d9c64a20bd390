import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.networks.dlmp import DLMP
from nldr.methods.tsne import TSNE

RNG = np.random.default_rng(0)
BLOBS = RNG.standard_normal((90, 4)) + 30 * np.repeat(np.eye(4)[:3], 30, axis=0)
BLOB_OF = np.repeat(np.arange(3), 30)
SMALL = {"perplexity": 5, "n_iter": 300, "hidden": (32,), "random_state": 0}


def test_the_target_is_the_embedding_of_tsne():
    model = DLMP(**SMALL, n_epochs=1).fit(BLOBS)
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    theirs = TSNE(perplexity=5, n_iter=50, random_state=seed).fit_transform(BLOBS)
    theirs -= theirs.mean(axis=0)
    assert_allclose(model.target_, theirs / np.sqrt(np.mean(theirs**2)), atol=1e-12)
    assert np.mean(model.target_**2) == pytest.approx(1)


def test_the_network_learns_the_target_and_places_new_points_by_it():
    model = DLMP(**SMALL, n_epochs=200, batch_size=27).fit(BLOBS)
    Y = model.transform(BLOBS)
    assert np.mean((Y - model.target_) ** 2) < 0.2
    assert model.loss_[-1] == pytest.approx(np.mean((Y - model.target_) ** 2), rel=0.5)
    new = model.transform(BLOBS[::7] + 0.1)
    assert_array_equal(BLOB_OF[cdist(new, Y).argmin(axis=1)], BLOB_OF[::7])


def test_two_fits_of_one_seed_are_identical():
    model = DLMP(**SMALL, n_epochs=3)
    one, same = model.fit_transform(BLOBS), model.fit_transform(BLOBS)
    assert_array_equal(one, same)
    assert np.any(one != model.set_params(random_state=1).fit_transform(BLOBS))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_iter": 249}, "'n_iter' parameter of DLMP must be"),
        ({"perplexity": 0.5}, r"perplexity=0\.5 must be at least 1"),
    ],
)
def test_unusable_parameters_are_errors(parameters, message):
    with pytest.raises(ValueError, match=message):
        DLMP(**parameters).fit(BLOBS)


@pytest.mark.filterwarnings("ignore:perplexity=5 is too high")
@parametrize_with_checks([DLMP(perplexity=5, n_iter=260, hidden=(8,), n_epochs=2)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
