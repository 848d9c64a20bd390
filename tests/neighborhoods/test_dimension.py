import numpy as np
import pytest

from nldr.neighborhoods.dimension import eigengap, intrinsic_dimension, share_dimension


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_estimates_dimension_of_rotated_cube(dimension, rng):
    rotation = np.linalg.qr(rng.standard_normal((12, 12)))[0][:dimension]
    X = rng.random((3000, dimension)) @ rotation
    # Boundary bias grows with the dimension, to about −8 % for a cube of dimension 5.
    assert intrinsic_dimension(X) == pytest.approx(dimension, rel=0.12)


def test_scale_and_duplicates_do_not_matter(rng):
    X = rng.standard_normal((200, 3))
    expected = intrinsic_dimension(X)
    assert intrinsic_dimension(1e6 * np.repeat(X, 20, axis=0)) == pytest.approx(expected)


def test_equals_formula_of_levina_and_bickel(rng):
    X = rng.standard_normal((50, 4))
    inverse_estimates = []
    for x in X:
        distances = np.sort(np.linalg.norm(X - x, axis=1))[1:7]
        inverse_estimates.append(np.log(distances[-1] / distances[:-1]).sum() / 5)
    assert intrinsic_dimension(X, 6) == pytest.approx(1 / np.mean(inverse_estimates))


@pytest.mark.parametrize(
    "X", [np.eye(4), np.ones((30, 2)), np.eye(6)], ids=["few", "duplicates", "equidistant"]
)
def test_degenerate_points_have_dimension_zero(X):
    assert intrinsic_dimension(X) == 0


def test_too_few_neighbors_raise():
    with pytest.raises(ValueError, match="n_neighbors=2 is too low: it must be at least 3"):
        intrinsic_dimension(np.eye(6), 2)


@pytest.mark.parametrize(
    ("eigenvalues", "expected"),
    [([5, 0, 0], 1), ([9, 8, 7], 3), ([90, 9, 1e-5, 1e-12], 2), ([0, 0], 0), ([2], 1)],
)
def test_eigengap(eigenvalues, expected):
    assert eigengap(np.array(eigenvalues, dtype=float)) == expected


def test_share_dimension_counts_until_the_share_is_reached():
    values = np.array([5.0, 3.0, 1.0, 1.0])
    assert [share_dimension(values, share) for share in (0.1, 0.5, 0.51, 0.8, 0.9, 1.0)] == [
        1,
        1,
        2,
        2,
        3,
        4,
    ]
    assert share_dimension(np.zeros(3), 0.98) == 1
