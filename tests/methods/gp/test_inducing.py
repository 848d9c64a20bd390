import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from nldr.methods.gp._inducing import (
    collapsed_bound,
    maximize,
    reduced_columns,
    standard_scores,
    unwhiten,
    whiten,
)

RNG = np.random.default_rng(0)
T, V = RNG.standard_normal((20, 3)), RNG.standard_normal((20, 4))


def value(trace=90.0, cross=V.T @ T, gram=V.T @ V, precision=2.0):
    return collapsed_bound(
        trace, cross, gram, precision, n_samples=20, n_targets=3, squares=np.square(T).sum()
    )


def test_equals_the_definition():
    normal = multivariate_normal(cov=V @ V.T + 0.5 * np.eye(20))
    expected = normal.logpdf(T.T).sum() - 3 * (90.0 - np.square(V).sum())
    assert value().value == pytest.approx(expected, rel=1e-12)


def test_gradient():
    bound, step = value(), 1e-6

    def slope(**moved):
        plus = value(**{k: a + step * b for k, (a, b) in moved.items()}).value
        minus = value(**{k: a - step * b for k, (a, b) in moved.items()}).value
        return (plus - minus) / (2 * step)

    assert bound.precision == pytest.approx(slope(precision=(2.0, 1.0)), rel=1e-6)
    assert bound.trace == pytest.approx(slope(trace=(90.0, 1.0)), rel=1e-6)
    side = RNG.standard_normal((4, 3))
    along = np.vdot(bound.cross, side)
    assert along == pytest.approx(slope(cross=(V.T @ T, side)), rel=1e-6)
    side = RNG.standard_normal((4, 4))
    side += side.T
    assert np.vdot(bound.gram, side) == pytest.approx(slope(gram=(V.T @ V, side)), rel=1e-6)


def test_whitening_and_its_transpose():
    A = V.T @ V
    root = np.linalg.cholesky(A)
    white = whiten(root, V.T)
    assert_allclose(white.T @ white, V @ np.linalg.solve(A, V.T), atol=1e-12)
    assert_allclose(np.vdot(unwhiten(root, white), V.T), np.vdot(white, white))


@pytest.mark.parametrize("shape", [(10, 4), (4, 10)])
def test_reduced_columns_keep_scalar_products(shape):
    Y = 3 + 7 * RNG.standard_normal(shape)
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


def test_scores_have_unit_squares_and_fixed_signs():
    scores = standard_scores(reduced_columns(T)[0], 5)
    assert_allclose(np.square(scores).mean(axis=0), [1, 1, 1, 0, 0])
    assert (scores.max(axis=0) == np.abs(scores).max(axis=0)).all()


def test_ascent_steps_back_from_where_the_function_fails():
    def evaluate(x):
        if x[0] > 1.5:
            raise np.linalg.LinAlgError
        return float(-((x[0] - 1) ** 2)), -2 * (x - 1)

    found = maximize(
        evaluate, np.array([-30.0]), bounds=np.array([[-50.0, 50.0]]), max_iter=50, tol=1e-12
    )
    assert_allclose(found.x, 1, atol=1e-4)
    assert (np.diff(found.history) >= 0).all()


def test_ascent_that_is_cut_has_not_converged():
    wide = np.diag([1.0, 100.0])
    found = maximize(
        lambda x: (float(-x @ wide @ x), -2 * wide @ x), np.array([5.0, 3.0]),
        bounds=np.tile([-9.0, 9.0], (2, 1)), max_iter=1, tol=1e-12,
    )  # fmt: skip
    assert not found.converged
    assert len(found.history) == 2
