"""What the catalog promises of real datasets is what their loaders return; wrapped methods."""

import numpy as np
import pytest
from conftest import ROOT, SIGNATURES
from originals import replace_originals

import nldr.datasets
from nldr.engine.code.imports import import_object
from nldr.engine.planning.catalog import Catalog

NAMES = """
    bank coil20 fashion_mnist hatespeech imdb letter mnist orl qpcr teapots umist
"""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    """Return the catalog, where a small original of every real dataset is at hand."""
    folder = tmp_path_factory.mktemp("originals")
    with pytest.MonkeyPatch.context() as monkeypatch:
        replace_originals(folder, monkeypatch)
        yield Catalog(ROOT, SIGNATURES)


@pytest.mark.parametrize("name", NAMES.split())
def test_real_datasets_are_as_promised(catalog, name):
    entry = catalog.datasets[name]
    params = dict(entry.params)
    random = {}
    if "n_samples" in params:
        params["n_samples"], random = 100, {"rng": np.random.default_rng(0)}
    data = import_object(entry.function)(**params, **random)
    assert data.X.shape == (entry.size("n_samples", params), entry.size("n_features", params))
    assert (data.y is not None) == entry.labels
    assert (None if data.Z is None else data.Z.shape[1]) == entry.n_latent
    assert entry.function.endswith(f".{name}")
    assert getattr(nldr.datasets, name).__module__ == entry.function.rpartition(".")[0]


def test_all_datasets_with_originals_are_tested(catalog):
    functions = {entry.function for entry in catalog.datasets.values() if entry.max_samples}
    functions.remove("nldr.datasets.annotated.annotated")  # of files that users write
    sampled = {function.rpartition(".")[2] for function in functions}
    assert sampled | {"qpcr", "teapots"} == set(NAMES.split())


def test_a_wrapped_method_takes_family_and_title_of_the_method(catalog):
    entry = catalog.methods["tsne_imputed"]
    assert entry.title == "t-SNE after imputation"
    assert entry.family == catalog.methods["tsne"].family
    assert entry.params == {"method": "tsne", "imputer": "knn"}
    assert entry.seconds == 1800
