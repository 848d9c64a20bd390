"""The page of a comparison says what its numbers are."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from reports import unpack
from scipy.sparse import csr_array

import nldr
from nldr.comparison.page import render
from nldr.metrics.pointwise import pointwise_errors


def test_points_of_the_page_have_their_names_or_rows(rng, monkeypatch):
    monkeypatch.setattr("nldr.comparison.draws.MOST_SHOWN", 30)
    X = rng.normal(size=(40, 3))
    names = [f"s{i} </script>" for i in range(40)]
    for data, name in ((X, "Row {}"), (pd.DataFrame(X, index=names), "s{} </script>")):
        result = nldr.compare(data, methods=["pca"])
        (rows,) = {tuple(fit.rows) for fit in result.draws.final.values()}
        assert len(rows) == 30
        (cloud,) = json.loads(unpack(render(result), "block")["explorer"])["clouds"]
        assert cloud["names"] == [name.format(row) for row in rows]


def test_page_names_the_neighbors_by_which_points_are_judged(rng):
    X = rng.normal(size=(900, 3))
    result = nldr.compare(X, methods=["pca"])
    k = int(re.search(r"<i>k</i> = (\d+) nearest", render(result)).group(1))
    (errors,) = pointwise_errors(X, [result.maps["PCA"]], k=k)
    intruders = result.trusts["pca"].errors["trustworthiness"]
    np.testing.assert_allclose(errors["trustworthiness"], intruders)


def test_categories_color_points_as_one_column(rng):
    kinds = ["cube", "ball", None] * 20
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"]).assign(kind=kinds)
    result = nldr.compare(frame, categories=["kind"], methods=["pca"])
    index = json.loads(unpack(render(result), "block")["explorer"])
    (cloud,) = index["clouds"]
    assert (cloud["features"], result.doctor.n_columns) == (3, 3)
    kind, *numbers = cloud["columns"]
    assert [part["name"] for part in numbers] == ["a", "b"]
    assert (kind["name"], kind["classes"], kind["as"]) == (
        "kind",
        ["ball", "cube", "missing"],
        "i8",
    )


@pytest.mark.parametrize(
    ("as_data", "n_columns", "words"),
    [
        (np.asarray, 30, ""),
        (np.asarray, 31, "Among the colors are at most 30 columns of numbers"),
        (csr_array, 31, "Columns of sparse data are not among the colors."),
    ],
)
def test_page_says_which_columns_are_colors(as_data, n_columns, words, rng):
    data = as_data(rng.normal(size=(40, n_columns)))
    page = render(nldr.compare(data, methods=["pca"]))
    assert words in page
    assert ("the colors" in page) == bool(words)
