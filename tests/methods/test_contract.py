"""What every method keeps: scikit-learn's checks, equal fits, and refusals with a reason."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_param_validation, estimator_checks_generator

from nldr import methods as nm
from nldr.methods.stabilized import Stabilized
from nldr.neighborhoods.dimension import intrinsic_dimension
from nldr.neighborhoods.graphs import DisconnectedGraphWarning

# Linear networks, plain gradient descent and no validation loss compile fastest.
TRAINING = {"hidden": (), "n_epochs": 2, "validation_fraction": 0, "optimizer": "sgd"}
SHORT_TSNE = {"perplexity": 3, "n_iter": 20}
# One of each class, with parameters for few points and short fits.
CHECKED = [
    nm.AlignedDisjointMVU(),
    nm.Autoencoder(**TRAINING),
    nm.BayesianGPLVM(max_iter=5, n_inducing=10),
    nm.DLMP(perplexity=5, n_iter=260, **TRAINING),
    nm.DREAMS(1, n_iter=20),
    nm.DamagedOracle(amount=0.5),
    nm.DensMAP(n_neighbors=5, n_epochs=10),
    nm.DiffusionMaps(n_neighbors=5),
    nm.DiscreteGPLVM(1, n_inducing=3, init="pca", max_iter=2),
    nm.DisjointMVU(),
    nm.EigenvaluePCA(),
    nm.GPLVM(max_iter=20),
    nm.IKD(polish=False),
    nm.Imputed(),
    nm.Isomap(),
    nm.LLE(n_neighbors=5, disconnected="warn"),
    nm.LandmarkMVU(n_landmarks=6, tol=0.1, disconnected="warn", random_state=0),
    nm.LaplacianEigenmaps(n_neighbors=5, disconnected="warn"),
    nm.LargestComponentMVU(),
    nm.LocalMAP(1, n_neighbors=3),
    nm.LolaGP(max_iter=5, n_inducing=10),
    nm.MVU(disconnected="warn"),
    nm.MetricMDS(),
    nm.NonmetricMDS(max_iter=10),
    nm.Oracle(),
    nm.OutOfSample(nm.RandomEmbedding(random_state=0)),
    nm.PaCMAP(1, n_neighbors=3),
    nm.ParametricTSNE(perplexity=5, **TRAINING),
    nm.ParametricTSNERBM(perplexity=5, pretrain_epochs=0, **TRAINING),
    nm.ParametricUMAP(n_neighbors=3, **TRAINING),
    nm.PublishedDisjointMVU(),
    nm.RandomEmbedding(),
    nm.RefittedTSNE(n_iter=20),
    nm.Restarts(n_runs=2, params=SHORT_TSNE),
    nm.Sammon(),
    nm.ScaledKernelPCA(),
    Stabilized(),
    nm.Stream(params=SHORT_TSNE, n_first=15, batch_size=20),
    nm.TSNE(n_iter=20),
    nm.TwoPoints(),
    nm.UMAP(n_neighbors=5, n_epochs=10),
    nm.VAE(**TRAINING),
]
# Settings that run other code than the defaults of their class.
VARIANTS = [
    nm.IKD(),
    nm.IKD(1, variant="full", reference=0, min_similarity=0.1),
    nm.IKD(variant="geodesic"),
    nm.IKD(variant="knn_geodesic", reference="min_max"),
    nm.IKD(variant="blockwise", reference_embedding="isomap", threshold=0.6),
    nm.IKD(landmarks=15, random_state=0),
    nm.LLE(n_neighbors=8, method="hessian", eigen_solver="dense", disconnected="warn"),
    nm.MVU(constraint="shrink", disconnected="warn"),
]
# Checks that run the code of a fit; the others test the interface of the class.
OF_FITS = {
    "check_dict_unchanged",
    "check_estimators_dtypes",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_readonly_memmap_input",
    "check_transformer_general",
}
# Checks of what all methods inherit. A network compiles for each: Autoencoder is checked for all.
NETWORKS = (nm.DLMP, nm.ParametricTSNE, nm.ParametricTSNERBM, nm.ParametricUMAP, nm.VAE)
INHERITED = {
    "check_dtype_object",
    "check_estimators_nan_inf",
    "check_f_contiguous_array_estimator",
    "check_fit_check_is_fitted",
    "check_fit_score_takes_y",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_transformer_data_not_an_array",
}
TRAINED = [one for one in CHECKED if isinstance(one, (nm.Autoencoder, *NETWORKS))]
COMPILED = (nm.DensMAP, nm.LocalMAP)  # for ten seconds each
few_iterations = pytest.mark.filterwarnings("ignore::UserWarning")


def checks():
    """Yield the checks of scikit-learn, of some classes those that others do not stand for."""
    for original in (*CHECKED, *VARIANTS):
        for estimator, check in estimator_checks_generator(original):
            name = check.func.__name__
            if original in VARIANTS and name not in OF_FITS:
                continue
            if isinstance(original, NETWORKS) and name in INHERITED:
                continue
            marks = pytest.mark.recipe if isinstance(original, COMPILED) else ()
            yield pytest.param(estimator, check, marks=marks, id=f"{original}-{name}")


def test_no_method_is_left_out():
    exported = {getattr(nm, name) for name in nm.__all__}
    # UMATO compiles for a minute: its tests are with the recipes
    assert {one for one in exported if inspect.isclass(one)} <= {nm.UMATO, *map(type, CHECKED)}


def test_networks_inherit_what_one_is_checked_for():
    for network in NETWORKS:
        for name in ("fit", "fit_transform", "transform", "__sklearn_tags__"):
            assert getattr(network, name) is getattr(nm.Autoencoder, name)


@few_iterations
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", CHECKED, ids=lambda one: type(one).__name__)
def test_each_parameter_is_validated(estimator):
    check_param_validation(type(estimator).__name__, estimator)


RNG = np.random.default_rng(0)
CLOUD = RNG.standard_normal((40, 4))
# Above 200 rows, eigenvectors are found by iterations from a random start.
SHEET = np.column_stack([RNG.uniform(0, 1, (220, 2)) * [4, 2], np.zeros(220)])
REPEATED = [
    *((one, np.abs(CLOUD)) for one in (*CHECKED, *VARIANTS)),
    *((nm.IKD(variant=one), CLOUD) for one in ("blockwise", "knn_geodesic", "metric_geodesic")),
    (nm.DisjointMVU(n_neighbors=8), np.concatenate([CLOUD[:20], CLOUD[:20] + 20])),
    (nm.IKD(3, variant="full"), CLOUD),
    (nm.LandmarkMVU(n_neighbors=8, n_landmarks=20), CLOUD),
    (nm.LolaGP(n_inducing=5, batch_size=20, n_epochs=2), CLOUD),
    (nm.OutOfSample(nm.LaplacianEigenmaps(n_neighbors=10)), CLOUD),
    (nm.TSNE(3, perplexity=5, n_iter=50), CLOUD),
    (nm.DiffusionMaps(), SHEET),
    (nm.IKD(3, variant="full"), SHEET),
    (nm.Isomap(n_neighbors=12), SHEET),
    *((nm.LLE(method=one), SHEET) for one in ("hessian", "ltsa", "standard")),
    (nm.LaplacianEigenmaps(), SHEET),
]
SEEDED = (
    *(nm.DamagedOracle, nm.DensMAP, nm.PaCMAP, nm.RandomEmbedding, nm.Restarts, nm.Stream),
    *(nm.TSNE, nm.TwoPoints, nm.UMAP, *map(type, TRAINED)),
)
FREE_SIGNS = (
    *(nm.EigenvaluePCA, nm.Imputed, nm.MetricMDS, nm.NonmetricMDS, nm.OutOfSample, nm.Sammon),
    *(nm.IKD, Stabilized, *SEEDED),  # the refined variant of IKD
)


def embed(estimator, X, seed=7):
    """Return a copy that is fitted to X, with a seed if it takes one, and the embedding."""
    fitted = clone(estimator)
    if "random_state" in fitted.get_params(deep=False):
        fitted.set_params(random_state=seed)
    return fitted, fitted.fit_transform(X, X[:, :3])


@few_iterations
@pytest.mark.parametrize(("estimator", "X"), REPEATED, ids=lambda value: str(value)[:40])
def test_equal_fits_are_equal_and_signs_are_fixed(estimator, X):
    fitted, embedding = embed(estimator, X)
    assert_array_equal(embed(estimator, X)[1], embedding)
    if hasattr(fitted, "transform") and not isinstance(fitted, nm.RefittedTSNE):
        assert_allclose(fitted.transform(X[::-1]), embedding[::-1], atol=1e-6 * np.ptp(embedding))
    if not isinstance(estimator, FREE_SIGNS) or getattr(estimator, "variant", "refined") == "full":
        assert_array_equal(embedding.max(axis=0), np.abs(embedding).max(axis=0))
    if isinstance(estimator, SEEDED):
        assert np.any(embed(estimator, X, 8)[1] != embedding)


EQUAL = np.full((30, 4), 0.1)
CONSTANT_ROWS = np.tile(np.arange(30.0)[:, np.newaxis], 4)
NO_ROW, NO_FEATURES, ONE_GAP = CLOUD.copy(), CLOUD.copy(), CLOUD.copy()
NO_ROW[1] = NO_FEATURES[:, 1:3] = ONE_GAP[3, 2] = np.nan
NO_METRIC = np.array([[0.0, 1, 1], [1, 0, 5], [1, 5, 0]])
REFUSED = [
    # Bounds that the constraints of a class might lose
    (nm.DLMP(n_iter=249), CLOUD, "'n_iter' parameter of DLMP must be"),
    (nm.DREAMS(strength=1.1), CLOUD, "'strength' parameter of DREAMS must be"),
    (nm.DensMAP(density_weight=-1), CLOUD, "'density_weight' parameter of DensMAP must be"),
    (nm.IKD(landmarks=1), CLOUD, "'landmarks' parameter of IKD must be"),
    (nm.IKD(reference=-1), CLOUD, "'reference' parameter of IKD must be"),
    (nm.ParametricUMAP(n_neighbors=1), CLOUD, "'n_neighbors' parameter of ParametricUMAP must be"),
    (nm.UMAP(min_dist=1.5), CLOUD, "'min_dist' parameter of UMAP must be"),
    (nm.UMAP(n_neighbors=1), CLOUD, "'n_neighbors' parameter of UMAP must be"),
    (nm.BayesianGPLVM(), NO_ROW, "row 1 of X has no observed value, as 1 in all"),
    (nm.DREAMS(5, perplexity=5), CLOUD, "n_components=5 is too high for 40 samples and 4 features"),
    (nm.DiffusionMaps(40), CLOUD, "n_components=40 is too high for 40 samples"),
    (nm.DiffusionMaps(bandwidth=0.0), CLOUD, "'bandwidth' parameter of DiffusionMaps must be"),
    (nm.DiffusionMaps(), EQUAL, "most rows of X equal 12 others or more"),
    (nm.DiscreteGPLVM(1, likelihood="bernoulli"), 20 * EQUAL, "between 0 and 1"),
    (nm.DiscreteGPLVM(1, likelihood="poisson"), -EQUAL, "counts must be at least 0"),
    (nm.DiscreteGPLVM(1, exposure=[1, 2]), EQUAL, "one positive number for each of the 30 rows"),
    (nm.DiscreteGPLVM(1, exposure=np.zeros(30)), EQUAL, "with minimum 0"),
    (nm.DiscreteGPLVM(1, exposure="total", likelihood="bernoulli"), EQUAL, "is for counts"),
    (nm.PublishedDisjointMVU(41), CLOUD, "n_components=41 is too high for 40 samples"),
    (nm.DiscreteGPLVM(init=np.zeros((30, 1))), EQUAL, r"init must have shape \(30, 2\)"),
    (nm.GPLVM(), EQUAL, "all rows of X are equal"),
    (nm.GPLVM(init=np.zeros((40, 3))), CLOUD, r"init must have shape \(40, 2\), got \(40, 3\)"),
    (nm.GPLVM(kernel="linear + cubic"), CLOUD, "unknown term 'cubic': use names of squared_expon"),
    (nm.GPLVM(kernel="linear", init=1e12 * CLOUD[:, :2]), CLOUD, "starting point is singular"),
    (nm.IKD(), CLOUD[:, :1], r"1 feature\(s\).*minimum of 2"),
    (nm.IKD(41), CLOUD, "n_components=41 is more than the number of samples of X, 40"),
    (nm.IKD(9, landmarks=8), CLOUD, "n_components=9 is more .* landmarks, 8"),
    (nm.IKD(kernel=np.exp), CLOUD, "'kernel' parameter of IKD must be"),
    (nm.IKD(min_similarity=0), CLOUD, "'min_similarity' parameter of IKD must be"),
    (nm.IKD(reference=3), CLOUD, "reference=3 is a single row, but the variant refined"),
    (nm.IKD(threshold=1.0), CLOUD, "'threshold' parameter of IKD must be"),
    (nm.IKD(variant="blockwise", reference=3), CLOUD, "reference=3 is a single row, but the"),
    (nm.IKD(variant="full"), CONSTANT_ROWS, "all rows of X are constant over the features"),
    (nm.IKD(variant="full", reference=40), CLOUD, "=40 must be less than the number of samples"),
    (nm.IKD(variant="full", reference=8, landmarks=8), CLOUD, "must be less .* of landmarks, 8"),
    (nm.IKD(variant="metric_geodesic", threshold="released"), CLOUD, "is for blockwise and geo"),
    (nm.Isomap(n_neighbors=10), CLOUD[:10], "n_neighbors"),
    (nm.LLE(3), CLOUD[:, :2], "n_components=3 is too high for 2 features"),
    (nm.LLE(method="hessian", n_neighbors=5), CLOUD, "n_neighbors=5 is too low .* more than 5"),
    (nm.LLE(method="ltsa", n_neighbors=2), CLOUD, "n_neighbors=2 is too low .* n_components=2"),
    (nm.LLE(n_neighbors=40), CLOUD, "n_neighbors"),
    (nm.LandmarkMVU(3, n_landmarks=3), CLOUD, "n_components=3 is too high for 3 landmarks and 40"),
    (nm.LaplacianEigenmaps(9, n_neighbors=3), CLOUD[:10], "n_components=9 is too high for 10 samp"),
    (nm.LolaGP(), NO_FEATURES, "feature 1 of X has no observed value, as 2 in all"),
    (nm.LolaGP(batch_size=20), ONE_GAP, "batch_size needs data without missing values"),
    (nm.MVU(graph=np.eye(3)), CLOUD, r"graph has the shape \(3, 3\), but the data have 40"),
    (nm.MVU(graph=np.zeros((40, 40))), CLOUD, "has 40 connected components"),
    (nm.MVU(n_neighbors=2, metric="precomputed"), NO_METRIC, "no points have the given ones"),
    (nm.MVU(n_neighbors=2, metric="precomputed"), CLOUD, "square symmetric matrix"),
    (nm.MetricMDS(6), CLOUD, "n_components=6"),
    (nm.Oracle(4), CLOUD, "n_components=4 is too high: the latent has 3 dimensions"),
    (nm.PaCMAP(5), CLOUD, "n_components=5 is too high for 40 samples and 4 features"),
    (nm.PaCMAP(), CLOUD[:4], r"4 sample\(s\).*minimum of 5"),
    (nm.ParametricTSNE(perplexity=1), CLOUD[:3], r"3 sample\(s\).*minimum of 4"),
    (Stabilized(), -EQUAL, "counts must be at least 0"),
    (nm.TSNE(perplexity=1), CLOUD[:3], r"3 sample\(s\).*minimum of 4"),
    (nm.UMATO(5, n_neighbors=5), CLOUD, "n_components=5 is too high for 20 hubs and 4 features"),
    (nm.UMATO(), CLOUD, "n_neighbors=50 is too high for 40 samples"),
    *(
        (method(perplexity=0.9), CLOUD, r"perplexity=0\.9 (is too low: it )?must be at least 1")
        for method in (nm.DLMP, nm.DREAMS, nm.ParametricTSNE, nm.ParametricTSNERBM, nm.TSNE)
    ),
    *(
        (method(n_neighbors=40), CLOUD, "n_neighbors=40 is too high for 40 samples")
        for method in (nm.DensMAP, nm.DiffusionMaps, nm.LolaGP, nm.ParametricUMAP, nm.UMAP)
    ),
    *(
        (method(41), CLOUD, "n_components=41 is too high for 40 samples")
        for method in (nm.DisjointMVU, nm.GPLVM, nm.LargestComponentMVU, nm.MVU)
    ),
    *(
        (method, EQUAL, "all 30 rows of X are equal")
        for method in (
            *(nm.LocalMAP(), nm.NonmetricMDS(), nm.Sammon(), nm.UMATO(n_neighbors=5)),
            *(nm.ParametricTSNE(perplexity=5), nm.ParametricTSNERBM(perplexity=5)),
            nm.TSNE(perplexity=5),
        )
    ),
    *(
        (clone(one).set_params(hidden=(8, 0)), CLOUD, r"hidden=\(8, 0\): each layer needs at least")
        for one in TRAINED
    ),
]


@few_iterations
@pytest.mark.parametrize(("estimator", "X", "message"), REFUSED)
def test_bad_parameters_and_data_are_refused(estimator, X, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, X[:, :3])


# With 12 neighbors, each point of two cubes 42 apart is a neighbor of another.
TWO_CUBES = RNG.uniform(-2, 2, (60, 3)) + np.repeat(30 * np.eye(3)[:2], 30, axis=0)
GRAPHS = [
    (nm.Isomap(n_neighbors=7), "no geodesic distances exist"),
    (nm.LLE(eigen_solver="dense"), ".*have no neighbors outside.* unless disconnected='bridges'"),
    (nm.LLE(eigen_solver="dense", method="hessian"), ".*no patch contains"),
    (nm.LLE(eigen_solver="dense", method="ltsa"), ".*no patch contains"),
    (nm.LandmarkMVU(n_neighbors=8, n_landmarks=20, random_state=0), "the variance is unbounded"),
    (nm.LaplacianEigenmaps(), "Laplacian eigenmaps collapse .* disconnected='bridges'"),
    (nm.MVU(n_neighbors=8), r"the variance is unbounded .*, as disconnected='bridges' does\."),
    (nm.DensMAP(n_neighbors=8, n_epochs=20, random_state=0), "UMAP arranges them by their means"),
    (nm.UMAP(n_neighbors=8, n_epochs=20, random_state=0), "UMAP arranges them by their means"),
]


# Methods that join the components after their warning, and what it says then
JOINED = {
    nm.Isomap: "depend on edges added .* the longest of length [.0-9]+",
    nm.MVU: "each pair was",
}


@pytest.mark.parametrize(("method", "consequence"), GRAPHS)
def test_disconnected_graph_is_refused_or_named_in_a_warning_to_the_caller(method, consequence):
    method = clone(method).set_params(disconnected="error")
    message = r"2 connected components \(of 30, 30 points\): "
    with pytest.raises(ValueError, match=message + consequence):
        method.fit(TWO_CUBES)
    method.set_params(disconnected="warn")
    joined = JOINED.get(type(method), "")
    with pytest.warns(DisconnectedGraphWarning, match=message + ".*" + joined) as record:
        method.fit(TWO_CUBES)
    assert [w.filename for w in record if w.category is DisconnectedGraphWarning] == [__file__]
    assert method.n_connected_components_ == 2
    if joined:
        assert [sorted(edge // 30) for edge in method.added_edges_] == [[0, 1]]


N_ADDED = {"bridges": 1, "enhanced": 1 + round(intrinsic_dimension(TWO_CUBES)), "more_neighbors": 0}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("remedy", N_ADDED)
@pytest.mark.parametrize("method", [method for method, _ in GRAPHS[:-2]])
def test_remedies_join_the_components_without_a_warning(method, remedy):
    method = clone(method).set_params(disconnected=remedy)
    embedding = method.fit_transform(TWO_CUBES)
    more = remedy == "more_neighbors"
    assert method.n_connected_components_ == (1 if more else 2)
    assert (method.n_neighbors_ > method.n_neighbors) == more
    assert len(method.added_edges_) == N_ADDED[remedy]
    assert all(np.diff(method.added_edges_ >= 30, axis=1))
    assert np.ptp(embedding[:30], axis=0).min() > 0
