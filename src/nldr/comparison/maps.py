"""A fitted map that places new points, and that is saved without pickle."""

from __future__ import annotations

import importlib
import json
from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import Any, Self
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from nldr.comparison.draws import MOST_FITTED, quiet, sample
from nldr.comparison.preparation import KINDS, Preparation
from nldr.comparison.scores import place
from nldr.inputs import InputError, Matrix, align, as_matrix
from nldr.inputs.categories import Categories, indicator
from nldr.inputs.errors import listed, refuse_missing_folder
from nldr.inputs.matrix import computed

FORMAT = 1  # of saved maps; files of older formats stay readable
# Classes that a saved map may name
ALLOWED = {
    "sklearn.decomposition.PCA",
    "sklearn.decomposition.KernelPCA",
    *(
        f"nldr.methods.{name}"
        for name in (
            "IKD",
            "Isomap",
            "LLE",
            "LaplacianEigenmaps",
            "MetricMDS",
            "PaCMAP",
            "ScaledKernelPCA",
            "TSNE",
            "UMAP",
        )
    ),
}
NETWORKS = ("DLMP", "VAE", "Autoencoder", "ParametricTSNE", "ParametricTSNERBM", "ParametricUMAP")
QUANTILE = 0.99  # of the distances of training rows, beyond which a new point is outside


