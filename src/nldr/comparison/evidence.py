"""The evidence of a comparison: table, recommendations, trust, stability, the best map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nldr.comparison.draws import Draws
from nldr.comparison.examination import Findings
from nldr.comparison.groups import Groups
from nldr.comparison.maps import Map
from nldr.comparison.methods import Method
from nldr.comparison.tables import FILE_TYPES, Table
from nldr.comparison.trust import Trust, with_names
from nldr.comparison.words import shown_table, wrapped

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class ComparedMethods:
    """Methods compared on some data.

    See :class:`nldr.comparison.Comparison`, which adds a page and a drawing.
    """

    table: pd.DataFrame
    recommendations: dict[str, str]
    best: Map
    groups: Groups
    doctor: Findings
    notes: list[str]
    failures: list[tuple[str, str]]
    data: Table
    methods: dict[str, Method]
    draws: Draws
    trusts: dict[str, Trust]
    best_trust: Trust
    request: dict[str, Any]

    @property
    def recommendation(self) -> str:
        """The method for local neighborhoods, with references, a rival, and points not to trust."""
        return self.recommendations["neighborhoods"]

    @property
    def trust(self) -> pd.DataFrame:
        """Errors of each point of the recommended map.

        Rows are those of the data that the method was fitted to, with their ``name`` if the data
        name them; ``trusted`` is False where intruders or missing neighbors exceed twice the mean
        of the map, or 0.1 if that is less (random coordinates have about 0.5).
        """
        return self.best_trust.frame(self.best.fitted_, self.data.matrix.index)

    @property
    def points(self) -> pd.DataFrame:
        """Place ``x``, ``y`` of each row in the recommended map, and its errors as in ``trust``.

        The index has the names of the rows if the data have some. Of more than 5000 rows, those
        that were placed among the others have no errors.
        """
        import pandas as pd

        x, y = self.best.embedding_.T
        trust = self.trust.drop(columns="name", errors="ignore")
        if len(trust) < len(x):
            trust = trust.astype({"trusted": "boolean"}).reindex(range(len(x)))
        points = pd.concat([pd.DataFrame({"x": x, "y": y}), trust], axis=1).rename_axis("row")
        points = with_names(points, self.data.matrix.index)
        return points.set_index("name") if "name" in points else points

    @property
    def stability(self) -> pd.Series:
        """Share of a point's neighbors that maps of two draws have in common, by method."""
        return self.table["stability"]

    @property
    def maps(self) -> dict[str, NDArray]:
        """Coordinates of all rows, at most 2000, by title of the method."""
        titles = {method.key: method.title for method in self.methods.values()}
        return {titles[key]: np.asarray(one.Z) for key, one in self.draws.final.items()}

    def __str__(self) -> str:
        lines = [
            self.recommendation,
            "",
            self.groups.words,
            *(f"prepared: {words}" for words in self.doctor.preparation.words),
            *(f"check: {f.title}: {f.text}; {f.remedy}" for f in self.doctor if f.kind == "look"),
            *(f"note: {note}" for note in self.notes),
            *(f"failed: {title}: {message}" for title, message in self.failures),
        ]
        return "\n".join([shown_table(self.table), "", *map(wrapped, lines)])

    __repr__ = __str__

    def code(self) -> str:
        """Return lines of Python that make the recommended map."""
        return _lines_of(self.best, self.request)


def _lines_of(best: Map, request: Mapping[str, Any]) -> str:
    """Return lines that read and prepare the data and make a map.

    ``request`` has what the user passed: ``X``, a file or a table; ``label``, ``drop`` and
    ``categories``, its columns that were not mapped or hold categories; and ``metric``.
    """
    module, _, name = best.path.rpartition(".")
    steps = best.preparation_.code()
    imports = ["import numpy as np"]
    body = _reading(request, imports)
    for package in ("sklearn.impute", "sklearn.decomposition"):
        if any(package in line for line in steps):
            imports.append(f"import {package}")
    body += [*steps, "X = np.ascontiguousarray(X)"]
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
        is_annotated = hasattr(source, "obs_names")
        columns = [*request["drop"], *([label] if label and not is_annotated else [])]
        polars = not hasattr(source, "iloc")
        dropped = f".drop({'' if polars else 'columns='}{columns!r})" if columns else ""
        if columns and is_annotated:
            dropped = f"[:, ~X.var_names.isin({columns!r})]"
        shown = f", categories={names['categories']!r}" if "categories" in names else ""
        reading = [f"X = as_matrix(X{dropped}{shown})  # your data"]
    if request["metric"] == "precomputed":
        imports.append("from nldr.comparison.distances import points_of_distances")
        reading.append("X = points_of_distances(X)")
    return [*reading, "X = X.values"]
