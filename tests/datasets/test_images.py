"""Order, labels and published counts of the image datasets."""

import re
from zipfile import ZipFile

import numpy as np
import pytest
import scipy.io
from originals import need, put_zip, unreadable_zips

from nldr.datasets import images
from nldr.datasets.images import coil20, orl, read_images, read_mat, teapots, umist

RNG = np.random.default_rng


def marked(shape, *marks):
    """Return a black image with numbers in its first pixels."""
    pixels = np.zeros(shape, np.uint8)
    pixels[0, : len(marks)] = marks
    return pixels


def marks(X):
    return np.rint(X[:, :2] * 255).astype(int).tolist()


@pytest.fixture
def small_coil20(tmp_path, monkeypatch):
    """Write twelve poses of four objects, sorted by name as text."""
    names = sorted(f"obj{k}__{i}.png" for k in (1, 2, 10, 20) for i in range(12))
    numbers = [tuple(map(int, re.findall(r"\d+", name))) for name in names]
    members = [marked((128, 128), *number) for number in numbers]
    put_zip(tmp_path / "coil20/coil-20-proc.zip", dict(zip(names, members, strict=True)))
    monkeypatch.setattr(images, "fetch", tmp_path.joinpath)


@pytest.mark.usefixtures("small_coil20")
def test_coil20_order_and_subset():
    data = coil20(objects=[20, 2, 10], n_samples=36, rng=RNG(0))
    assert data.X.shape == (36, 16384)
    assert data.image_shape == (128, 128)
    assert marks(data.X) == [[k, i] for k in (2, 10, 20) for i in range(12)]
    assert data.y.dtype == np.int64
    assert data.y.tolist() == [2] * 12 + [10] * 12 + [20] * 12
    # The pose, 5 degrees per view, as cosine and sine
    degrees = np.degrees(np.arctan2(data.Z[:, 1], data.Z[:, 0]))
    np.testing.assert_allclose(degrees, [5 * i for _ in range(3) for i in range(12)], atol=1e-9)
    np.testing.assert_allclose(np.square(data.Z).sum(axis=1), 1.0)
    part = coil20(objects=[1, 2, 10, 20], n_samples=8, rng=RNG(0))
    assert part.y.tolist() == [k for k, _ in marks(part.X)] == [1, 1, 2, 2, 10, 10, 20, 20]
    assert marks(part.X) == sorted(marks(part.X))


@pytest.mark.usefixtures("small_coil20")
@pytest.mark.parametrize("objects", [[], [0, 1], [1, 21], [1, 1]])
def test_coil20_unknown_objects_raise(objects):
    message = f"objects must be distinct numbers from 1 to 20, got {objects}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        coil20(objects=objects, n_samples=1, rng=RNG(0))


def test_coil20_as_published():
    need("coil20")
    data = coil20(objects=range(1, 21), n_samples=1440, rng=RNG(0))
    assert data.X.shape == (1440, 16384)
    assert (data.X.min(), data.X.max()) == (0.0, 1.0)
    assert np.bincount(data.y).tolist() == [0] + [72] * 20
    assert len(np.unique(data.X[:, ::7], axis=0)) == 1440
    part = coil20(objects=[1, 4, 6, 11, 13], n_samples=360, rng=RNG(0))
    np.testing.assert_array_equal(part.X, data.X[np.isin(data.y, [1, 4, 6, 11, 13])])
    # Views are ordered by angle: the next view is nearer than the opposite one.
    for views in data.X.reshape(20, 72, -1)[[0, 3, 12]]:
        step, half = (np.linalg.norm(views - np.roll(views, s, 0), axis=1) for s in (1, 36))
        assert step.mean() < half.mean()


def test_umist_order_and_duplicates(tmp_path, monkeypatch):
    people = {"a": 12, "b": 36, "t": 3}
    names = sorted(f"{p}{i}.pgm" for p, number in people.items() for i in range(1, number + 1))
    members = {n: marked((112, 92), ord(n[0]), int(n[1:-4])) for n in names}
    put_zip(tmp_path / "umist/umist_faces.zip", members)
    monkeypatch.setattr(images, "fetch", tmp_path.joinpath)
    data = umist(distinct=False, n_samples=51, rng=RNG(0))
    assert data.X.shape == (51, 10304)
    assert data.image_shape == (112, 92)
    expected = [[ord(p), i] for p, number in people.items() for i in range(1, number + 1)]
    assert marks(data.X) == expected
    assert data.y.tolist() == [0] * 12 + [1] * 36 + [19] * 3
    data = umist(distinct=True, n_samples=41, rng=RNG(0))
    assert marks(data.X) == [m for m in expected if m[0] != ord("b") or not 26 <= m[1] <= 35]
    assert np.bincount(data.y)[[0, 1, 19]].tolist() == [12, 26, 3]
    data = umist(distinct=True, n_samples=15, people=[19, 0], rng=RNG(0))
    assert data.y.tolist() == [0] * 12 + [19] * 3


UMIST_COUNTS = [38, 35, 26, 24, 26, 23, 19, 22, 20, 32, 34, 34, 26, 30, 19, 26, 26, 33, 48, 34]


def test_umist_as_published():
    need("umist")
    data = umist(distinct=False, n_samples=575, rng=RNG(0))
    assert data.X.shape == (575, 10304)
    assert np.bincount(data.y).tolist() == UMIST_COUNTS
    distinct = umist(distinct=True, n_samples=565, rng=RNG(0))
    assert len(np.unique(distinct.X, axis=0)) == len(np.unique(data.X, axis=0)) == 565
    # Images are ordered by angle: the next image of a person is nearer than the fifth next.
    for person in np.split(distinct.X, np.flatnonzero(np.diff(distinct.y)) + 1):
        next_one, fifth = (np.linalg.norm(person[s:] - person[:-s], axis=1).mean() for s in (1, 5))
        assert next_one < fifth


