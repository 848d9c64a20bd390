"""Scores are those of the scorer; whatever it raises is a status."""

from dataclasses import replace

import numpy as np
import pytest
from small import SCORE

from nldr.dataset import Dataset
from nldr.engine.files.store import write_npz
from nldr.engine.stages.score import score


@pytest.fixture
def Z(rng):
    return rng.normal(size=(30, 2))


@pytest.fixture
def scored(tmp_path, Z):
    """Return a function that scores an embedding of a plane, by default a perfect one."""

    def run(function, embedding=3 * Z + 1, train=None, clean=None, **changes):
        data = Dataset(X=Z @ np.ones((2, 5)), Z=Z, train=train, clean=clean)
        files = []
        for name, arrays in (("data", data.arrays()), ("embedding", {"embedding": embedding})):
            entry = write_npz(tmp_path / f"{name}.npz", arrays, {})
            files.append((str(tmp_path / f"{name}.npz"), entry["sha256"]))
        return score(replace(SCORE, function=function, **changes), *files, {}, lambda: None)

    return run


def test_halves_of_the_rows(scored, Z, rng):
    # An embedding that is right on one half, and noise on the other
    selecting = np.isin(np.arange(30), np.random.default_rng(0).permutation(30)[:15])
    embedding = np.where(selecting[:, np.newaxis], Z, rng.normal(size=(30, 2)))
    function = "nldr.metrics.alignment.alignment"
    selected = scored(function, embedding, half="selecting")["values"]
    assert selected["selecting.r2_affine"] == pytest.approx(1, abs=1e-12)
    assert scored(function, embedding, half="scored")["values"]["r2_affine"] < 0.7
    # The other way round: each row is in one half
    embedding = np.where(selecting[:, np.newaxis], rng.normal(size=(30, 2)), Z)
    r2 = scored(function, embedding, half="scored")["values"]["r2_affine"]
    assert r2 == pytest.approx(1, abs=1e-12)


def test_rows_of_a_split(scored, Z, rng):
    train = np.arange(30) < 20
    embedding = np.where(train[:, np.newaxis], Z, rng.normal(size=(30, 2)))
    r2 = {
        rows: scored("nldr.metrics.alignment.alignment", embedding, train, rows=rows)["values"][
            "r2_affine"
        ]
        for rows in ("all", "train", "test")
    }
    assert r2["train"] == pytest.approx(1, abs=1e-12)
    assert max(r2["test"], r2["all"]) < 0.5


def test_observed_rows_hide_the_clean_observations(scored, Z, rng):
    function, observed = "nldr.metrics.distances.distances", Z @ np.ones((2, 5))
    clean = rng.normal(size=observed.shape)
    spearman = {
        rows: scored(function, observed, clean=clean, rows=rows)["values"]["distance_spearman"]
        for rows in ("all", "observed")
    }
    assert spearman["observed"] == pytest.approx(1)
    assert spearman["all"] < 0.5


def test_threads_are_given_to_the_scorer(scored):
    values = [scored("nldr.metrics.coranking.coranking", threads=threads) for threads in (1, 2)]
    assert values[0] == values[1]
    refused = scored("nldr.metrics.alignment.alignment", threads=2)
    assert refused["status"] == "error"
    assert "n_jobs" in refused["message"]


def test_missing_numbers_are_none(scored):
    assert scored("planted.metric_has_no_number")["values"] == {"spread": None, "count": None}


@pytest.mark.parametrize(
    ("function", "message"),
    [("metric_raises", "RuntimeError: this metric is broken"), ("metric_leaves", "SystemExit: 3")],
)
def test_scorer_that_fails_has_no_values(scored, function, message):
    expected = {"values": {}, "status": "error", "message": message}
    assert scored(f"planted.{function}") == expected
