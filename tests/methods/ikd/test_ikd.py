from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import linalg
from scipy.spatial.distance import cdist, pdist
from sklearn.linear_model import LinearRegression
from sklearn.manifold import ClassicalMDS
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods import ikd as module

IKD = partial(module.IKD, variant="full")
SIMILARITIES = pytest.mark.parametrize("similarity", ["covariance", "correlation"])


def latent(n_samples, n_latent=3, seed=0):
    """Points in a box so small that no two have a kernel below exp(-6)."""
    return np.random.default_rng(seed).uniform(-1, 1, (n_samples, n_latent))


def kernel(Z, length_scale=1.0):
    return np.exp(-cdist(Z, Z, "sqeuclidean") / (2 * length_scale**2))


def rows_of_similarity(K, variance=1.0, seed=0):
    """Return rows whose covariance over the features is exactly `variance` K, and any mean."""
    n_samples = len(K)
    n_features = n_samples + 5
    rng = np.random.default_rng(seed)
    columns = rng.standard_normal((n_features, n_samples))
    basis = np.linalg.qr(columns - columns.mean(axis=0))[0]
    values, vectors = np.linalg.eigh(K)
    root = vectors * np.sqrt(np.clip(values, 0, None))
    scale = np.sqrt(variance * (n_features - 1))
    return scale * root @ basis.T + rng.standard_normal((n_samples, 1))


def gp_map(Z, n_features, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    values, vectors = np.linalg.eigh(kernel(Z))
    root = vectors * np.sqrt(np.clip(values, 0, None))
    X = root @ rng.standard_normal((len(Z), n_features))
    return X + noise * rng.standard_normal(X.shape)


def algorithm_1(X, n_components, similarity, min_similarity=1e-3):
    """The paper's algorithm, line by line, with a full eigendecomposition."""
    S = np.cov(X)
    S = S / np.mean(np.diag(S)) if similarity == "covariance" else np.corrcoef(X)
    D = -2 * np.log(np.clip(S, min_similarity, 1))
    largest = D.max(axis=1)
    tied = [i for i in range(len(D)) if largest[i] == largest.min()]
    r = min(tied, key=lambda i: D[i].sum())
    G = np.array(
        [[(D[i, r] + D[r, j] - D[i, j]) / 2 for j in range(len(D))] for i in range(len(D))]
    )
    values, vectors = linalg.eigh(G)
    values, vectors = values[::-1][:n_components], vectors[:, ::-1][:, :n_components]
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), range(n_components)])
    return r, D, values, vectors * np.sqrt(values)


@SIMILARITIES
def test_latent_is_recovered_exactly_from_the_true_kernel(similarity):
    Z = latent(40)
    X = rows_of_similarity(kernel(Z, length_scale=1.3), variance=4.0)
    ikd = IKD(3, similarity=similarity).fit(X)
    assert_allclose(pdist(ikd.embedding_), pdist(Z) / 1.3, atol=1e-6)
    assert ikd.variance_ == pytest.approx(4.0)


@SIMILARITIES
def test_unseen_points_of_the_true_kernel_are_placed_exactly(similarity):
    Z = latent(60)
    X = rows_of_similarity(kernel(Z))
    ikd = IKD(3, similarity=similarity).fit(X[:40])
    places = np.vstack([ikd.embedding_, ikd.transform(X[40:])])
    assert_allclose(pdist(places), pdist(Z), atol=1e-5)


def test_recovery_improves_with_the_number_of_features():
    Z = latent(200, n_latent=2)
    scores = []
    for n_features in (5, 50, 2000):
        Y = IKD(2).fit_transform(gp_map(Z, n_features))
        scores.append(LinearRegression().fit(Y, Z).score(Y, Z))
    assert scores == sorted(scores)
    assert scores[-1] > 0.99


