"""Digits and MNIST match the published datasets, and subsets are stratified."""

import gzip
import re

import numpy as np
import pytest
from originals import need, write_idx

from nldr.datasets import real
from nldr.datasets.real import digits, fashion_mnist, mnist, read_idx


@pytest.fixture
def small_mnist(tmp_path, monkeypatch):
    """Replace MNIST with 240 training and 60 test images; each image encodes its number."""
    pixels = np.zeros((300, 28, 28), np.uint8)
    pixels[:, 0, 0], pixels[:, 0, 1] = np.divmod(np.arange(300), 256)
    labels = np.repeat([0, 1, 2], [60, 90, 150])[np.random.default_rng(5).permutation(300)]
    for part, rows in (("train", slice(240)), ("t10k", slice(240, None))):
        write_idx(tmp_path / f"mnist/{part}-images-idx3-ubyte.gz", pixels[rows])
        write_idx(tmp_path / f"mnist/{part}-labels-idx1-ubyte.gz", labels[rows])
    monkeypatch.setattr(real, "fetch", tmp_path.joinpath)
    return labels


def image_numbers(data):
    return np.rint(data.X[:, :2] * 255).astype(int) @ [256, 1]


def test_digits_all_and_of_chosen_classes():
    data = digits()
    assert data.X.shape == (1797, 64)
    assert data.X.dtype == np.float64
    assert set(np.unique(data.X)) == set(range(17))
    assert data.y.dtype == np.int64
    # The published class counts of the UCI test set.
    assert np.bincount(data.y).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert data.image_shape == (8, 8)
    some, kept = digits(classes=[7, 1]), np.isin(data.y, [1, 7])
    np.testing.assert_array_equal(some.X, data.X[kept])
    np.testing.assert_array_equal(some.y, data.y[kept])


def test_mnist_subset(small_mnist):
    data = mnist(n_samples=30, rng=np.random.default_rng(0))
    numbers = image_numbers(data)
    assert data.X.shape == (30, 784)
    assert data.image_shape == (28, 28)
    assert data.y.dtype == np.int64
    assert (np.diff(numbers) > 0).all()
    np.testing.assert_array_equal(data.y, small_mnist[numbers])
    np.testing.assert_array_equal(data.train, numbers < 240)
    assert np.bincount(data.y).tolist() == [6, 9, 15]


@pytest.mark.parametrize("load", [mnist, fashion_mnist])
def test_all_images(load, small_mnist, tmp_path):
    (tmp_path / "mnist").rename(tmp_path / load.__name__)
    data = load(n_samples=300, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(image_numbers(data), np.arange(300))
    np.testing.assert_array_equal(data.y, small_mnist)


TRAIN_COUNTS = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
TEST_COUNTS = [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]


def test_mnist_as_published():
    need("mnist")
    data = mnist(n_samples=70_000, rng=np.random.default_rng(0))
    assert data.X.shape == (70_000, 784)
    assert (data.X.min(), data.X.max()) == (0.0, 1.0)
    assert data.train.sum() == 60_000
    assert data.train[:60_000].all()
    assert np.bincount(data.y[data.train]).tolist() == TRAIN_COUNTS
    assert np.bincount(data.y[~data.train]).tolist() == TEST_COUNTS
    assert data.y[:5].tolist() == [5, 0, 4, 1, 9]
    # Mean and standard deviation of the training set, as commonly used for normalization.
    assert data.X[:60_000].mean() == pytest.approx(0.1307, abs=5e-5)
    assert data.X[:60_000].std() == pytest.approx(0.3081, abs=5e-5)


def test_fashion_mnist_first_images_of_a_part(small_mnist, tmp_path):
    (tmp_path / "mnist").rename(tmp_path / "fashion_mnist")
    rng = np.random.default_rng(0)
    n_train = int(fashion_mnist(n_samples=300, rng=rng).train.sum())
    for part, start in (("all", 0), ("train", 0), ("test", n_train)):
        data = fashion_mnist(n_samples=40, part=part, choice="first", rng=rng)
        np.testing.assert_array_equal(image_numbers(data), np.arange(start, start + 40))
        np.testing.assert_array_equal(data.y, small_mnist[start : start + 40])
        assert (data.train is None) == (part != "all")
    # A random choice of one part
    data = fashion_mnist(n_samples=30, part="test", rng=rng)
    assert image_numbers(data).min() >= n_train
    n_test = 300 - n_train
    with pytest.raises(ValueError, match=rf"between 1 and {n_test} for Fashion-MNIST"):
        fashion_mnist(n_samples=n_test + 1, part="test", choice="first", rng=rng)
    with pytest.raises(ValueError, match="part must be one of all, train, test, got 't10k'"):
        fashion_mnist(n_samples=1, part="t10k", rng=rng)
    with pytest.raises(ValueError, match="choice must be random or first, got 'last'"):
        fashion_mnist(n_samples=1, choice="last", rng=rng)


def test_fashion_mnist_as_published():
    need("fashion_mnist")
    data = fashion_mnist(n_samples=70_000, rng=np.random.default_rng(0))
    assert data.X.shape == (70_000, 784)
    assert np.bincount(data.y[data.train]).tolist() == [6000] * 10
    assert np.bincount(data.y[~data.train]).tolist() == [1000] * 10
    assert data.y[:5].tolist() == [9, 0, 0, 3, 0]
    first = fashion_mnist(n_samples=5, part="test", choice="first", rng=np.random.default_rng(0))
    np.testing.assert_array_equal(first.X, data.X[60_000:60_005])
    assert first.y.tolist() == [9, 2, 1, 1, 6]
    # Mean and standard deviation of the training set, as commonly used for normalization.
    assert data.X[:60_000].mean() == pytest.approx(0.2860, abs=5e-5)
    assert data.X[:60_000].std() == pytest.approx(0.3530, abs=5e-5)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\0\0\x0d\x01\0\0\0\x01\0", "it starts with 00000d01 instead of 00000801"),
        (b"\0\0\x08\x03" + bytes(12), "it starts with 00000803 instead of 00000801"),
        (b"", "it starts with nothing instead of 00000801"),
        (b"\0\0\x08\x01\0\0", "ends within its header, after 6 of 8 bytes"),
        (b"\0\0\x08\x01\0\0\0\x05abcd", "must contain 5 bytes for its shape (5,), but contains 4"),
        (
            b"\0\0\x08\x01\0\0\0\x05abcdef",
            "must contain 5 bytes for its shape (5,), but contains 6",
        ),
    ],
)
def test_read_idx_bad_content_raises(tmp_path, content, message):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(content))
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        read_idx(path, 1)
    assert str(path) in str(caught.value)


def test_read_idx_broken_gzip_raises(tmp_path):
    path = tmp_path / "a.gz"
    whole = gzip.compress(b"\0\0\x08\x01\0\0\x01\0" + np.random.default_rng(0).bytes(256))
    flipped = bytearray(whole)
    flipped[100] ^= 255
    for content in (b"no gzip at all", whole[:-20], bytes(flipped)):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is not a complete gzip file"):
            read_idx(path, 1)
