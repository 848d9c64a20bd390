"""A factory of planted studies, whose truth is known."""

import numpy as np
import pandas as pd
import pytest

from nldr.claims import Decision, Evidence, Finding

METRICS = {
    "r2": {"label": "R²", "title": "R² after alignment", "range": [0, 1], "direction": "higher"},
    "kl": {"label": "KL", "title": "KL divergence", "range": [0, None], "direction": "lower"},
}


@pytest.fixture
def plant():
    """Return a function that makes evidence from values of shape (n_settings, n_trials).

    Settings differ in the number of features, 10, 20, …; NaN is a run that failed.
    """

    def make(values, metric="r2", random=True, dataset="gp", **columns):
        tables = []
        for method, given in values.items():
            scores = np.atleast_2d(np.asarray(given, dtype=float))
            setting, trial = (index.ravel() for index in np.indices(scores.shape))
            features = 10 * (setting + 1)
            tables.append(
                pd.DataFrame(
                    {
                        "dataset": dataset,
                        "data_cell": [f"{dataset}@{n}" for n in features],
                        "method": method,
                        "method_cell": method,
                        "trial": trial,
                        "ok": np.isfinite(scores.ravel()),
                        "random": random,
                        "message": "",
                        "status": np.where(np.isfinite(scores.ravel()), "ok", "timeout"),
                        "data.n_features": features,
                        "method.n_components": 2,
                        metric: scores.ravel(),
                        **columns,
                    }
                )
            )
        table = pd.concat(tables, ignore_index=True)
        return Evidence(
            table=table,
            methods={name: name.upper() for name in table["method"].unique()},
            datasets={dataset: dataset.upper()},
            metrics=METRICS,
        )

    return make


@pytest.fixture
def finding():
    """Return a function that makes a finding with a p-value."""

    def make(p_value, supports=True):
        test = {"decision": Decision.HOLDS, "p_value": p_value, "supports": supports}
        numbers = {"effect": 1.0, "low": 0.5, "high": 1.5, "threshold": 0.0, "n": 5}
        texts = {"unit": "R²", "test": "t-test", "sentence": f"p = {p_value}."}
        return Finding(**test, **numbers, **texts)

    return make


@pytest.fixture
def join():
    """Return a function that makes one evidence of several."""

    def joined(*parts):
        return Evidence(
            table=pd.concat([part.table for part in parts], ignore_index=True),
            methods={k: v for part in parts for k, v in part.methods.items()},
            datasets={k: v for part in parts for k, v in part.datasets.items()},
            metrics=METRICS,
        )

    return joined