@SIMILARITIES
@pytest.mark.parametrize("n_samples", [50, 300], ids=["dense", "iterative"])
def test_equals_algorithm_1_written_out(similarity, n_samples):
    X = gp_map(3 * latent(n_samples), 20)
    r, D, values, embedding = algorithm_1(X, 3, similarity)
    ikd = IKD(3, similarity=similarity).fit(X)
    assert ikd.reference_ == r
    assert_allclose(ikd.model_.parts[0].reference_distances, D[r], atol=1e-12)
    assert_allclose(ikd.eigenvalues_, values, rtol=1e-10)
    assert_allclose(ikd.embedding_, embedding, atol=1e-8 * np.abs(embedding).max())


def test_euclidean_distances_give_the_embedding_of_classical_mds():
    Z = latent(50)
    ikd = IKD(3).fit(rows_of_similarity(kernel(Z)))
    mds = ClassicalMDS(n_components=3).fit_transform(Z)
    centered = ikd.embedding_ - ikd.embedding_.mean(axis=0)
    assert_allclose(centered @ centered.T, mds @ mds.T, atol=1e-6)


def test_any_reference_gives_the_same_shape_with_itself_at_the_origin():
    X = rows_of_similarity(kernel(latent(40)))
    shapes = []
    for reference in (0, 17, 39):
        ikd = IKD(3, reference=reference).fit(X)
        assert ikd.reference_ == reference
        assert_allclose(ikd.embedding_[reference], 0, atol=1e-6)
        shapes.append(pdist(ikd.embedding_))
    assert_allclose(shapes[1:], [shapes[0]] * 2, atol=1e-6)


def test_reference_is_the_center_of_a_line():
    Z = np.linspace(-1, 1, 21)[np.random.default_rng(0).permutation(21), np.newaxis]
    ikd = IKD(1).fit(rows_of_similarity(kernel(Z)))
    assert Z[ikd.reference_] == pytest.approx(0)


def test_references_of_equal_maximum_are_told_apart_by_their_mean():
    Z = np.array([-4.0, 4.0, 1.1, 0.0, 0.4, 1.0])[:, np.newaxis]
    distances = -2 * np.log(np.clip(kernel(Z), 0.5, 1))
    assert len(set(distances.max(axis=1))) == 1, "each has one beyond the reach of 0.5"
    ikd = IKD(1, min_similarity=0.5).fit(rows_of_similarity(kernel(Z)))
    assert ikd.reference_ == distances.sum(axis=1).argmin() == 4


@SIMILARITIES
@pytest.mark.parametrize("n_samples", [30, 300])
def test_transform_of_the_training_rows_is_their_embedding(similarity, n_samples):
    X = gp_map(3 * latent(n_samples), 15)
    ikd = IKD(2, similarity=similarity).fit(X)
    assert_allclose(ikd.transform(X), ikd.embedding_, atol=1e-10)


@pytest.mark.parametrize("n_samples", [30, 300])
def test_order_of_the_rows_does_not_matter(n_samples):
    X = gp_map(3 * latent(n_samples), 15)
    order = np.random.default_rng(1).permutation(n_samples)
    one, other = IKD(3).fit(X), IKD(3).fit(X[order])
    assert order[other.reference_] == one.reference_
    assert_allclose(other.embedding_, one.embedding_[order], atol=1e-9)


def test_offsets_of_rows_and_scale_of_the_data_do_not_matter():
    X = gp_map(latent(40), 30)
    offsets = np.arange(40.0)[:, np.newaxis]
    assert_allclose(IKD().fit_transform(5 * X + offsets), IKD().fit_transform(X), atol=1e-9)


def test_correlation_ignores_the_scale_of_each_row():
    X, scales = gp_map(latent(40), 30), np.linspace(0.1, 9, 40)[:, np.newaxis]
    ikd = IKD(similarity="correlation")
    assert_allclose(ikd.fit_transform(scales * X), ikd.fit_transform(X), atol=1e-9)


@pytest.mark.parametrize("n_samples", [30, 300])
def test_two_fits_are_identical_and_signs_are_fixed(n_samples):
    X = gp_map(latent(n_samples), 10)
    one, other = IKD(3).fit_transform(X), IKD(3).fit_transform(X)
    assert_array_equal(one, other)
    assert (one.max(axis=0) == np.abs(one).max(axis=0)).all()


