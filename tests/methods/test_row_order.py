"""Every method of the catalog on rows in another order: the same embedding, or the same scores.

Deterministic methods must return the same embedding up to a rigid motion, those with random numbers
the same scores up to the differences between seeds. The rows are stored in an order that means
something, as in image datasets that are sorted by class.
"""

import warnings
from pathlib import Path

import numpy as np
import pytest

from nldr.engine.code.imports import import_object
from nldr.engine.reading.entries import MethodCatalog, WrappedEntry, WrapperCatalog
from nldr.engine.reading.parsing import read_model
from nldr.metrics.alignment import procrustes
from nldr.metrics.neighbors import neighborhood_hit
from nldr.metrics.ranks import trustworthiness_continuity

ROOT = Path(__file__).parents[2]
ENTRIES = read_model(MethodCatalog, ROOT, "workflow/catalog/methods.yaml").root
WRAPPERS = read_model(WrapperCatalog, ROOT, "workflow/catalog/wrappers.yaml").root
METHODS = {
    name: entry.unwrapped(ENTRIES, WRAPPERS, name) if isinstance(entry, WrappedEntry) else entry
    for name, entry in ENTRIES.items()
    # `make test` does not install environments
    if isinstance(entry, WrappedEntry) or entry.environment is None
}

# Methods that depend on the order of the rows, and why. Each is checked to do so.
ORDER_DEPENDENT = {
    "ikd_blockwise": "the first of equally large cliques found is embedded first",
    "ikd_reference": "as ikd_blockwise",
    "ikd_knn_released": "the centering of the released code mixes rows and columns",
    "sklearn_tsne": "no seed moves its start, by PCA, and rounding errors grow with the iterations",
    "tsne_unscaled": "rounding errors grow with the iterations",
    "mvu_disjoint_component_order": "rows are returned in the order of the components",
}
# Compile, or take several seconds: run by `make test-recipes`
SLOW = {"umato", "densmap", "stream_parametric_umap", "vae_restarts", "tsne_restarts"}
ROUNDING = 1e-9  # of the variance: coordinates differ by 3e-5 of their standard deviation
SOLVED = {"mvu_sdp": 1e-6}  # the same for iterative solvers, by their accuracy
SEEDS = 5  # per order of the rows
SMALL = {
    "hidden": [16],
    "n_epochs": 10,
    "pretrain_epochs": 1,
    "perplexity": 8.0,
    "n_iter": 50,
    "n_inducing": 10,
    "n_landmarks": 15,
    "amount": 0.5,
}
STREAM = {"n_first": 30, "batch_size": 30}


def small(name):
    """Return the parameters of a method for few points."""
    entry = METHODS[name]
    accepted = import_object(entry.class_)().get_params()
    params = {key: value for key, value in SMALL.items() if key in accepted}
    n_iter = 2 if entry.class_.endswith("DiscreteGPLVM") else 4
    params |= {"max_iter": n_iter} if ".gp." in entry.class_ else {}
    return params | ({"n_iter": 250} if entry.class_.endswith("DLMP") else {})  # which needs them


def estimator_of(name, seed):
    """Return the estimator of the catalog with parameters for few points."""
    entry = METHODS[name]
    make, params = import_object(entry.class_), entry.params | small(name)
    accepted = make().get_params()
    if "params" in accepted:  # of a method that it wraps
        params["params"] = entry.params.get("params", {}) | small(params["method"])
    if name.startswith("stream"):
        params |= STREAM
    if "random_state" in accepted:
        params["random_state"] = seed
    return make(**params | {"n_components": 2})


def data_of(name, rng):
    """Return observations and latent of a bent sheet, sorted along it.

    Methods for disconnected graphs, or with a remedy for them, get two sheets.
    """
    entry = METHODS[name]
    remedy = "disconnected" in entry.params or "isjoint" in entry.class_
    parts = 2 if remedy or "Largest" in entry.class_ or "Selected" in entry.class_ else 1
    slow = name == "mvu_sdp" or entry.class_.endswith("DiscreteGPLVM")
    n = 24 if slow else 60
    part = (np.arange(n) >= 0.6 * n if parts == 2 else np.zeros(n)).astype(int)  # unequal sizes
    u = rng.uniform(size=n)
    u, v = np.sort(u + part) - part, rng.uniform(size=n)
    X = np.column_stack([np.cos(3 * u), np.sin(3 * u), 1.5 * v, 0.3 * u * v, 0.2 * v**2])
    X += 6 * part[:, None] + 0.02 * rng.normal(size=X.shape)
    if entry.class_.endswith(("DiscreteGPLVM", "Stabilized")):  # for counts, or rates of bits
        X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    return X, np.column_stack([u + 3 * part, v])


def fit(name, X, Z, seed=0):
    """Return the embedding of a method."""
    target = {None: (), "latent": (Z,), "labels": (labels(X),)}[METHODS[name].needs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few iterations: many do not converge
        return estimator_of(name, seed).fit_transform(X, *target)


def labels(Z):
    """Return four classes of equal size along the first latent dimension."""
    return 4 * np.argsort(np.argsort(Z[:, 0])) // len(Z)


def scores(X, Z, embedding):
    """Return trustworthiness, continuity and neighborhood hit."""
    kept = np.ravel(trustworthiness_continuity(X, embedding, [7]))
    return [*kept, neighborhood_hit(labels(Z), embedding, [7])[0]]


def residual(name, rng):
    """Return the Procrustes residual between the embeddings of two orders of the same rows."""
    X, Z = data_of(name, rng)
    order = rng.permutation(len(X))
    return procrustes(fit(name, X, Z)[order], fit(name, X[order], Z[order]))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.recipe if name in SLOW else ())
        for name in METHODS
        if name not in ORDER_DEPENDENT
    ],
)
def test_row_order_does_not_matter(name, rng):
    X, Z = data_of(name, rng)
    order = rng.permutation(len(X))
    # The same embedding up to a rigid motion
    stored, shuffled = [fit(name, X, Z)], [fit(name, X[order], Z[order])]
    difference = procrustes(stored[0][order], shuffled[0])
    if difference <= SOLVED.get(name, ROUNDING):
        return
    # Or a method with random numbers, whose embedding depends on the seed
    assert "random_state" in estimator_of(name, 0).get_params(), f"residual {difference:.1e}"
    stored += [fit(name, X, Z, seed) for seed in range(1, SEEDS)]
    assert procrustes(stored[0], stored[1]) > ROUNDING, f"residual {difference:.1e}"
    # The same scores, up to the differences between seeds
    shuffled += [fit(name, X[order], Z[order], seed) for seed in range(1, SEEDS)]
    values = np.array(
        [
            [scores(X, Z, embedding) for embedding in stored],
            [scores(X[order], Z[order], embedding) for embedding in shuffled],
        ]
    )
    error = np.sqrt(values.var(axis=1, ddof=1).sum(axis=0) / SEEDS)
    gap = np.abs(np.diff(values.mean(axis=1), axis=0)[0])
    assert (gap <= 6 * error + 0.02).all(), f"scores differ by {gap}, standard error {error}"


@pytest.mark.parametrize("name", [name for name in METHODS if name in ORDER_DEPENDENT])
def test_list_of_exceptions_is_honest(name):
    draws = (residual(name, np.random.default_rng(seed)) for seed in range(6))
    assert any(draw > ROUNDING for draw in draws), (
        f"take {name} out of ORDER_DEPENDENT: it does not depend any more"
    )
