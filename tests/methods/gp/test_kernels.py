import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import check_grad
from scipy.spatial.distance import cdist

from nldr import kernels
from nldr.methods.gp.kernels import NAMED, Linear, Stationary, Sum, White

X = np.random.default_rng(0).standard_normal((40, 3))  # more rows than one block
SHAPES = {
    "squared exponential": kernels.SquaredExponential(),
    "rational quadratic": kernels.RationalQuadratic(alpha=0.7),
    "gamma 1": kernels.GammaExponential(gamma=1.0),
    "gamma 1.6": kernels.GammaExponential(gamma=1.6),
    "Ornstein-Uhlenbeck": kernels.Matern(0.5),
    "Matern 3/2": kernels.Matern(1.5),
    "Matern 5/2": kernels.Matern(2.5),
}
KERNELS = {
    **{name: Stationary(shape, variance=1.7, length_scale=0.8) for name, shape in SHAPES.items()},
    "linear": Linear(0.6),
    "white": White(0.3),
}
SUMS = {
    "SE + white": KERNELS["squared exponential"] + White(0.3),
    "SE + linear + white": KERNELS["squared exponential"] + Linear(0.6) + White(0.3),
    "all": Sum(tuple(KERNELS.values())),
}
ALL = {**KERNELS, **SUMS, **{f"{k}, ARD": v.with_relevances(3) for k, v in SUMS.items()}}


@pytest.fixture
def half(rng):
    """Return an upper triangular matrix, the half of some dL/dK."""
    return np.triu(rng.standard_normal((40, 40)))


