"""Lines of Python that make a map again, without the comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nldr.comparison.maps import Map
from nldr.comparison.tables import FILE_TYPES


def lines(best: Map, request: Mapping[str, Any]) -> str:
    """Return lines that read and prepare the data and make the map.

    Parameters
    ----------
    best : Map
        The map.
    request : mapping
        What the user passed: ``X``, a file or a table; ``label``, ``drop`` and ``categories``, its
        columns that were not mapped or hold categories; and ``metric``.

    Returns
    -------
    str
        The lines.
    """
    module, _, name = best.path.rpartition(".")
    steps = best.preparation_.code()
    imports = ["import numpy as np"]
    body = _reading(request, imports)
    for package in ("sklearn.impute", "sklearn.decomposition"):
        if any(package in line for line in steps):
            imports.append(f"import {package}")
    body += steps
    if len(best.fitted_) < len(best.embedding_):
        body.append(
            f"X = X[np.sort(np.random.default_rng(0).permutation(len(X))[:{len(best.fitted_)}])]"
            "  # the others are placed by nldr.load(…).transform"
        )
    imports.append(f"from {module} import {name}")
    arguments = ", ".join(f"{key}={value!r}" for key, value in best.params.items())
    body.append(f"Z = {name}({arguments}).fit_transform(X)")
    return "\n".join([*imports, "", *body])


def _reading(request: Mapping[str, Any], imports: list[str]) -> list[str]:
    """Return lines that read the data; imports are added to a list."""
    source, label = request["X"], request["label"]
    names = {name: request[name] for name in ("drop", "categories") if request[name]}
    if isinstance(source, FILE_TYPES):
        imports.append("from nldr.inputs import read")
        options = {"label": label} if label else {}
        shown = "".join(f", {key}={value!r}" for key, value in {**options, **names}.items())
        reading = [f"X = read({str(source)!r}{shown})[0]"]
    else:
        imports.append("from nldr.inputs import as_matrix")
        columns = [*request["drop"], *([label] if label and not hasattr(source, "obs") else [])]
        polars = not hasattr(source, "iloc")
        dropped = f".drop({'' if polars else 'columns='}{columns!r})" if columns else ""
        shown = f", categories={names['categories']!r}" if "categories" in names else ""
        reading = [f"X = as_matrix(X{dropped}{shown})  # your data"]
    if request["metric"] == "precomputed":
        imports.append("from nldr.comparison.distances import points_of_distances")
        reading.append("X = points_of_distances(X)")
    return [*reading, "X = X.values"]
