"""Rounded methods of the released code: the same maps, with rounding errors of their own."""

import numpy as np
import pytest

from nldr.methods.spectral.released import ReleasedLE, ReleasedLLE
from nldr.methods.spectral.rounded import RoundedLE, RoundedLLE


@pytest.fixture
def sheet(rng):
    """Return points of a bent sheet, large enough for the heat kernel to connect them."""
    u, v = rng.uniform(size=(2, 200))
    return 10 * np.column_stack([np.cos(2 * u), np.sin(2 * u), 2 * v])


@pytest.mark.parametrize(("rounded", "plain"), [(RoundedLE, ReleasedLE), (RoundedLLE, ReleasedLLE)])
def test_trials_differ_in_rounding_errors_alone(rounded, plain, sheet):
    first, second = (
        rounded(2, n_neighbors=8, random_state=seed).fit_transform(sheet) for seed in (0, 1)
    )
    assert not np.array_equal(first, second)
    np.testing.assert_allclose(first, second, atol=1e-5)
    np.testing.assert_allclose(first, plain(2, n_neighbors=8).fit_transform(sheet), atol=1e-5)


def test_unit_is_a_factor_of_the_data(rng):
    X = rng.standard_normal((80, 20))
    expected = ReleasedLLE(2, n_neighbors=8).fit_transform(0.05 * X)
    Z = RoundedLLE(2, n_neighbors=8, unit=0.05, random_state=0).fit_transform(X)
    np.testing.assert_allclose(Z, expected, atol=1e-5)
