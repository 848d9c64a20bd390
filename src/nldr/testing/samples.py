"""Small samples of the catalog's datasets."""

from __future__ import annotations

from typing import Any

import numpy as np

from nldr.dataset import Dataset
from nldr.engine.code.imports import import_object
from nldr.engine.planning.catalog import Catalog

SHORT = 0.05  # CPU seconds below which times are mostly overhead


def growth(small: float, large: float, n_rows: int) -> str:
    """Return what 10 000 points may take, by the CPU seconds of ``n_rows`` points and of half.

    Times too short to say anything about the growth give an empty text.

    Examples
    --------
    >>> growth(0.1, 0.4, 1000)
    '; 10000 may take 40 CPU s (n^2.0)'
    >>> growth(0.001, 0.004, 1000)
    ''
    """
    if large < SHORT:
        return ""
    exponent = float(np.clip(np.log2(large / max(small, SHORT / 4)), 1, 3))
    return f"; 10000 may take {large * (10_000 / n_rows) ** exponent:.2g} CPU s (n^{exponent:.1f})"


def small_params(catalog: Catalog, name: str, n_rows: int) -> dict[str, Any]:
    """Return a dataset's parameters, for a small sample if it has a parameter for its size."""
    entry = catalog.datasets[name]
    params = dict(entry.params)
    # A size may be a product: only a parameter that is the number of points itself is known.
    if isinstance(entry.n_samples, str) and entry.n_samples in params:
        params[entry.n_samples] = min(n_rows, params[entry.n_samples])
    return params


def sample(catalog: Catalog, name: str, n_rows: int, seed: int = 0) -> Dataset:
    """Return a sample of a dataset; of one whose size is fixed, some rows."""
    entry = catalog.datasets[name]
    takes_rng = "rng" in catalog.signatures[entry.function].parameters
    random = {"rng": np.random.default_rng(seed)} if takes_rng else {}
    data = import_object(entry.function)(**small_params(catalog, name, n_rows), **random)
    if data.n_samples <= n_rows:
        return data
    rows = np.sort(np.random.default_rng(0).permutation(data.n_samples)[:n_rows])
    return data.rows(rows)
