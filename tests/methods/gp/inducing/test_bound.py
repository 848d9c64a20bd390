import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning

from nldr.methods.gp.inducing._bound import (
    Ascent,
    collapsed_bound,
    latent_signs,
    maximize,
    reduced_columns,
    standard_scores,
    unwhiten,
    warn_unconverged,
    whiten,
)


@pytest.fixture
def targets(rng):
    return rng.standard_normal((20, 3))


@pytest.fixture
def factor(rng):
    return rng.standard_normal((20, 4))


def evaluate_bound(T, trace, cross, gram, precision):
    return collapsed_bound(
        trace, cross, gram, precision, n_samples=20, n_targets=3, squares=np.square(T).sum()
    )


def test_bound_equals_its_definition(targets, factor):
    bound = evaluate_bound(targets, 90.0, factor.T @ targets, factor.T @ factor, 2.0)
    normal = multivariate_normal(cov=factor @ factor.T + 0.5 * np.eye(20))
    expected = normal.logpdf(targets.T).sum() - 3 * (90.0 - np.square(factor).sum())
    assert bound.value == pytest.approx(expected, rel=1e-12)


def test_gradient_equals_finite_differences(targets, factor, rng):
    point = {
        "trace": 90.0,
        "cross": factor.T @ targets,
        "gram": factor.T @ factor,
        "precision": 2.0,
    }
    bound, step = evaluate_bound(targets, **point), 1e-6
    symmetric = rng.standard_normal((4, 4))
    symmetric += symmetric.T
    directions = {
        "trace": 1.0,
        "cross": rng.standard_normal((4, 3)),
        "gram": symmetric,
        "precision": 1.0,
    }
    for name, direction in directions.items():
        plus, minus = (
            evaluate_bound(targets, **point | {name: point[name] + sign * step * direction}).value
            for sign in (1, -1)
        )
        slope = np.vdot(getattr(bound, name), direction)
        scale = np.linalg.norm(getattr(bound, name)) * np.linalg.norm(direction)
        assert slope == pytest.approx((plus - minus) / (2 * step), abs=1e-6 * scale)


def test_whitening_and_its_transpose(factor):
    A = factor.T @ factor
    root = np.linalg.cholesky(A)
    white = whiten(root, factor.T)
    assert_allclose(white.T @ white, factor @ np.linalg.solve(A, factor.T), atol=1e-10)
    assert_allclose(np.vdot(unwhiten(root, white), factor.T), np.vdot(white, white))


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


def test_latent_signs_make_the_largest_entries_positive():
    X = np.array([[-3.0, 1.0, 0.0], [2.0, 4.0, 0.0]])
    assert_array_equal(latent_signs(X), [-1, 1, 1])


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


def test_search_cut_by_max_iter_has_not_converged():
    wide = np.diag([1.0, 100.0])
    ascent = maximize(
        lambda x: (float(-x @ wide @ x), -2 * wide @ x),
        np.array([5.0, 3.0]),
        bounds=np.tile([-9.0, 9.0], (2, 1)),
        max_iter=1,
        tol=1e-12,
    )
    assert not ascent.converged
    assert len(ascent.history) == 2


def test_a_failed_line_search_is_named():
    with pytest.warns(ConvergenceWarning, match="rounding errors ended the search after 1 of"):
        warn_unconverged(Ascent(np.zeros(1), [0.0, 1.0], False, "ABNORMAL: "), 9)
