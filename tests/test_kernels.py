import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.gaussian_process.kernels import RBF

from nldr.kernels import SquaredExponential

DISTANCES = np.array([0.0, 1e-9, 0.3, 2.0, 50.0])


def test_is_the_rbf_kernel_of_scikit_learn():
    Z = np.random.default_rng(0).standard_normal((20, 3))
    length_scale = 1.7
    scaled = cdist(Z, Z, "sqeuclidean") / length_scale**2
    assert_allclose(SquaredExponential()(scaled), RBF(length_scale)(Z), rtol=1e-13)


def test_inverse_undoes_the_kernel():
    kernel = SquaredExponential()
    assert_allclose(kernel.inverse(kernel(DISTANCES)), DISTANCES, rtol=1e-12, atol=1e-15)


def test_equal_points_have_similarity_one_and_distance_zero():
    kernel = SquaredExponential()
    assert kernel(0.0) == 1
    assert kernel.inverse(1.0) == 0


def test_arguments_are_left_alone():
    kernel, d = SquaredExponential(), DISTANCES.copy()
    kernel.inverse(kernel(d))
    assert_array_equal(d, DISTANCES)
