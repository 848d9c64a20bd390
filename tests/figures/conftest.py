"""A factory of synthetic studies, and of their published numbers."""

import copy

import numpy as np
import pandas as pd
import pytest

from nldr.dataset import Dataset
from nldr.figures import style
from nldr.figures.results import StudyResults

METHODS = {"pca": "PCA", "tsne": "t-SNE", "ikd": "IKD", "random": "random"}
KEYS = ["dataset", "data_cell", "method", "method_cell", "trial", "ok", "status"]
R2 = {"label": "R²", "title": "R² after alignment", "range": [0, 1], "direction": "higher"}
METRICS = {
    "r2_affine": R2,
    "stress": {"label": "stress", "title": "stress", "range": [0, None], "direction": "lower"},
}


def make_looks(methods):
    """Return different looks, for up to 121 methods."""
    n = len(style.COLORS)
    return {
        name: style.look(style.COLORS[i % n], style.MARKERS[(i + i // n) % n], 0, name == "random")
        for i, name in enumerate(methods)
    }


def cell(dataset, method, size):
    """Return the columns that name a cell."""
    names = {"dataset": dataset, "method": method, "method_cell": method}
    return {**names, "data_cell": f"{dataset},n_features={size}", "data.n_features": size}


@pytest.fixture
def make_study(rng):
    """Return a function that makes a study; ``status`` returns the outcome of a cell's trial."""

    def make(
        datasets=("gp",),
        methods=METHODS,
        sizes=(10, 100, 1000),
        trials=3,
        status=lambda method, size, trial: "ok",
        **changes,
    ):
        rows = [
            {
                **cell(dataset, method, size),
                "trial": trial,
                "status": status(method, size, trial),
                "message": "",
                "data.n_samples": 50,
                "method.n_components": 2,
                "r2_affine": rng.uniform(0.2, 1.0),
                "stress": rng.gamma(1.0),
                "seconds": rng.gamma(2.0),
            }
            for dataset in datasets
            for size in sizes
            for method in methods
            for trial in range(trials)
        ]
        table = pd.DataFrame(rows)
        table["ok"] = table["status"] == "ok"
        gone = ~table["status"].isin(["ok", "not_converged"])
        table.loc[gone, ["r2_affine", "stress"]] = np.nan
        data = Dataset(X=rng.normal(size=(50, 4)), Z=rng.normal(size=(50, 2)))
        embedded = {row["method"]: rng.normal(size=(50, 2)) for row in rows}
        failed = set(table.loc[gone, "method"])
        fields = {
            "title": "A study",
            "methods": methods,
            "looks": make_looks([*methods]),
            "roles": {m: "control" if m == "random" else "method" for m in methods},
            "datasets": {name: name.replace("_", " ") for name in datasets},
            "metrics": copy.deepcopy(METRICS),
            "table": table.drop(columns="seconds"),
            "timings": table[[*KEYS, "seconds"]],
            "published": None,
            "panel": lambda d, m: (data, None if m in failed else embedded[m]),
        }
        return StudyResults(**{**fields, **changes})

    return make


@pytest.fixture
def make_published():
    """Return a function that makes published numbers for cells of ``make_study``."""

    def make(methods=("pca", "tsne"), sizes=(10, 100, 1000), values=None, dataset="gp"):
        return pd.DataFrame(
            [
                {
                    **cell(dataset, method, size),
                    "data.n_features": float(size),
                    "metric": metric,
                    "value": value,
                    "sd": np.nan if metric == "seconds" else 0.1,
                }
                for metric, value in (values or {"r2_affine": 0.5, "seconds": 3.0}).items()
                for method in methods
                for size in sizes
            ]
        )

    return make
