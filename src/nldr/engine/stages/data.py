"""Make one trial of a dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nldr.engine.code.imports import import_object
from nldr.engine.files.store import provenance, write_npz
from nldr.engine.jobs.specs import DataJob
from nldr.engine.stages.failures import outcome_of


def make_data(
    job: DataJob, trial: int, path: str, facts: dict[str, Any], begin: Callable[[], None]
) -> dict[str, Any]:
    """Generate or load one trial of a dataset, transform it as the study asks, and write it.

    ``facts`` are added to the provenance; ``begin`` is called when the work that is limited begins.
    Returns name and digests of the file, and the status. A dataset that raises has a status and a
    message, and no file; ``transient`` says whether the next run tries again.
    """
    import numpy as np

    from nldr.datasets.transforms import transform

    # Generators are seeded; loaders take no random numbers.
    function = import_object(job.function)
    seed = job.seeds[trial]
    random = {} if seed is None else {"rng": np.random.default_rng(seed)}
    begin()
    try:
        data = function(**job.params, **random)
        data = transform(data, job.transforms, job.transform_seeds[trial])
        _check_sizes(job, data)
    except BaseException as error:
        # A file that could not be read or downloaded may be there the next time.
        return outcome_of(error) | {"transient": isinstance(error, OSError)}
    outcome = {"status": "ok", "message": "", **facts}
    entry = write_npz(path, data.arrays(), provenance(job=job.of_trial(trial), **outcome))
    return {**entry, **outcome}


def _check_sizes(job: DataJob, data: Any) -> None:
    """Raise if the data are no real numbers of the sizes by which other jobs were planned."""
    for name, array in data.arrays().items():
        if array.dtype.kind not in "fiub":
            raise TypeError(f"{name} has numbers of type {array.dtype}, not real ones")
    sizes = {
        "n_samples": data.n_samples,
        "n_features": data.n_features,
        "n_latent": None if data.Z is None else data.Z.shape[1],
        "labels": data.y is not None,
    }
    if sizes != job.expected:
        raise ValueError(
            f"dataset '{job.name}' has {sizes}, but workflow/catalog/datasets.yaml promises "
            f"{job.expected}: correct one of the two"
        )
