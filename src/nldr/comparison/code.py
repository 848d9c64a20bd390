"""Lines of Python that make a map again, without anything of a comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nldr.comparison.maps import Map


def lines(
    best: Map, source: str | Path | None, label: str | None, drop: list[str], named: bool
) -> str:
    """Return lines that read and prepare the data and make the map.

    Parameters
    ----------
    best : Map
        The map.
    source : path-like, optional
        The file of the data; without, the lines begin with an array or frame ``X``.
    label, drop : str, list of str
        Columns of the file that were not mapped.
    named : bool
        Whether the first column of the file names the rows.

    Returns
    -------
    str
        The lines.
    """
    module, _, name = best.path.rpartition(".")
    steps = best.preparation_.code()
    imports = ["import numpy as np"]
    sparse = any("axes" in step and "mean" not in step for step in best.preparation_.arrays)
    body = _reading(source, label, drop, named, sparse, imports)
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


def _reading(
    source: str | Path | None,
    label: str | None,
    drop: list[str],
    named: bool,
    sparse: bool,
    imports: list[str],
) -> list[str]:
    """Return lines that read the data; imports are added to a list."""
    if source is None and sparse:
        imports.append("import scipy.sparse")
        return ["X = scipy.sparse.csr_array(X, dtype=float)  # your data"]
    if source is None:
        return ["X = np.asarray(X, dtype=float)  # your data"]
    path = Path(source)
    if path.suffix in (".npy", ".npz"):
        member = "['X']" if path.suffix == ".npz" else ""
        return [f"X = np.load({str(path)!r}){member}.astype(float)"]
    if path.suffix == ".h5ad":
        imports.append("import anndata")
        if not sparse:
            return [f"X = np.asarray(anndata.read_h5ad({str(path)!r}).X, dtype=float)"]
        imports.append("import scipy.sparse")
        return [f"X = scipy.sparse.csr_array(anndata.read_h5ad({str(path)!r}).X, dtype=float)"]
    imports.append("import pandas as pd")
    reader = "parquet" if path.suffix == ".parquet" else "csv"
    options = ', sep="\\t"' if path.suffix == ".tsv" else ""
    options += ", index_col=0" if named else ""
    columns: list[Any] = [*drop, *([label] if label else [])]
    dropped = f".drop(columns={columns!r})" if columns else ""
    return [f"X = pd.read_{reader}({str(path)!r}{options}){dropped}.to_numpy(float)"]
