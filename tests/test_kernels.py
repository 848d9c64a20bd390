from math import factorial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq
from scipy.spatial.distance import cdist
from sklearn.gaussian_process import kernels as sklearn_kernels

from nldr.kernels import KERNELS, GammaExponential, Matern, RationalQuadratic, SquaredExponential

DISTANCES = np.array([0.0, 1e-9, 0.3, 2.0, 50.0])
LENGTH_SCALE = 1.7
ALL = [
    SquaredExponential(),
    RationalQuadratic(),
    RationalQuadratic(alpha=3.7),
    GammaExponential(),
    GammaExponential(gamma=1.6),
    Matern(0.5),
    Matern(),
    Matern(2.5),
    Matern(0.8),
    Matern(7.0),
]


@pytest.mark.parametrize(
    ("kernel", "other"),
    [
        (SquaredExponential(), sklearn_kernels.RBF(LENGTH_SCALE)),
        (RationalQuadratic(), sklearn_kernels.RationalQuadratic(LENGTH_SCALE, alpha=1.0)),
        (RationalQuadratic(0.3), sklearn_kernels.RationalQuadratic(LENGTH_SCALE, alpha=0.3)),
        *[
            (Matern(nu), sklearn_kernels.Matern(LENGTH_SCALE, nu=nu))
            for nu in (0.3, 0.5, 0.7, 1.0, 1.5, 2.2, 2.5, 3.5, 12.0)
        ],
    ],
)
def test_equals_the_kernel_of_scikit_learn(rng, kernel, other):
    Z = rng.standard_normal((20, 3))
    scaled = cdist(Z, Z, "sqeuclidean") / LENGTH_SCALE**2
    assert_allclose(kernel(scaled), other(Z), rtol=1e-12)


def test_gamma_exponential_has_known_limits():
    distance = np.sqrt(DISTANCES)
    assert_allclose(GammaExponential(2.0)(DISTANCES), SquaredExponential()(2 * DISTANCES))
    assert_allclose(GammaExponential(1.0)(DISTANCES), Matern(0.5)(DISTANCES))
    assert_allclose(GammaExponential(1.6)(DISTANCES), np.exp(-(distance**1.6)))


@pytest.mark.parametrize("p", [3, 9, 49])
def test_general_matern_equals_the_closed_form_at_half_integers(p):
    d = np.array([0.0, 1e-300, 1e-12, 1e-9, 1e-3, 0.3, 2.0, 50.0])
    r = np.sqrt((2 * p + 1) * d)
    coefficients = [factorial(p + i) / (factorial(i) * factorial(p - i)) for i in range(p + 1)]
    # Coefficients decrease with the power, so the one of power zero is the largest.
    polynomial = np.polyval(np.array(coefficients) / coefficients[-1], 2 * r)
    assert_allclose(Matern(p + 0.5)(d), polynomial * np.exp(-r), rtol=1e-11)


@pytest.mark.parametrize("nu", [0.01, 0.8, 7.0, 50.0])
def test_general_matern_is_finite_and_decreasing_at_any_distance(nu):
    d = np.concatenate([[0.0], np.logspace(-308, 8, 400)])
    f = Matern(nu)(d)
    assert f[0] == 1
    assert f.min() >= 0
    assert f.max() == 1
    assert np.diff(f).max() < 1e-12
    assert f[-1] < 1e-9


@pytest.mark.parametrize("kernel", ALL, ids=str)
def test_is_positive_definite_and_decreases_from_one(rng, kernel):
    Z = rng.standard_normal((60, 3))
    assert np.linalg.eigvalsh(kernel(cdist(Z, Z, "sqeuclidean"))).min() > -1e-13
    assert kernel(0.0) == 1
    assert (np.diff(kernel(np.linspace(0, 30, 100))) < 0).all()


@pytest.mark.parametrize("kernel", ALL, ids=str)
def test_inverse_inverts_the_kernel_in_any_shape_and_modifies_no_argument(kernel):
    d = np.tile(DISTANCES, (2, 1))
    k = kernel(d)
    assert_array_equal(d, [DISTANCES, DISTANCES])
    before = k.copy()
    # Near a similarity of 1, distances are accurate only up to the rounding of the similarity.
    assert_allclose(kernel.inverse(k), d, rtol=1e-9, atol=1e-15)
    assert_array_equal(k, before)
    assert kernel.inverse(1.0) == 0
    # Alone, where no other similarity takes more steps
    assert kernel.inverse(kernel(50.0)) == pytest.approx(50.0, rel=1e-9)


@pytest.mark.parametrize("kernel", [*ALL, Matern(0.1), Matern(1.0), Matern(12.0)], ids=str)
def test_round_trip_error_is_below_1e_8_for_similarities_above_1e_3(kernel):
    far = brentq(lambda x: kernel(np.exp(x)) - 1e-3, -10, 60)
    d = np.exp(np.linspace(np.log(1e-6), far, 2000))
    assert_allclose(kernel.inverse(kernel(d)), d, rtol=1e-8)


def test_inverse_error_at_the_maximum_nu_is_that_of_the_bessel_function():
    d = np.geomspace(1e-6, 14, 2000)
    f = Matern(50.0)(d)
    assert_allclose(Matern(50.0).inverse(f), d, rtol=2e-7)
    assert_allclose(Matern(50.0).inverse(f[d > 1e-3]), d[d > 1e-3], rtol=1e-9)


def test_named_kernels_have_the_parameters_of_the_paper():
    expected = [SquaredExponential(), RationalQuadratic(1.0), GammaExponential(1.0), Matern(1.5)]
    assert [make() for make in KERNELS.values()] == expected


@pytest.mark.parametrize(
    ("make", "value", "message"),
    [
        (RationalQuadratic, 0.0, "alpha must be greater than 0, got 0.0"),
        (RationalQuadratic, float("nan"), "alpha must be greater than 0, got nan"),
        (GammaExponential, 0.0, "gamma must be greater than 0 and at most 2, got 0.0"),
        (GammaExponential, 2.1, "gamma must be greater than 0 and at most 2, got 2.1"),
        (Matern, -1.5, "nu must be greater than 0 and at most 50, got -1.5"),
        (Matern, 50.1, "nu must be greater than 0 and at most 50, got 50.1"),
    ],
)
def test_invalid_parameters_raise(make, value, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        make(value)
