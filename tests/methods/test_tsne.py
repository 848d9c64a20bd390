import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from openTSNE.affinity import PerplexityBasedNN
from openTSNE.tsne import kl_divergence_bh
from scipy.optimize import approx_fprime
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn import manifold
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.tsne import EXACT_UP_TO, TSNE, _gradient_method, exact_gradient

BLOBS = np.random.default_rng(0).standard_normal((60, 6))
BLOBS[:20] += 20
BLOBS[40:] -= 20
BLOB_OF = np.repeat([0, 1, 2], 20)


@pytest.fixture(scope="module")
def fitted():
    return TSNE(perplexity=5, random_state=0).fit(BLOBS)


def student_divergence(Y, P, degrees_of_freedom):
    """KL divergence of t-SNE with Student's t, from its definition."""
    k = (1 + pdist(Y, "sqeuclidean") / degrees_of_freedom) ** (-(degrees_of_freedom + 1) / 2)
    q, p = k / (2 * k.sum()), squareform(P, checks=False)
    known = p > 0
    return 2 * np.sum(p[known] * np.log(p[known] / q[known]))


def affinities(n_samples, seed=0):
    X = np.random.default_rng(seed).standard_normal((n_samples, 10))
    return PerplexityBasedNN(X, perplexity=5, method="exact")


@pytest.mark.parametrize("n_components", [1, 2, 3, 5])
@pytest.mark.parametrize("dof", [1, 1.5, 3])
def test_exact_gradient_is_that_of_the_divergence(n_components, dof):
    P = affinities(30).P
    Y = np.random.default_rng(1).standard_normal((30, n_components))
    divergence, gradient = exact_gradient(Y, P, dof, should_eval_error=True)
    # openTSNE's kernel is Student's t of an embedding √(α/ν) times larger.
    nu = 2 * dof - 1
    scale = np.sqrt(nu / dof)

    def brute(flat):
        return student_divergence(scale * flat.reshape(Y.shape), P.toarray(), nu)

    assert divergence == pytest.approx(brute(Y.ravel()), rel=1e-10)
    slopes = approx_fprime(Y.ravel(), brute, 1e-7).reshape(Y.shape)
    assert_allclose(4 * gradient, slopes, atol=1e-5 * np.abs(slopes).max())


@pytest.mark.parametrize("n_samples", [20, 300])
@pytest.mark.parametrize("n_components", [2, 3])
def test_exact_gradient_equals_that_of_opentsne(n_samples, n_components):
    of_data = affinities(n_samples)
    rng = np.random.default_rng(1)
    reference = rng.standard_normal((n_samples, n_components))
    points = rng.standard_normal((7, n_components))
    to_data = of_data.to_new(rng.standard_normal((7, 10)))
    for Y, P, others in ((reference, of_data.P, None), (points, to_data, reference)):
        arguments = {"reference_embedding": others, "should_eval_error": True}
        exact = exact_gradient(Y, P, 1.5, **arguments)
        tree = kl_divergence_bh(Y, P, 1.5, {"theta": 0}, **arguments)
        assert exact[0] == pytest.approx(tree[0], rel=1e-9)
        assert_allclose(exact[1], tree[1], atol=1e-12 * np.abs(tree[1]).max())


def test_barnes_hut_is_right_in_three_dimensions():
    P = affinities(400).P
    Y = np.random.default_rng(1).standard_normal((400, 3))
    exact = exact_gradient(Y, P, 1.5)[1]
    tree = kl_divergence_bh(Y, P, 1.5, {"theta": 0.5})[1]
    assert np.linalg.norm(tree - exact) < 0.03 * np.linalg.norm(exact)


def test_the_gradient_is_exact_where_that_is_faster_or_opentsne_has_none():
    assert _gradient_method(100, 2) == "auto"
    assert _gradient_method(EXACT_UP_TO, 3) is exact_gradient
    assert _gradient_method(EXACT_UP_TO + 1, 3) == "bh"
    assert _gradient_method(EXACT_UP_TO + 1, 4) is exact_gradient


@pytest.mark.parametrize("n_components", [1, 2, 3, 5])
def test_divergence_is_that_of_the_embedding(n_components):
    tsne = TSNE(n_components, perplexity=5, n_iter=100, random_state=0).fit(BLOBS)
    nu = max(n_components - 1, 1)
    Y = tsne.embedding_ * np.sqrt(nu / ((nu + 1) / 2))
    brute = student_divergence(Y, tsne.tsne_.affinities.P.toarray(), nu)
    assert tsne.kl_divergence_ == pytest.approx(brute, rel=0.03 if n_components < 3 else 1e-9)


@pytest.mark.parametrize("n_components", [2, 3, 4])
def test_finds_as_good_an_optimum_as_scikit_learn(n_components):
    # With n = 3 perplexity + 1 the neighbors are all points, and the objectives the same.
    X = np.random.default_rng(3).standard_normal((91, 4))
    ours = TSNE(n_components, perplexity=30, random_state=0).fit(X)
    theirs = manifold.TSNE(n_components, perplexity=30, method="exact", random_state=0).fit(X)
    assert ours.kl_divergence_ < 1.02 * theirs.kl_divergence_


