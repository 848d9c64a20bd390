"""What all synthetic datasets of the catalog have in common: sizes, noise, seeds and refusals."""

import numpy as np
import pytest
from synthetic import CATALOG, make

from nldr.datasets.encoding_models import MODELS

WITH_NOISE = [name for name, entry in CATALOG.items() if "noise" in entry.get("params", {})]
WITHOUT_NOISE = ["hierarchical_gaussians", "single_cells", "topic_counts"]


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


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("broken_swiss_roll", {"gap": "wide"}, "gap must be one of text, released, got 'wide'"),
        ("broken_swiss_roll", {"labels": "x"}, "labels must be one of components, checkerboard"),
        ("encoding_model", {"mean_sd": -1.0}, "mean_sd must be a standard deviation of at least 0"),
        ("encoding_model", {"model": "spiral"}, "model must be one of periodic, .*, got 'spiral'"),
        (
            "encoding_model",
            {"model": "figure_eight", "n_latent": 3},
            "n_latent must be 2 for the figure eight, got 3",
        ),
        ("four_moons", {"labels": "x"}, "labels must be one of components, kinds, got 'x'"),
        ("gaussian_bump", {"n_features": 10_001}, "n_features must be at most 10000, .* 10001"),
        ("gaussian_bump", {"norm": "l3"}, "norm must be one of l1, l2, got 'l3'"),
        ("gp", {"length_scale": 0.0}, "length_scale must be greater than 0, got 0.0"),
        ("gp", {"noise": float("nan")}, "noise must be a standard deviation .*, got nan"),
        ("hierarchical_gaussians", {"label_level": 4}, "label_level must be from 1 to n_levels=3"),
        (
            "high_dimensional",
            {"n_samples": 1000, "grid": True},
            "n_samples must be the fifth power of a whole number of at least 2 with grid",
        ),
        ("latent_curve", {"curve": "flat"}, "curve must be one of easy, medium, hard, got 'flat'"),
        ("latent_curve", {"kernel": "linear"}, "kernel must be one of .*, matern, got 'linear'"),
        ("latent_curve", {"length_scale": -1.0}, "length_scale must be greater than 0, got -1.0"),
        ("low_light", {"sensor": "film"}, "sensor must be one of"),
        ("nested_rings", {"n_features": 1}, "n_features must be at least 2, got 1"),
        ("roll_and_thread", {"distance": 0.0}, "distance must be greater than 0"),
        ("s_curve_hole", {"radius": 2.5}, "radius must be at least 0 and less than 2.5, got 2.5"),
        ("single_cells", {"dropout": 1.0}, "library_sd and dispersion must be .* dropout=1.0"),
        ("spheres", {"enclosing_radius": 0.0}, "enclosing_radius must be greater than 0, got 0.0"),
        ("spheres", {"n_features": 1}, "n_features must be at least 2, got 1"),
        ("spheres", {"n_samples": 1990}, "n_samples must be a multiple of 20, .*, got 1990: "),
        ("spheres", {"n_spheres": 0}, "n_spheres must be greater than 0, got 0"),
        ("spheres", {"radius": -5.0}, "radius must be greater than 0, got -5.0"),
        ("spheres", {"spread": 0.0}, "spread must be greater than 0, got 0.0"),
        ("swiss_roll", {"height": -1.0}, "height must be greater than 0, got -1.0"),
        ("topic_counts", {"n_topics": 1}, "n_topics must be at least 2, got 1"),
        ("tree", {"path": "bent"}, "path must be one of straight, walk, got 'bent'"),
        ("two_swiss_rolls", {"distance": 0.0}, "distance must be greater than 0"),
    ],
)
def test_parameters_that_cannot_be_are_refused(name, params, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        make(name, **params)
