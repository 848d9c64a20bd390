"""Checks of the arguments of metrics."""

import numpy as np
import pytest

from nldr.metrics._checks import finite_matrix, labeled_matrix, neighbor_counts


@pytest.mark.parametrize("shape", [(4,), (4, 0), (4, 2, 1)])
def test_bad_shape_raises(shape):
    with pytest.raises(ValueError, match=r"embedding must have shape .*with at least one column"):
        finite_matrix(np.zeros(shape), "embedding")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_non_finite_values_raise(bad):
    matrix = np.zeros((6, 2))
    matrix[[2, 4], 1] = bad
    with pytest.raises(ValueError, match=r"X contains NaN or infinity in 2 of 6 rows, .* row 2"):
        finite_matrix(matrix, "X")


def test_labels_of_two_dimensions_raise():
    with pytest.raises(ValueError, match="y must have one dimension"):
        labeled_matrix(np.zeros((4, 1)), np.zeros((4, 2)))


@pytest.mark.parametrize("k", [[], [0], [3, -1], [2.0], [True], 5, "5", [[3]]])
def test_bad_neighbor_counts_raise(k):
    with pytest.raises(ValueError, match="k must be a list of positive integers"):
        neighbor_counts(k)
