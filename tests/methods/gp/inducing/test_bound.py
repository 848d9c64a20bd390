import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from nldr.methods.gp.inducing._bound import (
    Ascent,
    maximize,
    reduced_columns,
    standard_scores,
    warn_unconverged,
)


@pytest.fixture
def targets(rng):
    return rng.standard_normal((20, 3))


@pytest.mark.parametrize("shape", [(10, 4), (4, 10)])
def test_reduced_columns_keep_inner_products(shape, rng):
    Y = 3 + 7 * rng.standard_normal(shape)
    columns, scale = reduced_columns(Y)
    centered = (Y - Y.mean(axis=0)) / scale
    assert columns.shape[1] == np.linalg.matrix_rank(centered)
    assert_allclose(columns @ columns.T, centered @ centered.T, atol=1e-10)
    assert np.mean(centered**2) == pytest.approx(1)


def test_constant_data_have_no_columns():
    columns, scale = reduced_columns(np.ones((5, 3)))
    assert columns.shape == (5, 0)
    assert scale == 1
    assert_allclose(standard_scores(columns, 2), np.zeros((5, 2)))


def test_scores_have_unit_mean_square_and_fixed_signs(targets):
    columns = reduced_columns(targets)[0]
    before = columns.copy()
    scores = standard_scores(columns, 5)
    assert_allclose(np.square(scores).mean(axis=0), [1, 1, 1, 0, 0])
    assert (scores.max(axis=0) == np.abs(scores).max(axis=0)).all()
    assert_array_equal(columns, before)


def test_search_steps_back_from_points_that_cannot_be_evaluated():
    def evaluate(x):
        if x[0] > 1.5:
            raise np.linalg.LinAlgError
        return float(-((x[0] - 1) ** 2)), -2 * (x - 1)

    ascent = maximize(
        evaluate, np.array([-30.0]), bounds=np.array([[-50.0, 50.0]]), max_iter=50, tol=1e-12
    )
    assert_allclose(ascent.x, 1, atol=1e-4)
    assert (np.diff(ascent.history) >= 0).all()


def test_a_failed_line_search_is_named():
    with pytest.warns(ConvergenceWarning, match="rounding errors ended the search after 1 of"):
        warn_unconverged(Ascent(np.zeros(1), [0.0, 1.0], False, "ABNORMAL: "), 9)
