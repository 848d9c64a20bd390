"""Scores at the method's own number of neighbors, and their agreement with published ones."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sheets import words

from nldr.figures import style
from nldr.figures.released import K, agreement, at_own_neighbors, own_neighbors, paired
from nldr.figures.results import StudyResults
from nldr.figures.style import find_note

FACTS = {"title": "T, 5 neighbors", "label": "T", "range": [0, 1], "direction": "higher"}
ERROR = {"title": "error", "label": "E", "range": [0, 1], "direction": "lower"}


@pytest.fixture
def results():
    """Return a method with 5 and 6 neighbors and one without, with published numbers of both."""
    table = pd.DataFrame(
        [
            ("m", "m5", "5", 0.5, 0.2, 0.05),
            ("m", "m6", "6", 0.1, 0.7, 0.06),
            ("p", "p", "", 0.3, 0.4, 0.07),
        ],
        columns=["method", "method_cell", K, "t_k5", "t_k6", "error"],
    ).assign(dataset="d", data_cell="d", trial=0, ok=True, status="ok")
    published = pd.DataFrame(
        [
            ("m5", "m", 5, "t_k5", 0.505),
            ("m6", "m", 6, "t_k6", 0.8),
            ("m6", "m", 6, "t_k5", 0.9),
            ("p", "p", np.nan, "t_k5", 0.3),
            ("p", "p", np.nan, "t_k6", 0.2),
            ("p", "p", np.nan, "error", 0.07),
        ],
        columns=["method_cell", "method", K, "metric", "value"],
    ).assign(dataset="d", data_cell="d", sd=np.nan)
    return StudyResults(
        title="Runs",
        methods={"m": "M", "p": "P"},
        roles={"m": "method", "p": "method"},
        looks={"m": style.look("#D55E00", "o"), "p": style.look("#000000", "v")},
        datasets={"d": "D"},
        metrics={"t_k5": FACTS, "t_k6": FACTS, "error": ERROR},
        table=table,
        timings=table,
        published=published,
        panel=None,
    )


def test_metrics_take_the_number_of_neighbors_of_the_method(results):
    own = at_own_neighbors(results)
    assert list(own.metrics) == ["error", "t"]
    assert own.metrics["t"]["title"] == "T"
    result = own.table.set_index(["method", K])["t"].to_dict()
    assert result == {("m", 5): 0.5, ("m", 6): 0.7, ("p", 5): 0.3, ("p", 6): 0.4}
    theirs = own.published.set_index(["method", K, "metric"])["value"].to_dict()
    scores = {("m", 5): 0.505, ("m", 6): 0.8, ("p", 5): 0.3, ("p", 6): 0.2}
    assert theirs == {
        **{(*key, "t"): score for key, score in scores.items()},
        **{("p", k, "error"): 0.07 for k in (5, 6)},
    }


def test_pairs_and_their_share(results):
    own = at_own_neighbors(results)
    pairs = paired(own, "t").sort_values("ours")
    assert pairs["ours"].tolist() == [0.3, 0.4, 0.5, 0.7]
    assert pairs["theirs"].tolist() == [0.3, 0.2, 0.505, 0.8]
    figure = agreement(results)
    assert "2 of 4 within 0.01" in words(figure)
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["M: 1 of 2 within 0.01", "P: 3 of 4 within 0.01"]
    assert paired(replace(own, published=None), "t").empty
    # Metrics that are not published have no panel
    published = results.published
    fewer = agreement(replace(results, published=published[published["metric"] != "error"]))
    assert len(fewer.axes) == len(figure.axes) - 1


def test_share_of_a_lone_method_is_in_the_note(results):
    published = results.published
    figure = agreement(replace(results, published=published[published["method"] == "m"]))
    assert not figure.legends
    assert find_note(figure).endswith("M: 1 of 2 within 0.01.")


def test_published_curves_are_drawn_beside_ours(results):
    figure = own_neighbors(results)
    drawn = [line.get_ydata() for axes in figure.axes for line in axes.lines]
    for expected in ([0.5, 0.7], [0.505, 0.8], [0.3, 0.4], [0.3, 0.2]):
        assert any(len(y) == 2 and np.allclose(y, expected) for y in drawn)


def test_agreement_without_published_numbers_is_empty(results):
    figure = agreement(replace(results, published=None))
    assert not figure.axes
    assert "No runs of this size are published" in find_note(figure)