@pytest.mark.parametrize("name", ALL)
def test_gradient_equals_finite_differences(name, half, rng):
    kernel = ALL[name]
    theta = kernel.log_params() + rng.uniform(-0.2, 0.2, len(kernel.log_params()))

    def scalar(points, theta):
        return np.sum((half + half.T) * kernel.with_log_params(theta)(points))

    by_points, by_params = kernel.with_log_params(theta).add_to(np.zeros((40, 40)), X)(half)
    step = 1e-6
    for i, expected in enumerate(by_params):
        change = step * np.eye(len(theta))[i]
        slope = (scalar(X, theta + change) - scalar(X, theta - change)) / (2 * step)
        assert slope == pytest.approx(expected, rel=1e-5, abs=1e-5)
    for i, q in [(0, 0), (17, 1), (39, 2)]:
        change = np.zeros_like(X)
        change[i, q] = step
        slope = (scalar(X + change, theta) - scalar(X - change, theta)) / (2 * step)
        assert slope == pytest.approx(by_points[i, q], rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", SHAPES)
def test_stationary_kernels_equal_their_function_of_the_distance(name):
    expected = 1.7 * SHAPES[name](cdist(X / 0.8, X / 0.8, "sqeuclidean"))
    assert_allclose(KERNELS[name](X), expected, rtol=1e-12)


def test_ard_length_scales_divide_the_dimensions():
    lengths = np.array([0.5, 1.0, 2.0])
    kernel = Stationary(kernels.Matern(1.5))
    ard = kernel.with_relevances(3).with_params(length_scale=lengths)
    assert_allclose(ard(X), kernel(X / lengths), rtol=1e-12)
    assert_allclose(kernel.with_relevances(3)(X), kernel(X))


def test_linear_kernel_equals_the_weighted_inner_product():
    weights = np.array([0.5, 1.0, 2.0])
    assert_allclose(Linear(weights)(X), X @ np.diag(weights) @ X.T)
    assert_allclose(Linear(0.6).with_relevances(3)(X), 0.6 * X @ X.T)


def test_sums_are_flat_and_equal_the_sum_of_their_terms():
    kernel = (KERNELS["Matern 3/2"] + Linear()) + (White() + Linear())
    assert [type(part) for part in kernel.parts] == [Stationary, Linear, White, Linear]
    assert_allclose(kernel(X), sum(part(X) for part in kernel.parts))


def test_gradient_of_stationary_kernels_does_not_depend_on_the_origin(half):
    kernel = KERNELS["Matern 5/2"]
    here = kernel.add_to(np.zeros((40, 40)), X)(half)
    there = kernel.add_to(np.zeros((40, 40)), X + 1e4)(half)
    assert_allclose(there[0], here[0], rtol=1e-6, atol=1e-6)
    assert_allclose(there[1], here[1], rtol=1e-6)


@pytest.mark.parametrize("name", SHAPES)
def test_coincident_points_do_not_contribute_to_the_gradient_of_each_other(name, half):
    twice = np.repeat(X[:20], 2, axis=0)
    strong = half.copy()
    strong[np.arange(0, 40, 2), np.arange(1, 40, 2)] += 1e6
    pullback = KERNELS[name].add_to(np.zeros((40, 40)), twice)
    assert_allclose(pullback(strong)[0], pullback(half)[0], atol=1e-8)
    assert np.isfinite(pullback(strong)[1]).all()


@pytest.mark.parametrize("name", ALL)
def test_log_params_can_be_set_and_read_and_covariances_multiplied(name):
    kernel = ALL[name]
    theta = kernel.log_params()
    assert_allclose(kernel.with_log_params(theta + 0.1).log_params(), theta + 0.1)
    assert_allclose(kernel.with_log_params(theta)(X), kernel(X), rtol=1e-12)
    low, high = kernel.bounds().T
    assert low.shape == theta.shape
    assert np.all((low < theta) & (theta <= high))
    assert_allclose(kernel.times(2.5)(X), 2.5 * kernel(X), rtol=1e-12)


def test_upper_bound_of_gamma_is_two():
    kernel = Stationary(kernels.GammaExponential(gamma=2.0))
    at_bound = kernel.with_log_params(kernel.bounds()[:, 1])
    assert at_bound.shape.gamma == pytest.approx(2.0)


def test_every_kernel_name_of_ikd_is_known():
    assert set(kernels.KERNELS) < set(NAMED)
    assert_array_equal(NAMED["ornstein_uhlenbeck"]()(X), NAMED["gamma_exponential"]()(X))


def test_bad_parameters_and_kernels_without_a_known_gradient_raise():
    with pytest.raises(ValueError, match=r"variance must be greater than 0, got 0\.0"):
        White(0.0)
    with pytest.raises(ValueError, match="length_scale must be greater than 0, got -1"):
        Stationary(kernels.Matern(1.5), length_scale=-1)
    with pytest.raises(ValueError, match=r"nu must be 0.5, 1.5 or 2.5 .* got 0.7"):
        Stationary(kernels.Matern(0.7))
    with pytest.raises(ValueError, match=r"is not known: use a kernel of nldr\.kernels"):
        Stationary(np.exp)


@pytest.mark.parametrize("name", [n for n in NAMED if n != "white"])
@pytest.mark.parametrize("ard", [False, True])
def test_covariances_of_two_sets_are_blocks_of_the_matrix(name, ard, rng):
    kernel = NAMED[name]() + Linear(0.3) + White(0.1)
    kernel = kernel.with_relevances(2) if ard else kernel
    X, Z = rng.standard_normal((5, 2)), rng.standard_normal((7, 2))
    both = kernel(np.vstack([X, Z]))
    assert_allclose(kernel(X, Z), both[:5, 5:], atol=1e-12)
    assert_allclose(kernel.diagonal(X)[0], np.diag(both)[:5], rtol=1e-12)
    # Gradients of covariances and variances with respect to the first set
    weight, by_diagonal = rng.standard_normal((5, 7)), rng.standard_normal(5)

    def value(x):
        points = x.reshape(5, 2)
        return np.vdot(weight, kernel(points, Z)) + by_diagonal @ kernel.diagonal(points)[0]

    def slopes(x):
        points = x.reshape(5, 2)
        own = by_diagonal[:, None] * kernel.diagonal(points)[1]
        return (kernel.cross(points, Z)[1](weight) + own).ravel()

    assert check_grad(value, slopes, X.ravel()) < 1e-5
