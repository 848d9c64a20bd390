import numpy as np
import pytest

from nldr.neighborhoods.dimension import eigengap, intrinsic_dimension

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_dimension_of_a_turned_cube(dimension):
    turn = np.linalg.qr(RNG.standard_normal((12, 12)))[0][:dimension]
    X = RNG.random((3000, dimension)) @ turn
    assert intrinsic_dimension(X) == pytest.approx(dimension, rel=0.1)


def test_size_and_repeated_points_do_not_matter():
    X = RNG.standard_normal((200, 3))
    one = intrinsic_dimension(X)
    assert intrinsic_dimension(1e6 * np.repeat(X, 20, axis=0)) == pytest.approx(one)


def test_equals_the_formula():
    X = RNG.standard_normal((50, 4))
    terms = []
    for x in X:
        near = np.sort(np.linalg.norm(X - x, axis=1))[1:7]
        terms.append(np.log(near[-1] / near[:-1]).sum() / 5)
    assert intrinsic_dimension(X, 6) == pytest.approx(1 / np.mean(terms))


def test_few_points_have_no_dimension():
    assert intrinsic_dimension(np.eye(4)) == 0
    assert intrinsic_dimension(np.ones((30, 2))) == 0
    assert intrinsic_dimension(np.eye(6)) == 0  # all at the same distance


def test_too_few_neighbors_are_an_error():
    with pytest.raises(ValueError, match="n_neighbors=2 is too low: it must be at least 3"):
        intrinsic_dimension(np.eye(6), 2)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([5, 0, 0], 1), ([9, 8, 7], 3), ([90, 9, 1e-5, 1e-12], 2), ([0, 0], 0), ([2], 1)],
)
def test_eigengap(values, expected):
    assert eigengap(np.array(values, dtype=float)) == expected