class Map(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A method with the preparation of its data, fitted to some rows.

    Parameters
    ----------
    path : str
        Import path of the method.
    params : mapping
        Parameters of the method.
    kinds : tuple of str
        Steps of :class:`nldr.comparison.Preparation`.
    kept : array of int, optional
        Columns that are kept.
    categories : sequence of str, or mapping of str to list of str
        Columns of a frame that hold categories, or these with their values.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_rows, n_components)
        The map of the rows.
    points_, fitted_ : ndarray
        Prepared rows that the method was fitted to, and their positions. Of more than 5000 rows a
        random part is fitted, and the others are placed.
    preparation_ : Preparation
        The fitted steps.
    columns_, categories_ : list of str, dict of str to list of str
        Names of the columns, and values of those that hold categories.
    index_ : list or None
        Names of the rows.

    Notes
    -----
    New points are placed at weighted means of their ten nearest fitted rows, whatever the method.
    This needs nothing but arrays, so that a saved map gives the same coordinates later.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> iris = Map("sklearn.decomposition.PCA", {"n_components": 2}, ("scale",)).fit(X[:140])
    >>> coordinates, outside = iris.transform(X[140:] + [0, 0, 0, 50], return_outside=True)
    >>> coordinates.shape, bool(outside.all())
    ((10, 2), True)
    """

    def __init__(
        self,
        path: str,
        params: Mapping[str, Any],
        kinds: tuple[str, ...] = (),
        kept: ArrayLike | None = None,
        categories: Categories = (),
    ) -> None:
        self.path = path
        self.params = params
        self.kinds = kinds
        self.kept = kept
        self.categories = categories

    def fit(self, X: Any, y: Any = None) -> Self:
        """Prepare the rows and map them.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_columns)
            The data.
        y : None
            Ignored.

        Returns
        -------
        Map
            The fitted map.
        """
        matrix = as_matrix(X, categories=self.categories)
        kept = None if self.kept is None else np.asarray(self.kept)
        preparation = Preparation(tuple(self.kinds), kept, matrix.indicators).fit(matrix.values)
        points = preparation.apply(matrix.values)
        fitted = sample(len(points), MOST_FITTED)
        with quiet():
            Z = self.method().fit_transform(points[fitted])
        return self.store(points, fitted, np.asarray(Z), preparation, matrix)

    def store(
        self,
        points: NDArray,
        fitted: NDArray,
        Z: NDArray,
        preparation: Preparation,
        matrix: Matrix,
    ) -> Self:
        """Store prepared rows and the coordinates of those that were fitted; place the others."""
        self.preparation_, self.columns_ = preparation, list(matrix.columns)
        self.index_ = matrix.index
        self.categories_ = dict(matrix.categories)
        self.points_, self.fitted_ = points[fitted], fitted
        self.fitted_embedding_ = np.asarray(Z, float)
        self.embedding_ = np.empty((len(points), Z.shape[1]))
        self.embedding_[fitted] = Z
        rest = np.setdiff1d(np.arange(len(points)), fitted)
        if len(rest):
            self.embedding_[rest] = place(self.points_, self.fitted_embedding_, points[rest])
        return self

    def method(self) -> Any:
        """Return the method, not fitted."""
        if self.path not in ALLOWED:
            raise InputError(f"a map cannot be of the class '{self.path}'")
        module, _, name = self.path.rpartition(".")
        return getattr(importlib.import_module(module), name)(**self.params)

    def fit_transform(self, X: Any, y: Any = None) -> NDArray:
        """Fit the map and return the coordinates of its rows."""
        return self.fit(X).embedding_

    @property
    def _n_features_out(self) -> int:
        # Read by ClassNamePrefixFeaturesOutMixin
        return self.embedding_.shape[1]

    def transform(self, X: Any, return_outside: bool = False) -> Any:
        """Place new points in the map.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_new, n_columns)
            New points with the columns of ``fit``; a frame or AnnData object may have them in
            another order.
        return_outside : bool, default=False
            Whether to tell which points lie outside the fitted data.

        Returns
        -------
        ndarray of shape (n_new, n_components)
            Coordinates; those of fitted rows are as in ``embedding_``.
        ndarray of bool of shape (n_new,)
            With ``return_outside``: True where a point is farther from the fitted rows than 99 %
            of these are from each other. Its place means little.
        """
        from sklearn.neighbors import NearestNeighbors

        check_is_fitted(self, "points_")
        values = self._in_order(X)
        self._refuse_missing(values)
        new = self.preparation_.apply(values)
        search = NearestNeighbors(n_neighbors=1).fit(self.points_)
        nearest = search.kneighbors(new, return_distance=False)[:, 0]
        # Distances from dot products have rounding errors where points are equal
        distances = np.linalg.norm(new - self.points_[nearest], axis=1)
        coordinates = place(self.points_, self.fitted_embedding_, new)
        same = distances <= 1e-12 * max(float(np.abs(self.points_).max()), 1e-300)
        coordinates[same] = self.fitted_embedding_[nearest[same]]
        if not return_outside:
            return coordinates
        usual = np.quantile(search.kneighbors()[0][:, 0], QUANTILE)
        return coordinates, distances > usual

    def _in_order(self, X: Any) -> Any:
        """Return the values of new points, the columns in the order of the fit."""
        X = computed(X)
        names = getattr(X, "columns", getattr(X, "var_names", None))
        counted = self.columns_ == [str(j) for j in range(len(self.columns_))]
        # Columns that had no names go by position, unless the new ones are named by those numbers
        if names is not None and (not counted or {*self.columns_} <= {*map(str, names)}):
            return self._by_name(X)
        matrix = as_matrix(X, categories=self.categories_)
        if matrix.values.shape[1] != len(self.columns_):
            raise InputError(
                f"the new points have {matrix.values.shape[1]} columns, the fitted data "
                f"{len(self.columns_)}: pass the same columns; a map made from distances cannot "
                "place points"
            )
        return matrix.values

    def _by_name(self, X: Any) -> Any:
        """Return the values of a frame, of which other columns, such as labels, are left out."""
        if hasattr(X, "var_names"):  # AnnData
            matrix = as_matrix(X)
            _refuse_lacking(self.columns_, matrix.columns)
            return matrix.values[:, [matrix.columns.index(name) for name in self.columns_]]
        values = {indicator(name, v) for name, some in self.categories_.items() for v in some}
        needed = [*self.categories_, *(name for name in self.columns_ if name not in values)]
        columns = {str(column): column for column in X.columns}
        _refuse_lacking(needed, columns)
        matrix = as_matrix(X[[columns[name] for name in needed]], categories=self.categories_)
        result: NDArray = matrix.values[:, [matrix.columns.index(name) for name in self.columns_]]
        return result

    def _refuse_missing(self, values: Any) -> None:
        """Refuse missing values of new points if the fitted data had none."""
        if issparse(values) or "fill" in self.preparation_.kinds or not np.isnan(values).any():
            return
        row, column = np.argwhere(np.isnan(values))[0]
        raise InputError(
            f"the new points have no value in row {row}, column '{self.columns_[column]}', and the "
            "fitted data had no missing values: fill it in, or leave out the row"
        )

    def save(self, file: str | PathLike) -> None:
        """Write the map to an ``.npz`` file: arrays and JSON, nothing pickled.

        Parameters
        ----------
        file : path-like
            The file, in a folder that exists, read by :func:`nldr.comparison.load`. It holds the
            prepared rows, and their names if all are text or all are whole numbers.
        """
        import nldr

        check_is_fitted(self, "points_")
        refuse_missing_folder(file)
        if str(file).lower().endswith((".csv", ".tsv")):
            raise InputError(f"{file}: save writes .npz; result.points.to_csv writes a table")
        about = {
            "format": FORMAT,
            "nldr": nldr.__version__,
            "path": self.path,
            "params": dict(self.params),
            "kinds": list(self.preparation_.kinds),
            "categories": self.categories_,
        }
        arrays = {"about": np.array(json.dumps(about, default=_plain))}
        arrays |= {"points": self.points_, "fitted": self.fitted_, "embedding": self.embedding_}
        arrays["columns"] = np.array(self.columns_, str)
        # Text and numbers; an array may turn other names, or a mixture, into text
        names = np.array(self.index_)
        if names.dtype.kind in "iufU" and names.tolist() == self.index_:
            arrays["index"] = names
        for number, step in enumerate(self.preparation_.arrays):
            arrays |= {f"step{number}.{name}": np.asarray(array) for name, array in step.items()}
        with open(file, "wb") as stream:
            np.savez_compressed(stream, allow_pickle=False, **arrays)

    def write_to(self, adata: Any, key: str = "nldr") -> None:
        """Write the map to ``obsm`` of an AnnData object, and how it was made to ``uns``.

        Parameters
        ----------
        adata : AnnData
            The object with the fitted rows, perhaps in another order.
        key : str, default="nldr"
            The map becomes ``obsm["X_<key>"]``, its description ``uns["<key>"]``.

        Raises
        ------
        InputError
            If the object is no AnnData, or has other rows than were fitted.
        """
        import nldr

        if not hasattr(adata, "obs_names"):
            raise InputError(f"adata is {type(adata).__name__}: pass an AnnData object")
        if len(adata.obs_names) != len(self.embedding_):
            raise InputError(
                f"adata has {len(adata.obs_names)} rows, the map {len(self.embedding_)}: pass the "
                "object that was fitted, or place new rows by transform"
            )
        try:
            order = align(list(adata.obs_names), self.index_, ("adata", "the map"))
        except InputError as error:
            raise InputError(
                "adata has rows with other names than those that were fitted: pass the same object"
            ) from error
        adata.obsm[f"X_{key}"] = self.embedding_ if order is None else self.embedding_[order]
        adata.uns[key] = {
            "method": self.path,
            "params": {name: str(value) for name, value in self.params.items()},
            "preparation": self.preparation_.words,
            "version": nldr.__version__,
        }


def _refuse_lacking(needed: Sequence[str], columns: Collection[str]) -> None:
    lacking = [name for name in needed if name not in columns]
    if lacking:
        raise InputError(f"the new points lack columns of the fitted data: {listed(lacking)}")


def _plain(value: Any) -> Any:
    return np.asarray(value).tolist()


def load(file: str | PathLike) -> Any:
    """Return a saved map, ready to place new points.

    Parameters
    ----------
    file : path-like
        A file of ``Map.save``, or of ``save`` of one of the networks.

    Returns
    -------
    Map or estimator
        The fitted map.

    Raises
    ------
    InputError
        If the file holds something else, or was written by a later version.

    Examples
    --------
    >>> import tempfile
    >>> X = np.random.default_rng(0).normal(size=(30, 3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Map("sklearn.decomposition.PCA", {"n_components": 2}).fit(X).save(folder + "/a.npz")
    ...     again = load(folder + "/a.npz")
    >>> again.transform(X[:5]).shape
    (5, 2)
    """
    try:
        with np.load(file, allow_pickle=False) as content:
            arrays = dict(content)
    except FileNotFoundError as error:
        raise InputError(f"{file} does not exist") from error
    except (OSError, ValueError, TypeError, BadZipFile) as error:
        raise InputError(f"{file} is not a saved map: give a file that save wrote") from error
    if "description" in arrays:
        return _load_network(file, arrays)
    if "about" not in arrays:
        raise InputError(
            f"{file} is not a saved map, it holds {', '.join(arrays)}: give a file that save wrote"
        )
    about = json.loads(str(arrays["about"]))
    if about["format"] > FORMAT:
        raise InputError(f"{file} was written by nldr {about['nldr']}: update nldr to read it")
    unknown = {about["path"]} - ALLOWED or set(about["kinds"]) - KINDS.keys()
    if unknown:
        raise InputError(f"{file} names '{unknown.pop()}', which a map cannot have")
    preparation = Preparation(tuple(about["kinds"]))
    for number in range(len(preparation.kinds)):
        start = f"step{number}."
        steps = {k.removeprefix(start): v for k, v in arrays.items() if k.startswith(start)}
        preparation.arrays.append(steps)
    kept = next((step["kept"] for step in preparation.arrays if "kept" in step), None)
    result = Map(about["path"], about["params"], preparation.kinds, kept)
    result.preparation_, result.columns_ = preparation, arrays["columns"].tolist()
    result.categories = result.categories_ = about.get("categories", {})
    result.points_, result.fitted_ = arrays["points"], arrays["fitted"]
    result.embedding_ = arrays["embedding"]
    result.index_ = arrays["index"].tolist() if "index" in arrays else None
    result.fitted_embedding_ = result.embedding_[result.fitted_]
    return result


def _load_network(file: str | PathLike, arrays: dict[str, NDArray]) -> Any:
    """Return a network that its own ``save`` wrote."""
    name = json.loads(str(arrays["description"])).get("class")
    if name not in NETWORKS:
        raise InputError(f"{file} is of the class '{name}', which cannot be loaded")
    return getattr(importlib.import_module("nldr.methods"), name).load(file)
