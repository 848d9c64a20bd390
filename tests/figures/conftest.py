"""A factory of synthetic studies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from nldr.dataset import Dataset
from nldr.figures.results import StudyResults

METHODS = {"pca": "PCA", "tsne": "t-SNE", "ikd": "IKD", "random": "random"}
KEYS = ["dataset", "data_cell", "method", "method_cell", "trial", "status"]
METRICS = {
    "r2_affine": {
        "label": "R²", "title": "R² after alignment", "range": [0, 1], "direction": "higher",
    },
    "stress": {"label": "stress", "title": "stress", "range": [0, None], "direction": "lower"},
}  # fmt: skip


@pytest.fixture
def make_study() -> Callable[..., StudyResults]:
    """Return a function that makes a study; ``status`` says how a cell's trial ended."""

    def make(
        datasets: tuple[str, ...] = ("gp",),
        methods: dict[str, str] = METHODS,
        sizes: tuple[int, ...] = (10, 100, 1000),
        trials: int = 3,
        status: Callable[[str, int, int], str] = lambda method, size, trial: "ok",
        **changes: Any,
    ) -> StudyResults:
        rng = np.random.default_rng(0)
        rows = [
            {
                "dataset": dataset, "data_cell": f"{dataset},n_features={size}", "method": method,
                "method_cell": method, "trial": trial, "status": status(method, size, trial),
                "message": "", "data.n_features": size, "data.n_samples": 50,
                "method.n_components": 2, "r2_affine": rng.uniform(0.2, 1.0),
                "stress": rng.gamma(1.0), "seconds": rng.gamma(2.0),
            }
            for dataset in datasets for size in sizes for method in methods
            for trial in range(trials)
        ]  # fmt: skip
        table = pd.DataFrame(rows)
        gone = ~table["status"].isin(["ok", "not_converged"])
        table.loc[gone, ["r2_affine", "stress"]] = np.nan
        data = Dataset(X=rng.normal(size=(50, 4)), Z=rng.normal(size=(50, 2)))
        embedded = {row["method"]: rng.normal(size=(50, 2)) for row in rows}
        failed = set(table.loc[gone, "method"])
        given = {
            "title": "A study", "methods": methods, "metrics": METRICS, "published": None,
            "roles": {m: "control" if m == "random" else "method" for m in methods},
            "datasets": {name: name.replace("_", " ") for name in datasets},
            "table": table.drop(columns="seconds"), "timings": table[[*KEYS, "seconds"]],
            "panel": lambda d, m: (data, None if m in failed else embedded[m]),
        }  # fmt: skip
        return StudyResults(**{**given, **changes})

    return make
