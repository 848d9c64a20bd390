"""Scores of an embedding by the metrics of the catalog: arrays in, numbers out."""

from __future__ import annotations

import functools
import importlib
import itertools
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nldr.dataset import Dataset
from nldr.inputs import align, as_labels, as_matrix, dense
from nldr.inputs.errors import suggestion
from nldr.metrics._checks import finite_matrix
from nldr.shipped import root


@dataclass(frozen=True)
class CatalogMetric:
    """A metric by its name in the catalog.

    Attributes
    ----------
    name : str
        Its name.
    scorer : str
        The entry of the catalog that computes it.
    function : str
        Import path of the scorer.
    params : dict
        Parameters of the scorer; those in ``chosen`` are lists of values.
    chosen : dict
        The values of these parameters that belong to this metric: ``{"k": 12}``.
    needs : {"labels", "latent"} or None
        Its input besides data and embedding.
    direction : {"higher", "lower"}
        Which is better.
    default : bool
        Whether :func:`evaluate` returns it if no names are given.
    """

    name: str
    scorer: str
    function: str
    params: Mapping[str, Any]
    chosen: Mapping[str, Any]
    needs: str | None
    direction: str
    default: bool


def evaluate(
    X: ArrayLike,
    Z: ArrayLike,
    y: ArrayLike | None = None,
    *,
    latent: ArrayLike | None = None,
    metrics: str | Iterable[str] | None = None,
) -> dict[str, float]:
    """Score an embedding.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data.
    Z : array-like of shape (n_samples, n_components)
        The embedding, with the rows of `X` in the same order.
    y : array-like of shape (n_samples,), optional
        Class labels, numbers or texts.
    latent : array-like of shape (n_samples, n_latent), optional
        True latent coordinates, if they are known.
    metrics : str or iterable of str, optional
        Names of metrics, as listed by ``nldr list metrics``: ``"trustworthiness_k12"``,
        ``"r2_affine"``. The number in a name is free: ``"trustworthiness_k20"`` uses 20 neighbors.
        By default, the metrics of the catalog without ``default: false`` whose arguments are given.

    Returns
    -------
    dict of str to float
        Value of each metric. NaN where it is not defined, and by default also where it does not
        suit the data, for example because there are too few rows.

    Raises
    ------
    ValueError
        If a metric is unknown or needs labels or latent coordinates that are missing, or if arrays
        have different numbers of rows or contain NaN or infinity.

    Warns
    -----
    UserWarning
        If a metric that was asked for by name is not defined for these points.

    Notes
    -----
    Frames are aligned by the names of their rows; those that name different rows are refused.

    Examples
    --------
    >>> import nldr
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> X, y = load_iris(return_X_y=True)
    >>> Z = PCA(n_components=2).fit_transform(X)
    >>> scores = nldr.evaluate(X, Z, y, metrics=["trustworthiness_k12", "knn_accuracy_k5"])
    >>> {name: round(score, 2) for name, score in scores.items()}
    {'trustworthiness_k12': 0.98, 'knn_accuracy_k5': 0.96}
    """
    data, embedding = _checked(X, Z, y, latent)
    available = {"labels": y is not None, "latent": latent is not None, None: True}
    if metrics is None:
        requested = [m for m in catalog_metrics().values() if m.default and available[m.needs]]
    else:
        names = [metrics] if isinstance(metrics, str) else metrics
        requested = [find_metric(name) for name in names]
    for metric in requested:
        if not available[metric.needs]:
            argument = {"labels": "y", "latent": "latent"}[str(metric.needs)]
            raise ValueError(f"the metric '{metric.name}' needs {metric.needs}: pass {argument}=…")

    # A scorer computes all its metrics in one pass, after those whose scores it uses
    values: dict[str, float] = {}
    scorers = dict.fromkeys(metric.scorer for metric in requested)
    for scorer in sorted(scorers, key=lambda name: "uses" in _scorers()[name]):
        group = [metric for metric in requested if metric.scorer == scorer]
        used = {"scores": values} if "uses" in _scorers()[scorer] else {}
        try:
            values |= _score(group, data, embedding, **used)
        except ValueError:
            if metrics is not None:
                raise
            values |= dict.fromkeys((metric.name for metric in group), float("nan"))
    if metrics is not None:
        _warn_of_undefined([m for m in requested if np.isnan(values[m.name])], len(data.X))
    return {metric.name: values[metric.name] for metric in requested}


def _warn_of_undefined(metrics: Sequence[CatalogMetric], n_samples: int) -> None:
    """Warn of metrics that were asked for and have no value, with what their scorer says of it."""
    for function in dict.fromkeys(metric.function for metric in metrics):
        module, _, name = function.rpartition(".")
        text = " ".join((getattr(importlib.import_module(module), name).__doc__ or "").split())
        reason = re.search(r"NaN if [^.]*\.", text)
        names = ", ".join(metric.name for metric in metrics if metric.function == function)
        warnings.warn(
            f"{names}: not defined for these {n_samples} points. "
            + (reason[0].replace("``", "") if reason else "NaN is returned."),
            UserWarning,
            stacklevel=3,
        )


