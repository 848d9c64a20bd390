"""What the catalog promises of real datasets is what their originals hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from originals import need

import nldr.datasets
from nldr.engine.catalog import Catalog
from nldr.engine.jobs.data import make_data

ROOT = Path(__file__).parents[2]
FOLDERS = {"qpcr": "guo_qpcr", "hatespeech": "hate_speech"} | {
    name: name
    for name in ("mnist", "fashion_mnist", "coil20", "umist", "teapots", "letter", "bank", "imdb")
}


@pytest.mark.parametrize("name", FOLDERS)
def test_real_data_sets_are_as_promised(name: str, tmp_path: Path) -> None:
    need(FOLDERS[name])
    entry = Catalog(ROOT, tmp_path / "signatures.json").datasets[name]
    params = dict(entry.params)
    if "n_samples" in params:
        params["n_samples"] = 100
    expect = {
        "n_samples": params.get("n_samples", entry.n_samples),
        "n_features": entry.n_features,
        "n_latent": entry.n_latent,
        "labels": entry.labels,
    }
    seed = 0 if "n_samples" in params else None
    job = {"name": name, "function": entry.function, "params": params, "seed": seed}
    untouched = {"transforms": {}, "transform_seed": 0}
    make_data({**job, **untouched, "expect": expect}, tmp_path / "data.npz")
    with np.load(tmp_path / "data.npz") as file:
        assert len(file["X"]) == expect["n_samples"]
    assert entry.function.endswith(f".{name}")
    assert getattr(nldr.datasets, name).__module__ == entry.function.rpartition(".")[0]
