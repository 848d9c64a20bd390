"""Bars are the shares of the variance, numbers the standard deviations."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from nldr.figures.results import StudyResults
from nldr.figures.variance import variance
from nldr.statistics.variance import variance_table

KEYS = ["dataset", "data_cell", "method", "method_cell", "trial"]


@pytest.fixture
def results(rng):
    """Two datasets with three draws; t-SNE has a seed that matters, PCA has not."""
    rows = []
    for dataset in ("gp", "roll"):
        for draw, repeat in [(0, ""), (1, ""), (2, ""), (0, 1)]:
            for trial in range(3):
                for method, spread in (("pca", 0), ("tsne", 1)):
                    # The same draw and seed give the same score
                    score = draw + spread * np.sin(7 * draw + 3 * trial)
                    cell = (dataset, f"{dataset}{draw}{repeat}", method, method, trial, True)
                    rows.append((*cell, draw, repeat, score, rng.uniform(1, 2)))
    columns = [*KEYS, "ok", "data.draw", "data.repeat", "mu", "seconds"]
    table = pd.DataFrame(rows, columns=columns)
    return StudyResults(
        title="Noise",
        methods={"pca": "PCA", "tsne": "t-SNE"},
        roles={},
        looks={},
        datasets={"gp": "GP", "roll": "Swiss roll"},
        published=None,
        panel=None,
        metrics={"mu": {"label": "µ", "title": "µ", "range": [0, 1], "direction": "higher"}},
        table=table.drop(columns="seconds"),
        timings=table[[*KEYS, "seconds"]],
    )


def test_bars_are_the_shares(results):
    figure = variance(results, columns=["mu"])
    variances = variance_table(results.table, ["mu"])
    for axes, dataset in zip(figure.axes, ("gp", "roll"), strict=True):
        expected = variances[variances["dataset"] == dataset]
        bars = np.array([bar.get_width() for bar in axes.patches]).reshape(3, 2)
        np.testing.assert_allclose(bars, expected[["data", "method_seed", "machine"]].T)
        assert bars[1, 0] == pytest.approx(0, abs=1e-9)
        assert bars[1, 1] > 0.1
        texts = [text.get_text() for text in axes.texts]
        assert texts[0] == "100/0/0"
        assert texts[1::3] == [f"{mean:.3g}" for mean in expected["mean"]]
        assert texts[2::3] == [f"{sd:.2g}" for sd in expected["sd"]]
        assert [label.get_text() for label in axes.get_yticklabels()] == ["PCA", "t-SNE"]


def test_costs_are_shown_by_their_logarithm(results):
    figure = variance(results)
    assert len(figure.axes) == 4
    texts = [text.get_text() for text in figure.texts]
    assert "fit time, log" in texts
    shares = [bar.get_width() for bar in figure.axes[2].patches]
    # The clock is random: the machine has a share of it, and none of the scores
    assert shares[4] > 0
    assert figure.axes[0].patches[4].get_width() == 0


def test_a_study_without_draws_is_refused(results):
    once = results.table["data.draw"] == 0
    table, timings = (
        frame[once].reset_index(drop=True) for frame in (results.table, results.timings)
    )
    with pytest.raises(ValueError, match="give the datasets more values of draw"):
        variance(replace(results, table=table, timings=timings))
