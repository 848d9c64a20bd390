"""``nldr.plot`` draws all points, once, and marks those that ``nldr.check`` does not trust."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

import nldr
from nldr.comparison.words import percent
from nldr.inputs import InputError

X, y = load_iris(return_X_y=True)
Z = PCA(2).fit_transform(X)
NOISE = np.random.default_rng(0).normal(size=(150, 1)) > 0
FOLDED = np.where(NOISE, Z, -Z)  # half of the points elsewhere


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def drawn(axes):
    """Return the points of a drawing, of dots and of crosses."""
    sets = [np.asarray(points.get_offsets()) for points in axes.collections]
    return [offsets for offsets in sets if len(offsets)]


def test_crosses_are_the_points_that_check_does_not_trust():
    axes = nldr.plot(FOLDED, y, X=X)
    dots, crosses = drawn(axes)
    trusted = nldr.check(X, FOLDED, prepare=False).trust["trusted"].to_numpy()
    assert 0 < len(crosses) < 150
    np.testing.assert_array_equal(dots, FOLDED[trusted])
    np.testing.assert_array_equal(crosses, FOLDED[~trusted])
    share = f"not to trust: {percent(len(crosses) / 150)}"
    assert axes.get_legend().get_texts()[-1].get_text() == share


def test_without_data_no_point_is_doubted():
    (dots,) = drawn(nldr.plot(Z))
    np.testing.assert_array_equal(dots, Z)


def test_classes_are_named_and_measurements_get_a_color_bar(rng):
    axes = nldr.plot(Z, np.array(["a", "b", "c"])[y])
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b", "c"]
    assert len({tuple(color) for color in axes.collections[-1].get_facecolors()}) == 3
    axes = nldr.plot(Z, rng.normal(size=150))
    assert len(axes.figure.axes) == 2
    assert axes.get_legend() is None


def test_drawing_on_axes_and_rows_aligned_by_name(rng):
    order = rng.permutation(150)
    names = pd.Index([f"flower {i}" for i in range(150)])
    _, ax = plt.subplots()
    shuffled = pd.DataFrame(X, names).iloc[order], pd.Series(y, names).iloc[order]
    axes = nldr.plot(pd.DataFrame(FOLDED, names), shuffled[1], X=shuffled[0], ax=ax)
    assert axes is ax
    for one, other in zip(drawn(axes), drawn(nldr.plot(FOLDED, y, X=X)), strict=True):
        np.testing.assert_array_equal(one, other)


def test_settings_of_matplotlib_are_the_same_afterwards():
    with plt.rc_context({"font.size": 33}):
        nldr.plot(Z)
        assert plt.rcParams["font.size"] == 33


@pytest.mark.parametrize(
    ("Z", "X", "message"),
    [
        (X, None, "Z must have two columns, got 4"),
        (Z, X[:9], "X has 9 rows, the map has 150"),
        (Z + 1j, None, "Z contains complex numbers"),
    ],
)
def test_mistakes_raise(Z, X, message):
    with pytest.raises(InputError, match=message):
        nldr.plot(Z, X=X)
