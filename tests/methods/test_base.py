import numpy as np
from numpy.testing import assert_array_equal

from nldr.methods._base import fix_signs


def test_signs_make_largest_entries_positive_whatever_they_were(rng):
    X = rng.standard_normal((10, 3))
    fixed = fix_signs(X.copy())
    assert_array_equal(np.abs(fixed), np.abs(X))
    assert_array_equal(fixed.max(axis=0), np.abs(X).max(axis=0))
    assert_array_equal(fix_signs(X * [1, -1, -1]), fixed)
    assert fix_signs(X[:, :0]).shape == (10, 0)
