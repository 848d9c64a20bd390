"""What all synthetic datasets of the catalog have in common: sizes, noise, seeds and refusals."""

import inspect

import numpy as np
import pytest
from synthetic import CATALOG, make

from nldr.datasets.encoding_models import MODELS
from nldr.engine.code.imports import import_object

WITH_NOISE = [name for name, entry in CATALOG.items() if "noise" in entry.get("params", {})]
WITHOUT_NOISE = ["hierarchical_gaussians", "single_cells", "topic_counts"]
# Or are refused for another reason, as below
MAY_BE_ZERO = {
    *(("hierarchical_gaussians", name) for name in ("n_levels", "label_level")),
    *(("single_cells", name) for name in ("library_sd", "dispersion", "dropout")),
    ("encoding_model", "mean_sd"),
    ("s_curve_hole", "radius"),
}


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


@pytest.mark.parametrize("name", [*WITH_NOISE, *WITHOUT_NOISE, "low_light"])
def test_numbers_and_choices_that_cannot_be_are_refused(name):
    entry = CATALOG[name]
    parameters = inspect.signature(import_object(entry["function"])).parameters.values()
    for param, value in ({p.name: p.default for p in parameters} | entry["params"]).items():
        if param == "noise":
            wrong, message = -0.1, "must be a standard deviation of at least 0, got -0.1"
        elif isinstance(value, str):
            wrong, message = "neither", "must be one of .*, got 'neither'"
        elif type(value) in (int, float) and (name, param) not in MAY_BE_ZERO:
            wrong, message = 0, "must be (greater than 0|at least \\d+), got 0"
        else:
            continue
        with pytest.raises(ValueError, match=f"^{param} {message}$"):
            make(name, **{param: wrong})


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("encoding_model", {"mean_sd": -1.0}, "mean_sd must be a standard deviation of at least 0"),
        (
            "encoding_model",
            {"model": "figure_eight", "n_latent": 3},
            "n_latent must be 2 for the figure eight, got 3",
        ),
        ("gaussian_bump", {"n_features": 10_001}, "n_features must be at most 10000, .* 10001"),
        ("gp", {"noise": float("nan")}, "noise must be a standard deviation .*, got nan"),
        ("hierarchical_gaussians", {"label_level": 4}, "label_level must be from 1 to n_levels=3"),
        (
            "high_dimensional",
            {"n_samples": 1000, "grid": True},
            "n_samples must be the fifth power of a whole number of at least 2 with grid",
        ),
        ("nested_rings", {"n_features": 1}, "n_features must be at least 2, got 1"),
        ("s_curve_hole", {"radius": 2.5}, "radius must be at least 0 and less than 2.5, got 2.5"),
        ("single_cells", {"dropout": 1.0}, "library_sd and dispersion must be .* dropout=1.0"),
        ("spheres", {"n_features": 1}, "n_features must be at least 2, got 1"),
        ("spheres", {"n_samples": 1990}, "n_samples must be a multiple of 20, .*, got 1990: "),
        ("topic_counts", {"n_topics": 1}, "n_topics must be at least 2, got 1"),
    ],
)
def test_parameters_that_cannot_be_are_refused(name, params, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        make(name, **params)
