"""What every method keeps: scikit-learn's checks, equal fits, and refusals with a reason."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

import nldr.methods
from nldr.methods import (
    DLMP,
    DREAMS,
    GPLVM,
    IKD,
    LLE,
    MVU,
    TSNE,
    UMAP,
    UMATO,
    VAE,
    Autoencoder,
    BayesianGPLVM,
    DamagedOracle,
    DensMAP,
    DiffusionMaps,
    DiscreteGPLVM,
    DisjointMVU,
    EigenvaluePCA,
    Imputed,
    Isomap,
    LandmarkMVU,
    LaplacianEigenmaps,
    LargestComponentMVU,
    LocalMAP,
    LolaGP,
    MetricMDS,
    NonmetricMDS,
    Oracle,
    OutOfSample,
    PaCMAP,
    ParametricTSNE,
    ParametricTSNERBM,
    ParametricUMAP,
    PublishedDisjointMVU,
    RandomEmbedding,
    RefittedTSNE,
    Restarts,
    Sammon,
    ScaledKernelPCA,
    Stream,
    TwoPoints,
)
from nldr.methods.stabilized import Stabilized
from nldr.neighborhoods.dimension import intrinsic_dimension
from nldr.neighborhoods.graphs import DisconnectedGraphWarning

# Linear networks, plain gradient descent and no validation loss compile fastest.
TRAINING = {"hidden": (), "n_epochs": 2, "validation_fraction": 0, "optimizer": "sgd"}
SHORT_TSNE = {"perplexity": 3, "n_iter": 20}
# One of each class, with parameters for few points and short fits.
CHECKED = [
    Autoencoder(**TRAINING),
    BayesianGPLVM(max_iter=5, n_inducing=10),
    DLMP(perplexity=5, n_iter=260, **TRAINING),
    DREAMS(1, n_iter=20),
    DamagedOracle(amount=0.5),
    DensMAP(n_neighbors=5, n_epochs=10),
    DiffusionMaps(n_neighbors=5),
    DiscreteGPLVM(1, n_inducing=3, init="pca", max_iter=2),
    DisjointMVU(),
    EigenvaluePCA(),
    GPLVM(max_iter=20),
    IKD(),
    Imputed(),
    Isomap(),
    LLE(n_neighbors=5, disconnected="warn"),
    LandmarkMVU(n_landmarks=10, disconnected="warn", random_state=0),
    LaplacianEigenmaps(n_neighbors=5, disconnected="warn"),
    LargestComponentMVU(),
    LocalMAP(1, n_neighbors=3),
    LolaGP(max_iter=5, n_inducing=10),
    MVU(disconnected="warn"),
    MetricMDS(),
    NonmetricMDS(),
    Oracle(),
    OutOfSample(RandomEmbedding(random_state=0)),
    PaCMAP(1, n_neighbors=3),
    ParametricTSNE(perplexity=5, **TRAINING),
    ParametricTSNERBM(perplexity=5, pretrain_epochs=0, **TRAINING),
    ParametricUMAP(n_neighbors=3, **TRAINING),
    PublishedDisjointMVU(),
    RandomEmbedding(),
    RefittedTSNE(n_iter=20),
    Restarts(params=SHORT_TSNE),
    Sammon(),
    ScaledKernelPCA(),
    Stabilized(),
    Stream(params=SHORT_TSNE, n_first=15, batch_size=10),
    TSNE(n_iter=20),
    TwoPoints(),
    UMAP(n_neighbors=5, n_epochs=10),
    VAE(**TRAINING),
]
# Settings that run other code than the defaults of their class.
VARIANTS = [
    IKD(1, variant="full", reference=0, min_similarity=0.1),
    IKD(variant="geodesic"),
    IKD(variant="knn_geodesic", reference="min_max"),
    IKD(variant="blockwise", reference_embedding="isomap", threshold=0.6),
    IKD(landmarks=15, random_state=0),
    LLE(n_neighbors=8, method="hessian", eigen_solver="dense", disconnected="warn"),
    MVU(constraint="shrink", disconnected="warn"),
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
NETWORKS = (DLMP, ParametricTSNE, ParametricTSNERBM, ParametricUMAP, VAE)
INHERITED = {
    "check_dtype_object",
    "check_estimators_nan_inf",
    "check_f_contiguous_array_estimator",
    "check_fit_check_is_fitted",
    "check_fit_score_takes_y",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
}
COMPILED = (DensMAP, LocalMAP)  # for ten seconds each
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
    exported = {getattr(nldr.methods, name) for name in nldr.methods.__all__}
    # UMATO compiles for a minute: its tests are with the recipes
    assert {one for one in exported if inspect.isclass(one)} <= {UMATO, *map(type, CHECKED)}


def test_networks_inherit_what_one_is_checked_for():
    for network in NETWORKS:
        for name in ("fit", "fit_transform", "transform", "__sklearn_tags__"):
            assert getattr(network, name) is getattr(Autoencoder, name)


@few_iterations
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learn_checks(estimator, check):
    check(estimator)


RNG = np.random.default_rng(0)
CLOUD = RNG.standard_normal((40, 4))
# Above 200 rows, eigenvectors are found by iterations from a random start.
SHEET = np.column_stack([RNG.uniform(0, 1, (220, 2)) * [4, 2], np.zeros(220)])
REPEATED = [
    (BayesianGPLVM(n_inducing=10, max_iter=20, random_state=0), CLOUD),
    (DREAMS(2, perplexity=5, n_iter=50, random_state=7), CLOUD),
    (DensMAP(n_neighbors=5, n_epochs=20, random_state=7), CLOUD),
    (DiffusionMaps(), SHEET),
    (DisjointMVU(n_neighbors=8), np.concatenate([CLOUD[:20], CLOUD[:20] + 20])),
    (GPLVM(max_iter=20, tol=None), CLOUD),
    (IKD(3, variant="full"), CLOUD),
    (IKD(3, variant="full"), SHEET),
    (IKD(variant="blockwise"), CLOUD),
    (IKD(variant="geodesic"), CLOUD),
    (IKD(variant="metric_geodesic"), CLOUD),
    (IKD(), CLOUD),
    (Isomap(n_neighbors=12), CLOUD),
    (Isomap(n_neighbors=12), SHEET),
    (LLE(), SHEET),
    (LLE(method="hessian"), SHEET),
    (LLE(method="ltsa"), SHEET),
    (LandmarkMVU(n_neighbors=8, n_landmarks=20, random_state=3), CLOUD),
    (LaplacianEigenmaps(), SHEET),
    (LocalMAP(n_neighbors=5, random_state=7), CLOUD),
    (LolaGP(n_inducing=10, max_iter=20, random_state=0), CLOUD),
    (LolaGP(n_inducing=5, batch_size=20, n_epochs=2, random_state=0), CLOUD),
    (MVU(n_neighbors=6), CLOUD),
    (MetricMDS(), CLOUD),
    (NonmetricMDS(), CLOUD),
    (PaCMAP(n_neighbors=5, random_state=7), CLOUD),
    (Restarts(params=SHORT_TSNE, random_state=0), CLOUD),
    (Sammon(), CLOUD),
    (Stream(params=SHORT_TSNE, n_first=20, batch_size=10, random_state=0), CLOUD),
    (TSNE(2, perplexity=5, n_iter=50, random_state=7), CLOUD),
    (TSNE(3, perplexity=5, n_iter=50, random_state=7), CLOUD),
    (UMAP(n_neighbors=5, n_epochs=20, random_state=7), CLOUD),
]
SEEDED = (DensMAP, PaCMAP, Restarts, Stream, TSNE, UMAP)
FREE_SIGNS = (IKD, MetricMDS, NonmetricMDS, Sammon, *SEEDED)  # the refined variant of IKD


@few_iterations
@pytest.mark.parametrize(("estimator", "X"), REPEATED, ids=lambda value: str(value)[:40])
def test_equal_fits_are_equal_and_signs_are_fixed(estimator, X):
    embedding = clone(estimator).fit_transform(X)
    assert_array_equal(clone(estimator).fit_transform(X), embedding)
    if not isinstance(estimator, FREE_SIGNS) or getattr(estimator, "variant", "refined") == "full":
        assert_array_equal(embedding.max(axis=0), np.abs(embedding).max(axis=0))
    if isinstance(estimator, SEEDED):
        other = clone(estimator).set_params(random_state=8).fit_transform(X)
        assert np.any(other != embedding)


EQUAL = np.full((30, 4), 0.1)
CONSTANT_ROWS = np.tile(np.arange(30.0)[:, np.newaxis], 4)
NO_ROW, NO_FEATURES, ONE_GAP = CLOUD.copy(), CLOUD.copy(), CLOUD.copy()
NO_ROW[1] = NO_FEATURES[:, 1:3] = ONE_GAP[3, 2] = np.nan
REFUSED = [
    (BayesianGPLVM(), NO_ROW, "row 1 of X has no observed value, as 1 in all"),
    (DLMP(n_iter=249), CLOUD, "'n_iter' parameter of DLMP must be"),
    (DLMP(perplexity=0.5), CLOUD, r"perplexity=0\.5 is too low: it must be at least 1"),
    (DREAMS(5, perplexity=5), CLOUD, "n_components=5 is too high for 40 samples and 4 features"),
    (DREAMS(perplexity=0.9), CLOUD, r"perplexity=0\.9 is too low: it must be at least 1"),
    (DREAMS(strength=1.1), CLOUD, "'strength' parameter of DREAMS must be"),
    (DensMAP(density_weight=-1), CLOUD, "'density_weight' parameter of DensMAP must be"),
    (DensMAP(n_neighbors=40), CLOUD, "n_neighbors=40 is too high for 40 samples"),
    (DiffusionMaps(40), CLOUD, "n_components=40 is too high for 40 samples"),
    (DiffusionMaps(bandwidth=0.0), CLOUD, "'bandwidth' parameter of DiffusionMaps must be"),
    (DiffusionMaps(n_neighbors=40), CLOUD, "n_neighbors=40 is too high for 40 samples"),
    (DiffusionMaps(), EQUAL, "most rows of X equal 12 others or more"),
    (DiscreteGPLVM(1, likelihood="bernoulli"), 20 * EQUAL, "between 0 and 1"),
    (DiscreteGPLVM(1, likelihood="poisson"), -EQUAL, "counts must be at least 0"),
    (DiscreteGPLVM(1, exposure=[1, 2]), EQUAL, "one positive number for each of the 30 rows"),
    (DiscreteGPLVM(1, exposure=np.zeros(30)), EQUAL, "with minimum 0"),
    (
        DiscreteGPLVM(1, exposure="total", likelihood="bernoulli"),
        EQUAL,
        "exposure is for counts",
    ),
    (DiscreteGPLVM(init=np.zeros((30, 1))), EQUAL, r"init must have shape \(30, 2\)"),
    (DisjointMVU(41), CLOUD, "n_components=41 is too high for 40 samples"),
    (GPLVM(41), CLOUD, "n_components=41 is too high for 40 samples and 4"),
    (GPLVM(), EQUAL, "all rows of X are equal"),
    (GPLVM(init=np.zeros((40, 3))), CLOUD, r"init must have shape \(40, 2\), got \(40, 3\)"),
    (GPLVM(kernel="linear + cubic"), CLOUD, "unknown term 'cubic': use names of squared_expon"),
    (
        GPLVM(kernel="linear", init=1e12 * CLOUD[:, :2]),
        CLOUD,
        "covariance matrix at the starting point is singular",
    ),
    (IKD(), CLOUD[:, :1], r"1 feature\(s\).*minimum of 2"),
    (IKD(41), CLOUD, "n_components=41 is more than the number of samples of X, 40"),
    (IKD(9, landmarks=8), CLOUD, "n_components=9 is more .* landmarks, 8"),
    (IKD(kernel="rbf"), CLOUD, "'kernel' parameter of IKD must be"),
    (IKD(kernel=np.exp), CLOUD, "'kernel' parameter of IKD must be"),
    (IKD(landmarks=1), CLOUD, "'landmarks' parameter of IKD must be"),
    (IKD(min_similarity=0), CLOUD, "'min_similarity' parameter of IKD must be"),
    (IKD(reference=-1), CLOUD, "'reference' parameter of IKD must be"),
    (IKD(reference=3), CLOUD, "reference=3 is a single row, but the variant refined"),
    (IKD(similarity="cosine"), CLOUD, "'similarity' parameter of IKD must be"),
    (IKD(threshold=1.0), CLOUD, "'threshold' parameter of IKD must be"),
    (IKD(variant="blockwise", reference=3), CLOUD, "reference=3 is a single row, but the variant"),
    (IKD(variant="blocks"), CLOUD, "'variant' parameter of IKD must be"),
    (IKD(variant="full"), CONSTANT_ROWS, "all rows of X are constant over the features"),
    (
        IKD(variant="full", reference=40),
        CLOUD,
        "reference=40 must be less than the number of samples of X, 40",
    ),
    (
        IKD(variant="full", reference=8, landmarks=8),
        CLOUD,
        "reference=8 must be less .* of landmarks, 8",
    ),
    (
        IKD(variant="metric_geodesic", threshold="released"),
        CLOUD,
        "threshold='released' is for blockwise and geodesic",
    ),
    (Isomap(n_neighbors=10), CLOUD[:10], "n_neighbors"),
    (LLE(3), CLOUD[:, :2], "n_components=3 is too high for 2 features"),
    (LLE(method="hessian", n_neighbors=5), CLOUD, "n_neighbors=5 is too low .* more than 5"),
    (LLE(method="ltsa", n_neighbors=2), CLOUD, "n_neighbors=2 is too low .* n_components=2"),
    (LLE(method="modified"), CLOUD, "'method' parameter of LLE must be"),
    (LLE(n_neighbors=40), CLOUD, "n_neighbors"),
    (LandmarkMVU(3, n_landmarks=3), CLOUD, "n_components=3 is too high for 3 landmarks and 40"),
    (LaplacianEigenmaps(9, n_neighbors=3), CLOUD[:10], "n_components=9 is too high for 10 samp"),
    (LargestComponentMVU(41), CLOUD, "n_components=41 is too high for 40 samples"),
    (LocalMAP(), EQUAL, "all 30 rows of X are equal"),
    (LolaGP(), NO_FEATURES, "feature 1 of X has no observed value, as 2 in all"),
    (LolaGP(batch_size=20), ONE_GAP, "batch_size needs data without missing values"),
    (LolaGP(n_neighbors=40), CLOUD, "n_neighbors=40 is too high for 40 samples"),
    (MVU(41), CLOUD, "n_components=41 is too high for 40 samples"),
    (MetricMDS(6), CLOUD, "n_components=6"),
    (NonmetricMDS(), EQUAL, "all 30 rows of X are equal"),
    (Oracle(4), CLOUD, "n_components=4 is too high: the latent has 3 dimensions"),
    (OutOfSample(3), CLOUD, "'estimator' parameter of OutOfSample must be an object"),
    (PaCMAP(5), CLOUD, "n_components=5 is too high for 40 samples and 4 features"),
    (PaCMAP(), CLOUD[:4], r"4 sample\(s\).*minimum of 5"),
    (ParametricTSNE(loss="js"), CLOUD, "'loss' parameter of ParametricTSNE must be"),
    (ParametricTSNE(perplexity=0.9), CLOUD, r"perplexity=0\.9 must be at least 1"),
    (ParametricTSNE(perplexity=1), CLOUD[:3], r"3 sample\(s\).*minimum of 4"),
    (ParametricTSNE(perplexity=5), EQUAL, "all 30 rows of X are equal"),
    (ParametricTSNERBM(perplexity=0.9), CLOUD, r"perplexity=0\.9 must be at least 1"),
    (ParametricTSNERBM(perplexity=5), EQUAL, "all 30 rows of X are equal"),
    (ParametricUMAP(n_neighbors=1), CLOUD, "'n_neighbors' parameter of ParametricUMAP must be"),
    (ParametricUMAP(n_neighbors=40), CLOUD, "n_neighbors=40 is too high for 40 samples"),
    (PublishedDisjointMVU(41), CLOUD, "n_components=41 is too high for 40 samples"),
    (Sammon(), EQUAL, "all 30 rows of X are equal"),
    (Stabilized(), -EQUAL, "counts must be at least 0"),
    (TSNE(perplexity=0.9), CLOUD, r"perplexity=0\.9 is too low: it must be at least 1"),
    (TSNE(perplexity=1), CLOUD[:3], r"3 sample\(s\).*minimum of 4"),
    (TSNE(perplexity=5), EQUAL, "all 30 rows of X are equal"),
    (UMATO(5, n_neighbors=5), CLOUD, "n_components=5 is too high for 20 hubs and 4 features"),
    (UMATO(), CLOUD, "n_neighbors=50 is too high for 40 samples"),
    (UMATO(n_neighbors=5), EQUAL, "all 30 rows of X are equal"),
    (UMAP(min_dist=1.5), CLOUD, "'min_dist' parameter of UMAP must be"),
    (UMAP(n_neighbors=1), CLOUD, "'n_neighbors' parameter of UMAP must be"),
    (UMAP(n_neighbors=40), CLOUD, "n_neighbors=40 is too high for 40 samples"),
    *(
        (
            network(hidden=(8, 0), **sizes),
            CLOUD,
            r"hidden=\(8, 0\): each layer needs at least one unit",
        )
        for network, sizes in {
            Autoencoder: {},
            VAE: {},
            DLMP: {"perplexity": 5},
            ParametricTSNE: {"perplexity": 5},
            ParametricTSNERBM: {"perplexity": 5},
            ParametricUMAP: {"n_neighbors": 5},
        }.items()
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
    (Isomap(n_neighbors=7), "no geodesic distances exist"),
    (LLE(eigen_solver="dense"), ".*have no neighbors outside.* unless disconnected='bridges'"),
    (LLE(eigen_solver="dense", method="hessian"), ".*no patch contains"),
    (LLE(eigen_solver="dense", method="ltsa"), ".*no patch contains"),
    (LandmarkMVU(n_neighbors=8, n_landmarks=20, random_state=0), "the variance is unbounded"),
    (LaplacianEigenmaps(), "Laplacian eigenmaps collapse .* disconnected='bridges'"),
    (MVU(n_neighbors=8), r"the variance is unbounded .*, as disconnected='bridges' does\."),
    (DensMAP(n_neighbors=8, n_epochs=20, random_state=0), "UMAP arranges them by their means"),
    (UMAP(n_neighbors=8, n_epochs=20, random_state=0), "UMAP arranges them by their means"),
]


# Methods that join the components after their warning, and what it says then
JOINED = {Isomap: "depend on edges added .* the longest of length [.0-9]+", MVU: "each pair was"}


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
