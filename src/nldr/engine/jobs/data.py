"""The job that makes one trial of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nldr.datasets.transforms import transform
from nldr.engine.imports import import_object
from nldr.engine.store import provenance, write_npz


def make_data(job: Mapping[str, Any], output: Path) -> None:
    """Generate or load one trial of a dataset, and transform it as the study says.

    Raises
    ------
    ValueError
        If the function does not return what the catalog promises.
    """
    import numpy as np

    random = {} if job["seed"] is None else {"rng": np.random.default_rng(job["seed"])}
    data = import_object(job["function"])(**job["params"], **random)
    data = transform(data, job["transforms"], job["transform_seed"])
    found = {
        "n_samples": data.n_samples,
        "n_features": data.n_features,
        "n_latent": None if data.Z is None else data.Z.shape[1],
        "labels": data.y is not None,
    }
    if found != job["expect"]:
        raise ValueError(
            f"dataset '{job['name']}' came out as {found}, but workflow/catalog/datasets.yaml "
            f"promises {job['expect']}: correct one of the two"
        )
    write_npz(output, data.arrays(), provenance(job=dict(job)))
