"""Make one trial of a dataset."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from nldr.datasets.transforms import transform
from nldr.engine.imports import import_object
from nldr.engine.jobs.specs import DataJob
from nldr.engine.store import provenance, write_npz


def make_data(job: DataJob, output: Path) -> None:
    """Generate or load one trial of a dataset, and transform it as the study asks.

    Parameters
    ----------
    job : DataJob
        Function, parameters, transforms and seeds.
    output : Path
        File to write.

    Raises
    ------
    ValueError
        If the function does not return what the catalog promises.
    """
    import numpy as np

    # Generators are seeded; loaders take no random numbers.
    random = {} if job.seed is None else {"rng": np.random.default_rng(job.seed)}
    data = import_object(job.function)(**job.params, **random)
    data = transform(data, job.transforms, job.transform_seed)

    # Compare with the sizes that other jobs were planned by.
    found = {
        "n_samples": data.n_samples,
        "n_features": data.n_features,
        "n_latent": None if data.Z is None else data.Z.shape[1],
        "labels": data.y is not None,
    }
    if found != job.expected:
        raise ValueError(
            f"dataset '{job.name}' has {found}, but workflow/catalog/datasets.yaml promises "
            f"{job.expected}: correct one of the two"
        )
    write_npz(output, data.arrays(), provenance(job=asdict(job)))
