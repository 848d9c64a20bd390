import numpy as np
from numpy.testing import assert_array_equal

from nldr.methods._rows import TrainingRows


def test_training_rows_are_found_by_value_and_the_last_of_equal_ones_counts(rng):
    X = rng.standard_normal((20, 3))
    rows = TrainingRows(X)
    order = rng.permutation(20)
    assert_array_equal(rows.positions(X[order]), order)
    assert_array_equal(rows.positions(np.nextafter(X, np.inf)), np.full(20, -1))
    rows = TrainingRows(np.array([[1.0], [2.0], [1.0]]))
    assert_array_equal(rows.positions(np.array([[1.0], [2.0]])), [2, 1])
