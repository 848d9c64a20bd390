"""GPLVM with the kernels of the IKD paper's released runs."""

import pytest
from numpy.testing import assert_array_equal

from nldr.methods.gp.gplvm import GPLVM
from nldr.methods.gp.swapped import SwappedGPLVM


@pytest.mark.parametrize(
    ("named", "run"),
    [
        ("rational_quadratic", "ornstein_uhlenbeck"),
        ("gamma_exponential", "rational_quadratic"),
        ("squared_exponential", "squared_exponential"),
        ("matern", "matern"),
        ("gamma_exponential + white", "gamma_exponential + white"),
    ],
)
def test_runs_the_released_kernel(rng, named, run):
    X = rng.standard_normal((12, 40))
    options = {"init": "pca", "max_iter": 3, "tol": None}
    swapped = SwappedGPLVM(kernel=named, **options).fit(X)
    assert_array_equal(swapped.embedding_, GPLVM(kernel=run, **options).fit_transform(X))
    assert swapped.get_params()["kernel"] == named
