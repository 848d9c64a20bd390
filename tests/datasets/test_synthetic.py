"""Catalog entries of the synthetic datasets match the generated data."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from nldr.engine.code.imports import import_object

CATALOG = yaml.safe_load(
    (Path(__file__).parents[2] / "workflow/catalog/datasets.yaml").read_text("utf-8")
)

NAMES = [
    "gp",
    "sinusoid",
    "gaussian_bump",
    "latent_curve",
    "swiss_roll",
    "broken_swiss_roll",
    "helix",
    "twin_peaks",
    "high_dimensional",
    "spheres",
    "parallel_swiss_rolls",
    "turned_swiss_rolls",
    "broken_s_curve",
    "four_moons",
    "s_curve_hole",
    "nested_rings",
    "mammoth",
    "tree",
    "random_walk_tree",
    "hierarchical_gaussians",
    "single_cells",
    "hypercube",
    "topic_counts",
]


@pytest.mark.parametrize("name", NAMES)
def test_catalog_sizes_match_dataset(name, seed):
    entry = CATALOG[name]
    params = entry["params"]
    data = import_object(entry["function"])(**params, rng=np.random.default_rng(seed))
    sizes = [entry.get(size) for size in ("n_samples", "n_features", "n_latent")]
    expected = [params[size] if isinstance(size, str) else size for size in sizes]
    n_latent = None if data.Z is None else data.Z.shape[1]
    assert [data.n_samples, data.n_features, n_latent] == expected
    assert (data.y is not None) == entry.get("labels", False)