def _checked(
    X: ArrayLike, Z: ArrayLike, y: ArrayLike | None, latent: ArrayLike | None
) -> tuple[Dataset, Any]:
    """Return data and embedding after checking that they are about the same points."""
    matrix = as_matrix(X)
    points = dense(matrix)
    other = as_matrix(Z, "Z")
    embedding = finite_matrix(dense(other, "Z"), "Z", len(points))
    # Frames whose rows have names are compared by these
    if (order := align(matrix.index, other.index, ("X", "Z"))) is not None:
        embedding = embedding[order]
    classes = None
    if y is not None:
        labels = as_labels(y, len(points))
        classes = np.unique(labels.values, return_inverse=True)[1]
        if (order := align(matrix.index, labels.index, ("X", "y"))) is not None:
            classes = classes[order]
    truth = None
    if latent is not None:
        if np.ndim(latent) == 1:
            to_frame = getattr(latent, "to_frame", None)
            latent = to_frame() if to_frame else np.asarray(latent)[:, None]
        coordinates = as_matrix(latent, "latent")
        truth = finite_matrix(dense(coordinates, "latent"), "latent", len(points))
        if (order := align(matrix.index, coordinates.index, ("X", "latent"))) is not None:
            truth = truth[order]
    return Dataset(X=points, Z=truth, y=classes), embedding


def _score(
    metrics: Sequence[CatalogMetric], data: Dataset, embedding: Any, **scores: Any
) -> dict[str, float]:
    """Return the metrics of one scorer."""
    module, _, function = metrics[0].function.rpartition(".")
    params = {**metrics[0].params, **scores}
    # Lists of values are reduced to the requested ones
    for key in {key for metric in metrics for key in metric.chosen}:
        params[key] = list(dict.fromkeys(m.chosen[key] for m in metrics if key in m.chosen))
    values = getattr(importlib.import_module(module), function)(data, embedding, **params)
    return {metric.name: float(values[metric.name]) for metric in metrics}


@functools.cache
def _scorers() -> dict[str, dict[str, Any]]:
    """Return the entries of the catalog of metrics."""
    import yaml

    path = root() / "workflow/catalog/metrics.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@functools.cache
def catalog_metrics() -> dict[str, CatalogMetric]:
    """Return all metrics of the catalog by name.

    Examples
    --------
    >>> catalog_metrics()["kl_0.1"].chosen
    {'sigma': 0.1}
    """
    metrics = {}
    for scorer, entry in _scorers().items():
        for pattern, metric in entry["metrics"].items():
            keys = _keys(pattern)
            for values in itertools.product(*(entry["params"][key] for key in keys)):
                chosen = dict(zip(keys, values, strict=True))
                name = pattern.format(**chosen)
                metrics[name] = _metric(scorer, name, chosen, metric)
    return metrics


def _keys(pattern: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"\{(\w+)\}", pattern)))


def _metric(
    scorer: str, name: str, chosen: Mapping[str, Any], metric: Mapping[str, Any]
) -> CatalogMetric:
    entry = _scorers()[scorer]
    return CatalogMetric(
        name=name,
        scorer=scorer,
        function=entry["function"],
        params=entry.get("params", {}),
        chosen=chosen,
        needs=entry.get("needs"),
        direction=metric["direction"],
        default=entry.get("default", True),
    )


def find_metric(name: str) -> CatalogMetric:
    """Return a metric of the catalog; a number in its name may differ from those of the catalog.

    Raises
    ------
    ValueError
        If there is no metric of that name.

    Examples
    --------
    >>> find_metric("trustworthiness_k20").chosen
    {'k': 20}
    """
    catalog = catalog_metrics()
    if name in catalog:
        return catalog[name]
    # Another number, of the same type as those of the catalog
    for scorer, entry in _scorers().items():
        for pattern, metric in entry["metrics"].items():
            fixed = re.split(r"\{\w+\}", pattern)
            match = re.fullmatch(r"([\d.]+)".join(map(re.escape, fixed)), str(name))
            if match is None or not match.groups():
                continue
            kinds = {key: type(entry["params"][key][0]) for key in _keys(pattern)}
            try:
                chosen = {k: kinds[k](v) for k, v in zip(kinds, match.groups(), strict=True)}
            except ValueError:
                continue
            if pattern.format(**chosen) == name:
                return _metric(scorer, name, chosen, metric)
    raise ValueError(f"unknown metric '{name}': {suggestion(name, catalog)}")
