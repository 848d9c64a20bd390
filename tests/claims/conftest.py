"""A factory of planted studies, whose truth is known."""

import numpy as np
import pandas as pd
import pytest

from nldr.claims import Evidence, decide

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
def outcomes():
    """Return a function that gives the outcomes of a finding's settings at the level of 5 %."""

    def read(finding, level=0.05):
        return [str(setting.tests.outcome(level)) for setting in finding.settings]

    return read


@pytest.fixture
def only():
    """Return a function that gives the comparison of a finding that has a single one."""

    def read(finding):
        ((comparison,),) = (setting.comparisons for setting in finding.settings)
        return comparison

    return read


@pytest.fixture
def say():
    """Return a function that gives the sentence of a finding."""

    def sentence(finding):
        return decide([finding], level=0.05).sentence

    return sentence


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
