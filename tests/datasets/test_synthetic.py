"""What all synthetic datasets of the catalog have in common: sizes, noise, seeds and refusals."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from nldr.datasets.encoding_models import MODELS
from nldr.engine.code.imports import import_object

CATALOG = yaml.safe_load(
    (Path(__file__).parents[2] / "workflow/catalog/datasets.yaml").read_text("utf-8")
)
WITH_NOISE = [name for name, entry in CATALOG.items() if "noise" in entry.get("params", {})]
WITHOUT_NOISE = ["hierarchical_gaussians", "single_cells", "topic_counts"]


def make(name, seed=0, **params):
    """Return a dataset with parameters of the catalog, some of them changed."""
    entry = CATALOG[name]
    params = entry["params"] | params
    return import_object(entry["function"])(**params, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("name", WITH_NOISE + WITHOUT_NOISE)
def test_catalog_sizes_match_dataset_and_a_seed_makes_it_again(name, seed):
    entry = CATALOG[name]
    params = entry["params"]
    data = make(name, seed)
    sizes = [entry.get(size) for size in ("n_samples", "n_features", "n_latent")]
    expected = [params[size] if isinstance(size, str) else size for size in sizes]
    n_latent = None if data.Z is None else data.Z.shape[1]
    assert [data.n_samples, data.n_features, n_latent] == expected
    assert (data.y is not None) == entry.get("labels", False)
    np.testing.assert_array_equal(make(name, seed).X, data.X)
    assert (make(name, seed + 1).X != data.X).any()


@pytest.mark.parametrize("name", WITH_NOISE)
def test_noise_is_added_to_the_clean_data(name, seed):
    silent, noisy = make(name, seed, noise=0.0), make(name, seed, noise=0.3)
    assert silent.clean is None
    np.testing.assert_array_equal(noisy.clean, silent.X)
    if silent.Z is not None:
        np.testing.assert_array_equal(noisy.Z, silent.Z)
    errors = noisy.X - noisy.clean
    assert errors.std() == pytest.approx(0.3, rel=0.05)
    # No error is shared by the points, or by the features of a point
    for axis in (0, 1):
        scaled = errors.mean(axis=axis) / 0.3 * np.sqrt(errors.shape[axis])
        assert np.abs(scaled).max() < 6


@pytest.mark.parametrize(
    ("name", "params"),
    [
        *((name, {"n_samples": 40}) for name in ("gp", "sinusoid", "gaussian_bump")),
        *(("latent_curve", {"curve": curve}) for curve in ("easy", "medium", "hard")),
        *(("encoding_model", {"model": model, "mean_sd": 1.0}) for model in MODELS),
    ],
)
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_first_features_do_not_depend_on_n_features(name, params, noise, seed):
    few, many = (make(name, seed, n_features=n, noise=noise, **params) for n in (10, 100))
    np.testing.assert_array_equal(few.Z, many.Z)
    np.testing.assert_allclose(few.X, many.X[:, :10], rtol=0, atol=1e-12)
    np.testing.assert_allclose(few.reference, many.reference[:, :10], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", WITH_NOISE + WITHOUT_NOISE)
def test_sizes_and_noise_that_cannot_be_are_refused(name):
    entry = CATALOG[name]
    wrong = {"noise": (-0.1, "must be a standard deviation of at least 0")}
    for size in ("n_samples", "n_features", "n_latent"):
        wrong[size] = (0, "must be (greater than 0|at least \\d+)")
    for param, (value, message) in wrong.items():
        if param in entry["params"]:
            with pytest.raises(ValueError, match=f"^{param} {message}, got {value}"):
                make(name, **{param: value})
