"""Compute one embedding: fit, time and check an estimator."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from nldr.engine.code.imports import import_object
from nldr.engine.files.status import Status
from nldr.engine.files.store import provenance, read_npz, write_npz
from nldr.engine.jobs.specs import EmbedJob
from nldr.engine.stages.clocks import FitClock
from nldr.engine.stages.failures import clean, outcome_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLOCKED = ("seconds", "cpu_seconds", "compile_seconds", "peak_mb")


def embed(
    job: EmbedJob,
    trial: int,
    data: tuple[str, str],
    path: str,
    facts: dict[str, Any],
    begin: Callable[[], None],
) -> dict[str, Any]:
    """Compute one embedding and write it, or its failure, to a file.

    ``data`` is the file of the dataset and its SHA-256; ``facts`` are added to the provenance;
    ``begin`` is called when the work that is limited begins. Returns name and digests of the file,
    status, message and cost.
    """
    arrays, outcome = compute(job, trial, data, begin)
    outcome |= facts
    meta = provenance(job=job.of_trial(trial), **outcome)
    entry = write_npz(path, arrays, meta)
    return {**entry, **outcome, **{name: meta[name] for name in ("cpu", "run", "written")}}


def compute(
    job: EmbedJob, trial: int, data: tuple[str, str], begin: Callable[[], None]
) -> tuple[dict[str, NDArray], dict[str, Any]]:
    """Fit the estimator of a job and return the embedding with status, message and cost.

    The arrays hold the embedding and the histories of the fit, as ``fit.<name>``; a failed method
    leaves none. scikit-learn's ConvergenceWarning is ``not_converged``.
    """
    from nldr.dataset import Dataset

    # Whatever fails here is not the method's fault.
    dataset = Dataset.from_arrays(read_npz(*data)[0])
    facts: dict[str, Any] = {"status": Status.OK, "message": ""}
    arrays: dict[str, NDArray] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Every way in which the method can fail is a status.
        try:
            arrays = _fit(job, trial, dataset, begin, facts)
        except BaseException as error:
            facts |= outcome_of(error)
    # An embedding that did not converge is kept.
    unconverged = [w for w in caught if w.category.__name__ == "ConvergenceWarning"]
    if unconverged and arrays:
        facts.update(status=Status.NOT_CONVERGED, message=clean(str(unconverged[0].message)))
    texts = [f"{w.category.__name__}: {clean(str(w.message))}" for w in caught]
    facts["warnings"] = list(dict.fromkeys(texts))[:20]
    return arrays, facts


def _fit(
    job: EmbedJob, trial: int, data: Any, begin: Callable[[], None], facts: dict[str, Any]
) -> dict[str, NDArray]:
    """Fit, time and check the estimator; ``facts`` gets its costs and numbers."""
    import numpy as np

    make, params = import_object(job.estimator), job.params_of(trial)
    estimator = make(**params)
    target = {None: None, "latent": data.Z, "labels": data.y}[job.needs]
    arguments = (data.X,) if target is None else (data.X, target)
    # Only methods that can embed new points are fitted on the training points alone.
    train = data.train if job.split and hasattr(estimator, "transform") else None
    if train is not None:
        arguments = tuple(array[train] for array in arguments)
    for n_rows in job.warm_up:
        warm_up(make(**params), arguments, n_rows)
    # Time the fit alone.
    begin()
    with FitClock() as clock:
        embedding = estimator.fit_transform(*arguments)
    facts |= {name: getattr(clock, name) for name in CLOCKED}
    facts["fitted_rows"] = len(arguments[0])
    # Numbers and histories of the fitted estimator.
    facts["fit"] = {
        name.rstrip("_"): float(number)
        for name in job.attributes
        if (number := _attribute(estimator, name, "attributes")) is not None
    }
    if np.isnan(data.X).any():
        facts["fit"] |= lost_error(estimator, data)
    histories = {
        f"fit.{name.rstrip('_')}": np.asarray(_attribute(estimator, name, "histories"), float)
        for name in job.histories
    }
    n_components = params["n_components"]
    embedding = _check_embedding(embedding, (len(arguments[0]), n_components))
    if train is None:
        return {"embedding": embedding, **histories}
    # Embed the test points.
    wall = time.perf_counter()
    rest = estimator.transform(data.X[~train])
    facts["transform_seconds"] = time.perf_counter() - wall
    joined = np.empty((data.n_samples, n_components))
    joined[train] = embedding
    joined[~train] = _check_embedding(rest, (np.sum(~train), n_components))
    return {"embedding": joined, **histories}


def lost_error(estimator: Any, data: Any) -> dict[str, float]:
    """Return the error of the values that a fitted estimator fills in for missing ones.

    ``lost_error`` is the sum of squared errors over the missing entries, divided by that of the
    means of the clean features; there is none if the estimator fills in nothing.
    """
    import numpy as np

    if hasattr(estimator, "completed_"):
        completed = estimator.completed_
    elif hasattr(estimator, "predict"):
        completed = estimator.predict(data.X)
    else:
        return {}
    lost = np.isnan(data.X)
    errors, spread = completed - data.clean, data.clean - data.clean.mean(axis=0)
    return {"lost_error": float(np.square(errors[lost]).sum() / np.square(spread[lost]).sum())}


def warm_up(estimator: Any, arguments: tuple[Any, ...], n_rows: int) -> None:
    """Fit some rows to trigger compilation; the result, and any failure, is ignored."""
    if len(arguments[0]) < n_rows:
        return
    with warnings.catch_warnings(), suppress(Exception):
        warnings.simplefilter("ignore")
        estimator.fit_transform(*(argument[:n_rows] for argument in arguments))


def _check_embedding(embedding: Any, shape: tuple[int, int]) -> NDArray:
    """Return the embedding as an array of floats, or raise if it is not one."""
    import numpy as np

    if isinstance(embedding, np.ma.MaskedArray) and np.ma.is_masked(embedding):
        raise RuntimeError("the method returned a masked array")
    embedding = np.asarray(embedding)
    if embedding.dtype.kind not in "fiub":
        raise RuntimeError(f"the method returned numbers of type {embedding.dtype}, not real ones")
    embedding = embedding.astype(float, copy=False)
    if embedding.shape != shape:
        raise RuntimeError(f"the method returned shape {embedding.shape}, not {shape}")
    bad = (~np.isfinite(embedding)).any(axis=1).sum()
    if bad:
        raise RuntimeError(f"the method returned NaN or infinity in {bad} of {shape[0]} rows")
    return embedding


def _attribute(estimator: Any, name: str, key: str) -> Any:
    """Return an attribute of a fitted estimator that the catalog lists under ``key``."""
    if not hasattr(estimator, name):
        raise RuntimeError(
            f"{type(estimator).__name__} has no attribute '{name}' after its fit: "
            f"correct `{key}` in workflow/catalog/methods.yaml"
        )
    return getattr(estimator, name)
