"""Score one embedding with one scorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nldr.engine.code.imports import import_object
from nldr.engine.files.store import read_npz
from nldr.engine.jobs.specs import SELECTING, Half, ScoreJob
from nldr.engine.stages.failures import outcome_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def score(
    job: ScoreJob,
    data: tuple[str, str],
    embedding: tuple[str, str],
    scores: Mapping[str, float],
    begin: Callable[[], None],
) -> dict[str, Any]:
    """Score one embedding: return ``values``, ``status`` and ``message``.

    ``data`` and ``embedding`` are files with their SHA-256, ``scores`` those scores of the
    embedding that the scorer uses; ``begin`` is called when the work that is limited begins. A
    scorer that raises has no values.
    """
    from nldr.dataset import Dataset

    dataset = Dataset.from_arrays(read_npz(*data)[0])
    coordinates = read_npz(*embedding)[0]["embedding"]
    if job.rows == "observed":
        dataset = replace(dataset, clean=None)
    elif job.rows != "all" and dataset.train is not None:
        chosen = dataset.train == (job.rows == "train")
        dataset, coordinates = dataset.rows(chosen), coordinates[chosen]
    if job.half is not None:
        chosen = _half(len(coordinates), job.half)
        dataset, coordinates = dataset.rows(chosen), coordinates[chosen]
    prefix = SELECTING if job.half == "selecting" else ""
    scorer = import_object(job.function)
    params = job.params if job.threads == 1 else {**job.params, "n_jobs": job.threads}
    if scores:
        params = {**params, "scores": {k.removeprefix(prefix): v for k, v in scores.items()}}
    begin()
    try:
        result = scorer(dataset, coordinates, **params)
        values = {prefix + name: _number(value) for name, value in result.items()}
    except BaseException as error:
        return {"values": {}, **outcome_of(error)}
    return {"values": values, "status": "ok", "message": ""}


def _half(n_rows: int, half: Half) -> NDArray:
    """Return the rows of one random half, in order; the same for every method and metric."""
    import numpy as np

    order = np.random.default_rng(0).permutation(n_rows)
    middle = n_rows // 2
    return np.sort(order[:middle] if half == "selecting" else order[middle:])


def _number(value: Any) -> float | None:
    """Return a score as a number; NaN means that there is none."""
    return None if value is None or value != value else float(value)