@pytest.mark.parametrize("n_components", [2, 3])
def test_separate_blobs_stay_separate(n_components):
    Y = TSNE(n_components, perplexity=5, random_state=0).fit_transform(BLOBS)
    nearest = (cdist(Y, Y) + np.diag(np.full(60, np.inf))).argmin(axis=1)
    assert_array_equal(BLOB_OF[nearest], BLOB_OF)


def test_small_steps_do_not_get_as_far(fitted):
    slow = TSNE(perplexity=5, learning_rate=0.1, random_state=0).fit(BLOBS)
    assert slow.kl_divergence_ > 1.2 * fitted.kl_divergence_
    # "auto" divides the number of points by the exaggeration, 12 at first.
    first = TSNE(perplexity=5, n_iter=0, random_state=0).fit(BLOBS)
    same = TSNE(perplexity=5, n_iter=0, learning_rate=60 / 12, random_state=0).fit(BLOBS)
    assert_array_equal(same.embedding_, first.embedding_)


def test_middle_of_the_embedding_is_the_origin(fitted):
    Y = fitted.embedding_
    assert_allclose(Y.max(axis=0), -Y.min(axis=0), rtol=1e-9)


@pytest.mark.parametrize("n_components", [2, 3])
def test_two_fits_of_one_seed_are_identical(n_components):
    tsne = TSNE(n_components, perplexity=5, n_iter=50, random_state=7)
    one, same = tsne.fit_transform(BLOBS), tsne.fit_transform(BLOBS)
    assert_array_equal(one, same)
    assert np.any(one != tsne.set_params(random_state=8).fit_transform(BLOBS))


@pytest.mark.parametrize("shape", [(30, 1), (4, 3), (30, 3)])
def test_more_components_than_features_or_few_samples_are_fine(shape):
    X = np.random.default_rng(0).standard_normal(shape)
    tsne = TSNE(4, perplexity=1, n_iter=20, random_state=0).fit(X)
    assert tsne.embedding_.shape == (shape[0], 4)
    assert np.isfinite(tsne.embedding_).all()


def test_too_high_a_perplexity_is_lowered_with_a_warning():
    with pytest.warns(UserWarning, match=r"perplexity=30 is too high for 61 samples, 20 is used"):
        high = TSNE(n_iter=20, random_state=0).fit(np.vstack([BLOBS, BLOBS[:1] + 0.1]))
    assert high.perplexity_ == 20
    low = TSNE(perplexity=20, n_iter=20, random_state=0).fit(np.vstack([BLOBS, BLOBS[:1] + 0.1]))
    assert_array_equal(high.embedding_, low.embedding_)


@pytest.mark.parametrize("n_components", [2, 3, 4])
def test_new_points_land_in_their_blob_and_move_nothing(n_components):
    tsne = TSNE(n_components, perplexity=5, random_state=0).fit(BLOBS)
    before = tsne.embedding_.copy()
    X = np.vstack([BLOBS[[0, 30, 59]] + 0.1, BLOBS[[5]]])
    places = tsne.transform(X)
    nearest = cdist(places, tsne.embedding_).argmin(axis=1)
    assert_array_equal(BLOB_OF[nearest], [0, 1, 2, 0])
    assert_array_equal(places[3], before[5])
    assert_array_equal(tsne.embedding_, before)
    assert_allclose(tsne.tsne_, before, rtol=0, atol=1e-12)


def test_new_points_do_not_influence_each_other(fitted):
    X = BLOBS[::6] + 0.1
    assert_allclose(fitted.transform(X)[[3]], fitted.transform(X[[3]]), atol=1e-9)


def test_training_rows_keep_their_places(fitted):
    assert_array_equal(fitted.transform(BLOBS[::-1]), fitted.embedding_[::-1])


@pytest.mark.parametrize("n_components", [2, 4])
def test_survives_pickling(n_components):
    tsne = TSNE(n_components, perplexity=5, n_iter=50, random_state=0).fit(BLOBS)
    copy = pickle.loads(pickle.dumps(tsne))
    X = BLOBS[::6] + 0.1
    assert_array_equal(copy.transform(X), tsne.transform(X))


@pytest.mark.parametrize(
    ("X", "perplexity", "message"),
    [
        (BLOBS[:3], 1, r"3 sample\(s\).*minimum of 4"),
        (BLOBS, 0.9, r"perplexity=0\.9 must be at least 1"),
        (np.ones((30, 3)), 5, "all 30 rows of X are equal"),
    ],
)
def test_unusable_input_is_an_error(X, perplexity, message):
    with pytest.raises(ValueError, match=message):
        TSNE(perplexity=perplexity).fit(X)


@pytest.mark.filterwarnings("ignore:perplexity=30 is too high")
@parametrize_with_checks([TSNE(), TSNE(3, n_iter=50)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