def test_data_are_left_alone():
    X = gp_map(latent(30), 10)
    before = X.copy()
    IKD().fit(X).transform(X)
    assert_array_equal(X, before)


def test_two_samples_lie_on_a_line():
    X = gp_map(latent(2), 100)
    with pytest.warns(UserWarning, match="only 1 of 2 eigenvalues are positive"):
        embedding = IKD(2).fit_transform(X)
    assert_array_equal(embedding[:, 1], 0)
    assert np.ptp(embedding[:, 0]) > 0
    assert_array_equal(IKD(1).fit_transform(X), embedding[:, :1])


@pytest.mark.parametrize("n_samples", [30, 300])
def test_rows_of_one_shape_share_one_place(n_samples):
    X = np.tile(np.arange(5.0), (n_samples, 1))
    with pytest.warns(UserWarning, match="only 0 of 2 eigenvalues are positive"):
        ikd = IKD(2).fit(X)
    assert_array_equal(ikd.embedding_, np.zeros((n_samples, 2)))
    assert_array_equal(ikd.transform(X[:3]), np.zeros((3, 2)))


def test_uncorrelated_rows_are_equally_far_apart():
    # All but one of the eigenvalues are equal, which iterative solvers dislike.
    ikd = IKD(2, similarity="correlation").fit(rows_of_similarity(np.eye(300)))
    d = -2 * np.log(1e-3)
    assert_allclose(ikd.eigenvalues_, [d / 2 * 300, d / 2], rtol=1e-10)


@SIMILARITIES
def test_constant_rows_are_named_and_kept_apart(similarity):
    X = gp_map(latent(30), 10)
    X[[4, 7]] = 0.1
    with pytest.warns(UserWarning, match=r"2 of 30 rows .* constant .* \(row 4, 7\)"):
        ikd = IKD(similarity=similarity, reference=0).fit(X)
    assert np.isfinite(ikd.embedding_).all()
    assert_allclose(ikd.model_.parts[0].reference_distances[[4, 7]], -2 * np.log(1e-3))
    with pytest.warns(UserWarning, match=r"1 of 1 rows"):
        assert_allclose(ikd.transform(X[[4]]), ikd.embedding_[[4]], atol=1e-9)


@pytest.mark.filterwarnings("ignore:30 of 30 rows")
def test_only_constant_rows_is_an_error():
    with pytest.raises(ValueError, match="all rows of X are constant over the features"):
        IKD().fit(np.tile(np.arange(30.0)[:, np.newaxis], 4))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 31}, "n_components=31 is more than the 30 samples"),
        ({"reference": 30}, "reference=30 is no row of X, which has 30 samples"),
        ({"reference": -1}, "'reference' parameter of IKD must be"),
        ({"similarity": "cosine"}, "'similarity' parameter of IKD must be"),
        ({"min_similarity": 0}, "'min_similarity' parameter of IKD must be"),
    ],
)
def test_unusable_parameters_are_errors(parameters, message):
    with pytest.raises(ValueError, match=message):
        IKD(**parameters).fit(gp_map(latent(30), 10))


def test_one_feature_is_an_error():
    with pytest.raises(ValueError, match=r"1 feature\(s\).*minimum of 2"):
        IKD().fit(latent(30, n_latent=1))


@pytest.mark.filterwarnings(
    "ignore:.* rows of X are constant",
    "ignore:only . of . eigenvalues",
    "ignore:the similarities above the threshold tie",
    "ignore:the neighborhood graph",
)
@parametrize_with_checks(
    [
        IKD(),
        IKD(similarity="correlation", kernel="matern"),
        IKD(1, reference=0, min_similarity=0.1),
        IKD(reference="center", landmarks=15, random_state=0),
        IKD(variant="blockwise"),
        IKD(variant="blockwise", threshold=0.6, max_cliques=0, reference_embedding="isomap"),
        IKD(variant="geodesic"),
        IKD(variant="metric_geodesic"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
