"""The methods of a comparison and their settings: as many for each method that has any."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from typing import Any

from nldr.inputs.errors import InputError, listed, suggestion
from nldr.shipped import root

NEIGHBORS = (8, 15, 30)
PERPLEXITIES = (10, 30, 60)
GAMMAS = (0.25, 1.0, 4.0)  # inverse widths of a kernel
VARIANTS = ("refined", "metric_geodesic", "blockwise")


@dataclass(frozen=True)
class Method:
    """A method with the settings that a comparison tries."""

    key: str  # its name for ``methods=``
    title: str  # its name in text
    path: str  # import path of its class
    parameter: str = ""  # the one that settings vary; empty if there is none
    settings: tuple[Any, ...] = (None,)  # values of the parameter
    fixed: Mapping[str, Any] = field(default_factory=dict)  # other parameters
    power: float = 2.0  # exponent with which its time grows with the number of rows
    color: str = "#000000"
    marker: str = "o"
    package: str = ""  # what it needs and that may not be installed
    extra: str = ""  # the extra of nldr that has the package

    def params(self, setting: int) -> dict[str, Any]:
        """Return the parameters of a setting."""
        varied = {self.parameter: self.settings[setting]} if self.parameter else {}
        return {**self.fixed, **varied}

    def build(self, setting: int, seed: int) -> Any:
        """Return an estimator."""
        module, _, name = self.path.rpartition(".")
        estimator = getattr(importlib.import_module(module), name)(2, **self.params(setting))
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=seed)
        return estimator

    def words(self, setting: int) -> str:
        """Return a setting for readers: "perplexity 30"; empty if there is nothing to set."""
        value = self.settings[setting]
        if value is None:
            return ""
        name = {"n_neighbors": "neighbors", "method": "variant"}.get(self.parameter, self.parameter)
        shown = f"{value:.3g}" if isinstance(value, float) else str(value).replace("_", " ")
        if self.parameter == "n_neighbors":
            return f"{shown} {name}"
        return f"{name} {shown}"


OURS = "nldr.methods"
KERNEL_PCA = f"{OURS}.ScaledKernelPCA"
LAPLACIAN = f"{OURS}.LaplacianEigenmaps"
TSNE = f"{OURS}.TSNE"
BRIDGES = {"disconnected": "bridges"}
LTSA = {**BRIDGES, "method": "ltsa"}


def catalog(n_rows: int) -> dict[str, Method]:
    """Return all methods by key with settings that suit draws of so many rows, fast ones first.

    Settings stay below a third of the rows, spread below it if several would not fit; methods whose
    package is missing are included.

    Examples
    --------
    >>> methods = catalog(100)
    >>> methods["isomap"].settings, methods["tsne"].words(1)
    ((8, 15, 30), 'perplexity 30')
    >>> catalog(19)["tsne"].settings
    (2, 4, 6)
    """
    most = max((n_rows - 1) // 3, 2)
    neighbors, perplexities = _spread(NEIGHBORS, most), _spread(PERPLEXITIES, most)
    on_neighbors = partial(Method, parameter="n_neighbors", settings=neighbors)
    on_graph = partial(on_neighbors, fixed=BRIDGES, power=3.0)
    methods = [
        Method("pca", "PCA", "sklearn.decomposition.PCA", power=1.0, color="#000000", marker="v"),
        Method("mds", "MDS", f"{OURS}.MetricMDS", fixed={"max_iter": 150}, color="#999933"),
        Method("kernel_pca", "kernel PCA", KERNEL_PCA, "gamma", GAMMAS, {}, 3.0, "#8C564B"),
        on_graph("isomap", "Isomap", f"{OURS}.Isomap", color="#0072B2", marker="s"),
        on_graph("lle", "LLE", f"{OURS}.LLE", color="#332288", marker=">"),
        on_graph("ltsa", "LTSA", f"{OURS}.LLE", fixed=LTSA, color="#44AA99", marker="<"),
        on_graph("le", "Laplacian eigenmaps", LAPLACIAN, color="#117733", marker="^"),
        Method("ikd", "IKD", f"{OURS}.IKD", "variant", VARIANTS, power=1.0, color="#D55E00"),
        on_neighbors(
            "umap",
            "UMAP",
            f"{OURS}.UMAP",
            power=1.0,
            color="#CC79A7",
            marker="D",
            package="umap",
            extra="umap",
        ),
        on_neighbors(
            "pacmap",
            "PaCMAP",
            f"{OURS}.PaCMAP",
            power=1.0,
            color="#E69F00",
            marker="p",
            package="pacmap",
            extra="modern",
        ),
        Method("tsne", "t-SNE", TSNE, "perplexity", perplexities, {}, 1.0, "#882255", "P"),
    ]
    return {method.key: method for method in methods}


def _spread(values: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Return values up to a largest one, in equal steps if several would exceed it.

    Examples
    --------
    >>> _spread((8, 15, 30), 20), _spread((8, 15, 30), 15), _spread((8, 15, 30), 5)
    ((8, 15, 20), (5, 10, 15), (2, 3, 5))
    """
    cut = {min(value, most) for value in values}
    if len(cut) < len(values):
        cut = {max(most * i // len(values), 2) for i in range(1, len(values) + 1)}
    return tuple(sorted(cut))


def _plain(name: str) -> str:
    """Return a name as keys are written."""
    return name.strip().lower().replace("-", "").replace(" ", "_")


def _remedy(name: str, methods: Mapping[str, Method]) -> str:
    """Return what to do about a name that is none of a comparison's methods."""
    import yaml

    file = "workflow/catalog/methods.yaml"
    if name not in yaml.safe_load((root() / file).read_text(encoding="utf-8")):
        return suggestion(name, methods)
    study = f"a study can run it, since it is an entry of {file}"
    return f"{study}; a comparison has {listed(methods)}"


def choose(n_rows: int, names: Sequence[str] | None) -> tuple[list[Method], list[str]]:
    """Return the methods to compare, and a line for each that is not installed.

    There are ``n_rows`` in a draw. ``names`` are keys or titles, by default all; PCA is always
    among the methods, as a reference. Raises InputError if a name is unknown or its package is
    missing.
    """
    methods = catalog(n_rows)
    if names is not None:
        strange = [name for name in names if not isinstance(name, str)]
        if strange or not names:
            what = f"{strange[0]!r} is not one" if strange else "it is empty"
            raise InputError(f"methods= must list names, but {what}: {suggestion('', methods)}")
        titles = {_plain(method.title): key for key, method in methods.items()}
        words = [titles.get(_plain(name), _plain(name)) for name in names]
        for name in words:
            if name not in methods:
                raise InputError(f"unknown method '{name}': {_remedy(name, methods)}")
        methods = {k: m for k, m in methods.items() if k in words or k == "pca"}
    missing = [m for m in methods.values() if m.package and find_spec(m.package) is None]
    for method in missing:
        remedy = f"{method.title} is not installed: pip install 'nldr[{method.extra}]'"
        if names is not None and method.key in words:
            raise InputError(remedy)
        del methods[method.key]
    return list(methods.values()), [
        f"{m.title} is left out, it is not installed: pip install 'nldr[{m.extra}]'"
        for m in missing
    ]