def test_orl_order(tmp_path, monkeypatch):
    names = sorted(f"faces/s{p}/{i}.pgm" for p in (1, 2, 10) for i in range(1, 11))
    numbers = [tuple(map(int, re.findall(r"\d+", name))) for name in names]
    members = [marked((112, 92), *number) for number in numbers]
    put_zip(tmp_path / "orl/orl_faces.zip", dict(zip(names, members, strict=True)))
    monkeypatch.setattr(images, "fetch", tmp_path.joinpath)
    data = orl(n_samples=30, rng=RNG(0))
    assert data.image_shape == (112, 92)
    assert marks(data.X) == [[p, i] for p in (1, 2, 10) for i in range(1, 11)]
    assert data.y.tolist() == [1] * 10 + [2] * 10 + [10] * 10
    part = orl(n_samples=6, rng=RNG(0))
    assert part.y.tolist() == [1, 1, 2, 2, 10, 10]


def test_orl_as_published():
    need("orl")
    data = orl(n_samples=400, rng=RNG(0))
    assert np.bincount(data.y).tolist() == [0] + [10] * 40
    assert len(np.unique(data.X[:, ::7], axis=0)) == 400
    # Images of one person are closer than those of others.
    centers = data.X.reshape(40, 10, -1).mean(axis=1)
    own = np.linalg.norm(data.X - np.repeat(centers, 10, axis=0), axis=1).mean()
    others = np.linalg.norm(data.X - np.repeat(np.roll(centers, 1, 0), 10, axis=0), axis=1).mean()
    assert own < 0.7 * others


def test_teapots_are_upright(tmp_path, monkeypatch):
    pixels = RNG(0).random((100, 38, 50))
    (tmp_path / "teapots").mkdir()
    columns = pixels.transpose(0, 2, 1).reshape(100, 1900)
    scipy.io.savemat(tmp_path / "teapots/teapots.mat", {"teapotImages": columns})
    monkeypatch.setattr(images, "fetch", tmp_path.joinpath)
    data = teapots()
    assert data.image_shape == (38, 50)
    np.testing.assert_array_equal(data.X.reshape(100, 38, 50), pixels)
    np.testing.assert_allclose(data.Z[[0, 25, 50]], [[1, 0], [0, 1], [-1, 0]], atol=1e-15)


def test_teapots_as_published():
    need("teapots")
    data = teapots()
    assert data.X.shape == (100, 1900)
    assert data.X.min() == 0
    assert data.X.max() == pytest.approx(0.885, abs=5e-4)
    squared = ((data.X[:, None] - data.X) ** 2).sum(axis=2) + np.diag(np.full(100, np.inf))
    assert squared[0].argmin() == 99
    steps = np.abs(squared.argmin(axis=1) - np.arange(100))
    assert np.isin(steps, [1, 99]).mean() > 0.9
    # Neighboring pixels are similar in both directions only if rows and columns are correct.
    frames = data.X.reshape(100, 38, 50)
    wrong = data.X.reshape(100, 50, 38)
    for axis in (1, 2):
        assert np.abs(np.diff(frames, axis=axis)).mean() < np.abs(np.diff(wrong, axis=1)).mean()


def test_read_images_inside_folder(tmp_path):
    put_zip(tmp_path / "a.zip", {"a1.png": marked((4, 5), 7)})
    with ZipFile(tmp_path / "a.zip", "a") as file:
        file.writestr("folder/", b"")
        file.writestr("folder/a2.png", file.read("a1.png"))
    result = read_images(tmp_path / "a.zip", r"a(\d).png", (4, 5))
    assert list(result) == [("1",), ("2",)]
    np.testing.assert_array_equal(result["2",], marked((4, 5), 7))


def test_read_images_bad_members_raise(tmp_path):
    path = tmp_path / "a.zip"
    black = marked((4, 5))
    for member, pixels, message in (
        ("b1.png", black, r"contains 'b1.png', which does not match a\\d.png"),
        (
            "a1.png",
            black.T,
            r"a1.png must be an 8-bit gray image of 4 x 5 pixels, got mode L and 5 x 4",
        ),
        ("a1.png", np.dstack([black] * 3), "a1.png must be .*, got mode RGB and 4 x 5"),
    ):
        put_zip(path, {"a0.png": black, member: pixels})
        with pytest.raises(ValueError, match=message) as caught:
            read_images(path, r"a\d.png", (4, 5))
        assert str(path) in str(caught.value)


def test_read_images_broken_file_raises(tmp_path):
    path = tmp_path / "a.zip"
    put_zip(path, {"a1.png": RNG(0).integers(0, 256, (40, 50), dtype=np.uint8)})
    whole = bytearray(path.read_bytes())
    whole[500] ^= 255
    with ZipFile(tmp_path / "text.zip", "w") as file:
        file.writestr("a1.png", b"no image")
    text = (tmp_path / "text.zip").read_bytes()
    for content in (b"no zip", whole, text, *unreadable_zips(path)):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is not a complete zip file of images") as caught:
            read_images(path, r"a\d.png", (40, 50))
        assert str(path) in str(caught.value)


def test_read_mat_bad_content_raises(tmp_path):
    path = tmp_path / "a.mat"
    scipy.io.savemat(path, {"b": np.eye(3)})
    with pytest.raises(ValueError, match="contains no array 'a'"):
        read_mat(path, "a", (3, 3))
    with pytest.raises(ValueError, match=r"'b' must have shape \(3, 4\), got \(3, 3\)"):
        read_mat(path, "b", (3, 4))
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="is not a MATLAB file of version 5 to 7"):
        read_mat(path, "b", (3, 3))
