"""``nldr.check``: judge a map that was made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nldr.comparison.draws import quiet, sample
from nldr.comparison.examination import Findings, examine
from nldr.comparison.scores import score
from nldr.comparison.tables import FILE_TYPES, rows_of, table_of
from nldr.comparison.trust import Trust, bound_of, errors_of_points
from nldr.comparison.words import beside, number, percent, wrapped
from nldr.inputs import (
    InputError,
    Matrix,
    align,
    as_matrix,
    coordinates_of,
    dense,
    read_map,
    words_on_order,
    words_on_position,
)
from nldr.inputs.errors import listed

if TYPE_CHECKING:
    import pandas as pd

FEWEST_POINTS = 5  # of a map, so that there are neighbors
MOST_ROWS = 2000  # that are scored; of more, a random part
K_PARTS = 10  # neighbors in the graphs whose parts are counted
MOST_DIMENSIONS = 3  # of a map for which t-SNE is a reference
THIS = "this map"
RESHAPING = {"totals", "log", "root", "scale"}  # steps of preparation that change neighbors


@dataclass(frozen=True, repr=False)
class Judgment:
    """The judgment of :func:`check` about a map.

    Attributes
    ----------
    scores : DataFrame
        Scores of the map, of t-SNE and PCA with as many dimensions, and of random coordinates;
        ``untrusted`` is the share of points with errors above ``bound``.
    trust : DataFrame
        For each row, or for a random part of more than 10 000: its name if it has one, whether its
        place can be trusted, its errors by intruders and by missing neighbors, its stretch, and
        whether it lies among ``false_neighbors`` or is ``torn`` from its own.
    parts : (int, int)
        Number of connected parts of data and map.
    doctor : Findings
        What is to know about the data.
    n_scored : int
        Number of rows that were scored.
    bound : float
        Error from which a point should not be trusted.
    notes : list of str
        How data and map were read.

    Examples
    --------
    >>> import nldr
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> judgment = nldr.check(X, X[:, :2])
    >>> judgment.parts
    (2, 1)
    """

    scores: pd.DataFrame
    trust: pd.DataFrame
    parts: tuple[int, int]
    doctor: Findings
    n_scored: int
    bound: float
    notes: list[str]

    @property
    def sentences(self) -> list[str]:
        """The judgment in words."""
        judged = self.scores.loc[THIS]
        references = [
            f"{name} {number(row['trustworthiness'])} and {number(row['continuity'])}"
            for name, row in self.scores.iterrows()
            if name != THIS
        ]
        mean = self.scores["neighborhoods"]
        sentences = [
            f"Trustworthiness {number(judged['trustworthiness'])} and continuity "
            f"{number(judged['continuity'])} ({', '.join(references)})."
        ]
        if mean[THIS] < mean["random coordinates"] + 0.1:
            sentences.append("The map hardly resembles the data: are its rows in the same order?")
        elif "PCA" in mean and mean[THIS] < mean["PCA"] - 0.01:
            sentences.append("PCA preserves neighborhoods better than this map.")
            if not RESHAPING.isdisjoint(self.doctor.preparation.kinds):
                sentences.append(
                    "If it was made from the data as they are, judge it by these: prepare=False "
                    "(--as-is)."
                )
        return [*sentences, *self._words_on_points(), self._words_on_parts()]

    def _words_on_points(self) -> list[str]:
        false, torn = self.trust["false_neighbors"].mean(), self.trust["torn"].mean()
        shares = self.scores["untrusted"]
        return [
            f"{percent(shares[THIS])} of the points should not be trusted"
            f"{beside(shares.drop(THIS).to_dict())}: {percent(false)} lie among false neighbors, "
            f"{percent(torn)} are torn from their true neighbors."
        ]

    def _words_on_parts(self) -> str:
        data, shown = self.parts
        if data == 1 and shown == 1:
            return "Both the data and the map form one connected piece."
        if data == 1:
            return (
                f"The data form one connected piece, but the map falls into {shown} parts: the "
                "gaps between them are not in the data."
            )
        if shown == 1:
            return (
                f"The data fall into {data} disconnected parts, but the map forms one piece: it "
                "hides the gaps."
            )
        return f"The data fall into {data} disconnected parts, the map into {shown}."

    def __str__(self) -> str:
        table = self.scores.rename_axis(None).to_string(
            float_format="{:.3f}".format, formatters={"untrusted": percent}, na_rep="–"
        )
        done = [f"({words})" for words in self.doctor.preparation.words]
        notes = [wrapped(f"note: {note}") for note in self.notes]
        return "\n".join([table, *done, "", wrapped(" ".join(self.sentences)), *notes])

    __repr__ = __str__


def check(
    X: Any,
    Z: Any,
    y: Any = None,
    *,
    label: str | None = None,
    drop: Sequence[str] = (),
    categories: Sequence[str] = (),
    metric: str = "euclidean",
    prepare: bool = True,
) -> Judgment:
    """Judge a map of some data, whoever made it.

    Parameters
    ----------
    X : array, frame, sparse matrix, AnnData, or path of a file
        The data.
    Z : array, frame, fitted map, or path of a file, of shape (n_rows, n_components)
        The map. Frames are aligned by the names of their rows.
    y : array-like of shape (n_rows,), optional
        Labels.
    label, drop, categories : str, sequences of str, optional
        Columns of labels, to leave out, and of categories, as in :func:`compare`.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        ``"precomputed"`` if `X` holds distances, as in :func:`compare`.
    prepare : bool, default=True
        Whether to scale the data and so on, as :func:`doctor` recommends, before neighbors are
        compared. If the map was made from data as they are, set it to False.

    Returns
    -------
    Judgment
        Scores beside those of PCA, t-SNE and random coordinates, points that should not be
        trusted, and whether data and map fall into parts.

    Examples
    --------
    >>> import nldr
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> X = load_iris().data
    >>> nldr.check(X, PCA(2).fit_transform(X)).scores["trustworthiness"].round(2).to_dict()
    {'this map': 0.98, 't-SNE': 0.99, 'PCA': 0.98, 'random coordinates': 0.5}
    """
    table = table_of(X, y, label=label, drop=drop, categories=categories, metric=metric)
    matrix, name = read_coordinates(Z, "Z")
    embedding, notes = matrix.values, table.notes + words_on_columns(matrix, name)
    order = align(table.matrix.index, matrix.index, (table.name, name))
    if order is None:
        notes = notes + words_on_position(table.rows, rows_of(Z, matrix), (table.name, name))
    else:
        embedding = embedding[order]
        notes = notes + words_on_order(table.rows, matrix.index, (table.name, name))
    if len(embedding) != len(table):
        raise InputError(
            f"{name} has {len(embedding)} rows, {table.name} has {len(table)}: they must be about "
            "the same points"
        )
    if embedding.shape[1] > table.matrix.values.shape[1]:
        raise InputError(
            f"the map {name} has {embedding.shape[1]} columns, the data {table.name} only "
            f"{table.matrix.values.shape[1]}: were they swapped?"
        )
    findings = examine(table, prepare)
    points = findings.preparation.apply(table.matrix.values)
    rows = sample(len(points), MOST_ROWS)
    codes = None if table.labels is None else table.labels.codes
    scores = _scores(points[rows], embedding[rows], None if codes is None else codes[rows])
    trust, bound = _trust(points, embedding, table.matrix.index)
    scores.loc[THIS, "untrusted"] = 1 - trust["trusted"].mean()
    parts = n_parts(points[rows]), n_parts(embedding[rows])
    return Judgment(scores, trust, parts, findings, len(rows), bound, notes)


def read_coordinates(Z: Any, name: str) -> tuple[Matrix, str]:
    """Return coordinates of a map, which may be a file, and its name."""
    if isinstance(Z, FILE_TYPES):
        matrix, name = read_map(Z), Path(Z).name
    else:
        matrix = as_matrix(coordinates_of(Z), name)
    embedding = dense(matrix, name)
    if len(embedding) < FEWEST_POINTS:
        raise InputError(
            f"{name} has {len(embedding)} row(s): give one per point, of {FEWEST_POINTS} or more"
        )
    if np.all(embedding == embedding[0]):
        raise InputError(f"all points of {name} are at the same place: give a map of the points")
    return matrix, name


def words_on_columns(matrix: Matrix, name: str) -> list[str]:
    """Return a line if columns of a map hold whole numbers beside others, as no coordinate does.

    Examples
    --------
    >>> words_on_columns(Matrix(np.array([[3, 0.5], [1, 0.2]]), ["cluster", "x"]), "map.csv")
    ["map.csv has whole numbers in 'cluster': leave this out if it is no coordinate"]
    """
    Z = matrix.values
    is_whole = (np.round(Z) == Z).all(axis=0)
    columns = np.flatnonzero(is_whole & (np.ptp(Z, axis=0) > 0))
    if is_whole.all() or not len(columns):
        return []
    names = listed(f"'{matrix.columns[j]}'" for j in columns)
    return [f"{name} has whole numbers in {names}: leave this out if it is no coordinate"]


def _trust(points: NDArray, Z: NDArray, names: list[Any] | None) -> tuple[pd.DataFrame, float]:
    """Return what is known of each point, and the error from which none should be trusted."""
    (errors,) = errors_of_points(points, [Z])
    bound = bound_of(errors)
    trust = Trust(errors, np.full(len(points), np.nan)).frame(np.arange(len(points)), names)
    trust = trust.drop(columns="stability").assign(
        false_neighbors=trust["intruders"] > bound, torn=trust["missing_neighbors"] > bound
    )
    # Of very many rows, the errors of a random part are known
    return trust[trust["intruders"].notna()], bound


def _scores(points: NDArray, Z: NDArray, codes: NDArray | None) -> pd.DataFrame:
    """Return scores of a map and its references."""
    import pandas as pd
    from sklearn.decomposition import PCA

    from nldr.methods.tsne import TSNE

    n_components = Z.shape[1]
    maps = {THIS: Z}
    with quiet():
        if n_components <= MOST_DIMENSIONS:
            maps["t-SNE"] = TSNE(n_components, random_state=0).fit_transform(points)
        if n_components <= min(points.shape):
            maps["PCA"] = PCA(n_components, random_state=0).fit_transform(points)
    maps["random coordinates"] = np.random.default_rng(0).standard_normal(Z.shape)
    rows = {name: score(points, other, codes) for name, other in maps.items()}
    for name, errors in zip(maps, errors_of_points(points, list(maps.values())), strict=True):
        rows[name]["untrusted"] = float(np.nanmean(errors["doubt"]))
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("map")


def n_parts(points: NDArray) -> int:
    """Return the number of connected parts of the graph of neighbors, copies left out.

    Examples
    --------
    >>> line = np.arange(20.0)[:, None]
    >>> n_parts(line), n_parts(np.concatenate([line, 100 + line]))
    (1, 2)
    """
    from nldr.neighborhoods.graphs import component_labels, knn_graph

    points = np.unique(points, axis=0)
    if len(points) == 1:
        return 1
    labels = component_labels(knn_graph(points, min(K_PARTS, len(points) - 1)))
    return len(np.unique(labels))
