"""The page of a comparison says what its numbers are."""

import re

import numpy as np

import nldr
from nldr.comparison.page import render
from nldr.metrics.pointwise import pointwise_errors


def test_page_names_the_neighbors_by_which_points_are_judged(rng):
    X = rng.normal(size=(900, 3))
    result = nldr.compare(X, methods=["pca"])
    k = int(re.search(r"<i>k</i> = (\d+) nearest", render(result)).group(1))
    (errors,) = pointwise_errors(X, [result.maps["PCA"]], k=k)
    intruders = result.trusts["pca"].errors["trustworthiness"]
    np.testing.assert_allclose(errors["trustworthiness"], intruders)
