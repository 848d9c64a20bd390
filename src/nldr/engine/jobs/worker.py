"""Child process that computes one embedding; it reads its job from standard input."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import sys
import threading
import time
import traceback
import warnings
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nldr.engine.jobs.specs import EmbedJob
from nldr.engine.status import Status

if TYPE_CHECKING:
    from numpy.typing import NDArray


def main() -> None:
    """Read the job, compute, write the embedding or the failure, and end."""
    request = json.loads(sys.stdin.readline())
    job = EmbedJob(**request["job"])
    threading.Thread(target=_end_with_parent, daemon=True).start()
    embed(job, request["data"], request["output"])


def embed(job: EmbedJob, data: str, output: str) -> None:
    """Compute one embedding in this process and write it, or its failure, to a file."""
    from nldr.engine.store import provenance, write_npz

    arrays, facts = compute(job, data)
    facts["peak_mb"] = _peak_mb()
    write_npz(output, arrays, provenance(job=asdict(job), **facts))


def _peak_mb() -> float:
    """Return the peak of this process's resident memory in MB.

    On Linux, ``ru_maxrss`` starts at the size of the parent process; /proc does not.
    """
    if sys.platform == "linux":
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(re.findall(r"VmHWM:\s*(\d+)", status)[0]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _end_with_parent() -> None:
    """End this process and its children when the parent's end of the pipe closes."""
    sys.stdin.read()
    os.killpg(0, signal.SIGKILL)


def compute(job: EmbedJob, data: str) -> tuple[dict[str, NDArray], dict[str, Any]]:
    """Fit the estimator of a job and return the embedding with status, message and cost.

    The arrays hold the embedding and the histories of the fit, as ``fit.<name>``. A ``ValueError``
    of the method is ``invalid_input``, scikit-learn's ConvergenceWarning is ``not_converged``; a
    failed method leaves no array.
    """
    facts: dict[str, Any] = {"status": Status.OK, "message": ""}
    arrays: dict[str, NDArray] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Every way to fail is a status; only a crash of the interpreter ends up elsewhere.
        try:
            arrays = _fit(job, data, facts)
        except MemoryError as error:
            facts.update(status=Status.OUT_OF_MEMORY, message=_describe(error))
        except ValueError as error:
            facts.update(status=Status.INVALID_INPUT, message=_describe(error))
        except (Exception, SystemExit) as error:
            facts.update(status=Status.ERROR, message=_describe(error))
        if facts["status"].failed:
            traceback.print_exc()
    # An embedding that did not converge is kept.
    unconverged = [w for w in caught if w.category.__name__ == "ConvergenceWarning"]
    if unconverged and arrays:
        facts.update(status=Status.NOT_CONVERGED, message=_clean(str(unconverged[0].message)))
    texts = [f"{w.category.__name__}: {_clean(str(w.message))}" for w in caught]
    facts["warnings"] = list(dict.fromkeys(texts))[:20]
    return arrays, facts


def _fit(job: EmbedJob, data_file: str, facts: dict[str, Any]) -> dict[str, NDArray]:
    """Fit, time and check the estimator; ``facts`` gets its costs and numbers."""
    import numpy as np

    from nldr.dataset import Dataset
    from nldr.engine.imports import import_object
    from nldr.engine.store import read_npz

    data = Dataset.from_arrays(read_npz(data_file)[0])
    make = import_object(job.estimator)
    estimator = make(**job.params)
    target = {None: None, "latent": data.Z, "labels": data.y}[job.needs]
    arguments = (data.X,) if target is None else (data.X, target)
    # Only methods that can embed new points are fitted on the training points alone.
    train = data.train if job.split and hasattr(estimator, "transform") else None
    if train is not None:
        arguments = tuple(array[train] for array in arguments)
    for n_rows in job.warm_up:
        _warm_up(make(**job.params), arguments, n_rows)
    # The clocks cover the fit alone.
    wall, cpu = time.perf_counter(), time.process_time()
    embedding = estimator.fit_transform(*arguments)
    facts["seconds"] = time.perf_counter() - wall
    facts["cpu_seconds"] = time.process_time() - cpu
    facts["fitted_rows"] = len(arguments[0])
    # Numbers and histories of the fitted estimator.
    facts["fit"] = {
        name.rstrip("_"): float(_attribute(estimator, name, "attributes"))
        for name in job.attributes
    }
    histories = {
        f"fit.{name.rstrip('_')}": np.asarray(_attribute(estimator, name, "histories"), float)
        for name in job.histories
    }
    n_components = job.params["n_components"]
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


def _warm_up(estimator: Any, arguments: tuple[Any, ...], n_rows: int) -> None:
    """Fit some rows to trigger compilation; the result, and any failure, is ignored."""
    if len(arguments[0]) <= n_rows:
        return
    with warnings.catch_warnings(), suppress(Exception):
        warnings.simplefilter("ignore")
        estimator.fit_transform(*(argument[:n_rows] for argument in arguments))


def _check_embedding(embedding: Any, shape: tuple[int, int]) -> NDArray:
    """Return the embedding as an array, or raise if it has a wrong shape or is not finite."""
    import numpy as np

    embedding = np.asarray(embedding, dtype=float)
    if embedding.shape != shape:
        raise RuntimeError(f"the method returned shape {embedding.shape}, not {shape}")
    bad = (~np.isfinite(embedding)).any(axis=1).sum()
    if bad:
        raise RuntimeError(f"the method returned NaN or infinity in {bad} of {shape[0]} rows")
    return embedding


def _attribute(estimator: Any, name: str, key: str) -> Any:
    """Return an attribute of a fitted estimator that the catalog lists under ``key``."""
    if not hasattr(estimator, name):
        raise RuntimeError(f"{type(estimator).__name__} has no attribute '{name}' after its fit: "
                           f"correct `{key}` in workflow/catalog/methods.yaml")  # fmt: skip
    return getattr(estimator, name)


def _describe(error: BaseException) -> str:
    return _clean(f"{type(error).__name__}: {error}")


def _clean(text: str) -> str:
    """Return one line without memory addresses, which differ from run to run."""
    return re.sub(r"0x[0-9a-f]{4,}", "0x…", " ".join(text.split()))[:500]


if __name__ == "__main__":
    main()
