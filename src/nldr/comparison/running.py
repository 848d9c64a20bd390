"""``nldr.compare``: from data to a recommendation."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nldr.comparison.draws import Fit, Runner, draw_size
from nldr.comparison.examination import Findings, examine
from nldr.comparison.groups import look_for_groups
from nldr.comparison.maps import Map
from nldr.comparison.methods import Method, choose
from nldr.comparison.ranking import rank
from nldr.comparison.result import Comparison
from nldr.comparison.tables import Table, as_names, table_of
from nldr.comparison.trust import Trust, errors_of_points
from nldr.comparison.words import recommendations
from nldr.inputs import InputError


def compare(
    X: Any,
    y: Any = None,
    *,
    label: str | None = None,
    drop: Sequence[str] = (),
    categories: Sequence[str] = (),
    methods: Sequence[str] | None = None,
    minutes: float = 5.0,
    metric: str = "euclidean",
    prepare: bool = True,
    verbose: bool = False,
) -> Comparison:
    """Compare methods on your data and recommend one.

    Parameters
    ----------
    X : array, frame, sparse matrix, AnnData, or path of a file
        The data, one row per point; NaN where a value is missing.
    y : array-like of shape (n_rows,), optional
        Labels, numbers or text. They are never shown to a method. Frame and Series are matched
        by their index.
    label : str, optional
        Column of the labels, if `X` is a file, frame or AnnData.
    drop : sequence of str
        Columns of a file or frame, or genes of AnnData, to leave out.
    categories : sequence of str
        Columns of a file or frame that hold categories, as text or numbers. Two rows of different
        categories are as far apart in such a column as two random rows in a column of numbers.
    methods : sequence of str, optional
        Methods to compare, such as ``["umap", "tsne"]``; by default all that are installed. PCA
        is always among them, as a reference.
    minutes : float, default=5
        Time limit. Methods that would take too long are left out, and ``notes`` says so; PCA
        always remains. A fit that has begun is not stopped.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        ``"precomputed"`` if `X` holds the distances between all points, or is sparse and holds
        those to the nearest neighbors.
    prepare : bool, default=True
        Whether to do what :func:`doctor` recommends: scale, fill in, take logarithms of counts.
    verbose : bool, default=False
        Whether to print what is being done.

    Returns
    -------
    Comparison
        ``recommendation``, ``table``, ``trust``, ``stability``, ``best``, ``doctor``; it draws
        (``plot``), writes a page (``report``) and prints lines to paste (``code``).

    Raises
    ------
    InputError
        If something is wrong with the data or arguments; the message says what to do.

    Notes
    -----
    A method is fitted to five draws of 80 % of the rows, at most 1000. The first draw chooses its
    setting among three, by the mean of trustworthiness and continuity; the other four score it.
    Differences between methods are paired by draw. Their intervals say how much depends on the
    draw and the seed, not how other data of the same kind would come out. The maps that are shown
    are fitted to all rows, at most 2000; the recommended one to at most 5000 rows, among which the
    others are placed.

    Examples
    --------
    >>> import nldr
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = nldr.compare(X, y, methods=["isomap", "le"])
    >>> list(result.table.index)
    ['PCA', 'Isomap', 'Laplacian eigenmaps', 'random coordinates']
    >>> result.best.embedding_.shape
    (150, 2)
    """
    if not isinstance(minutes, Real) or not minutes > 0:
        raise InputError(f"minutes={minutes!r}: give a positive number of minutes")
    tell = partial(print, file=sys.stderr, flush=True) if verbose else _ignore
    drop, categories = as_names(drop), as_names(categories)
    table = table_of(X, y, label=label, drop=drop, categories=categories, metric=metric)
    names = None if methods is None else as_names(methods)
    chosen, notes = choose(draw_size(len(table)), names)
    findings = examine(table, prepare)
    notes = table.notes + notes
    for note in table.notes:
        tell(note)
    for finding in findings:
        if finding.kind == "mended":
            tell(f"{finding.title}: {finding.text}; {finding.remedy}")
    points = findings.preparation.apply(table.matrix.values)
    codes = None if table.labels is None else table.labels.codes
    runner = Runner(points, codes, chosen, minutes, tell)
    draws = runner.run()
    if not draws.methods:
        raise InputError(
            "no method could map these data: "
            + "; ".join(f"{title}: {message}" for title, message in draws.failures)
        )
    request = {"X": X, "label": label, "drop": drop, "categories": categories, "metric": metric}
    return _assemble(table, points, findings, runner, notes, request)


def _assemble(
    table: Table,
    points: NDArray,
    findings: Findings,
    runner: Runner,
    notes: list[str],
    request: dict[str, Any],
) -> Comparison:
    """Return the comparison: ranking, trust, groups, words and the best map."""
    draws = runner.draws
    ranking, stable_points = rank(draws, len(points))
    fitted = next(iter(draws.final.values())).rows
    keys = [key for key in ranking["key"] if key in draws.final]
    maps = {key: np.asarray(draws.final[key].Z) for key in keys}
    maps["random"] = np.random.default_rng(0).standard_normal((len(fitted), 2))
    errors = errors_of_points(points[fitted], list(maps.values()))
    trust = {
        key: Trust(values, stable_points[key][fitted])
        for key, values in zip(maps, errors, strict=True)
    }
    untrusted = {key: one.share for key, one in trust.items()}
    ranking["untrusted"] = [untrusted.get(key, float("nan")) for key in ranking["key"]]
    by_key = {method.key: method for method in draws.methods}
    best = by_key[ranking["key"].iloc[0]]
    setting = draws.settings[best.key]
    final = runner.fit_best(best.key)
    best_trust = trust[best.key]
    if final is not draws.final[best.key]:
        (values,) = errors_of_points(points[final.rows], [np.asarray(final.Z)])
        best_trust = Trust(values, stable_points[best.key][final.rows])
    return Comparison(
        table=ranking,
        recommendations=recommendations(ranking, untrusted),
        best=_map_of(best, setting, points, final, findings, table),
        groups=look_for_groups(points),
        doctor=findings,
        notes=notes + draws.dropped,
        failures=draws.failures,
        data=table,
        methods=by_key,
        draws=draws,
        trusts=trust,
        best_trust=best_trust,
        request=request,
    )


def _map_of(
    method: Method,
    setting: int,
    points: NDArray,
    final: Fit,
    findings: Findings,
    table: Table,
) -> Map:
    """Return the map of a method, which was fitted already."""
    preparation = findings.preparation
    params = {"n_components": 2, **method.params(setting)}
    if "random_state" in method.build(setting, 0).get_params():
        params["random_state"] = 0
    categories = table.matrix.categories
    result = Map(method.path, params, preparation.kinds, preparation.kept, categories)
    return result.store(points, final.rows, np.asarray(final.Z), preparation, table.matrix)


def _ignore(line: str) -> None:
    """Say nothing."""
