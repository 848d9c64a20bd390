"""The page of a comparison says what its numbers are."""

import json
import re

import numpy as np
import pandas as pd
from reports import unpack

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
