"""Equations of the manifolds and geometry of their latent coordinates."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.neighbors import kneighbors_graph
from synthetic import make

PI = np.pi


def test_swiss_roll_equation(seed):
    X = make("swiss_roll", seed, n_samples=500).X
    rng = np.random.default_rng(seed)
    p, q = rng.random(500), rng.random(500)
    t = np.hypot(X[:, 0], X[:, 2])
    np.testing.assert_allclose(t, 1.5 * PI * (1 + 2 * p), rtol=1e-13)
    np.testing.assert_allclose(X[:, 0] + 1j * X[:, 2], t * np.exp(1j * t), rtol=1e-12)
    np.testing.assert_allclose(X[:, 1], 30 * q, rtol=1e-13)


def test_broken_swiss_roll_is_a_swiss_roll_with_a_gap(seed):
    data = make("broken_swiss_roll", seed, n_samples=4000)
    assert data.Z is not None
    t = np.hypot(data.X[:, 0], data.X[:, 2])
    np.testing.assert_allclose(data.X[:, 0] + 1j * data.X[:, 2], t * np.exp(1j * t), rtol=1e-12)
    p = (t / (1.5 * PI) - 1) / 2
    inner, outer = p[data.y == 0], p[data.y == 1]
    assert 0 <= inner.min() < 0.001
    assert 0.399 < inner.max() <= 0.4
    assert 0.8 <= outer.min() < 0.801
    assert 0.999 < outer.max() <= 1
    # Uniform outside the gap: two thirds on the inner component, and each mean in the middle.
    assert np.mean(data.y) == pytest.approx(1 / 3, abs=0.03)
    assert inner.mean() == pytest.approx(0.2, abs=0.01)
    assert outer.mean() == pytest.approx(0.9, abs=0.01)
    assert cdist(data.X[data.y == 0], data.X[data.y == 1]).min() > 6.24
    arc = [quad(lambda u: np.sqrt(1 + u**2), 0, end)[0] for end in t[:50]]
    np.testing.assert_allclose(data.Z[:50, 0], arc, rtol=1e-10)
    np.testing.assert_array_equal(data.Z[:, 1], data.X[:, 1])


def test_helix_equation(seed):
    X = make("helix", seed, n_samples=5000).X
    angle = np.arctan2(X[:, 1], X[:, 0]) % (2 * PI)
    distance = np.hypot(X[:, 0], X[:, 1])
    np.testing.assert_allclose(distance, 2 + np.cos(8 * angle), rtol=1e-12)
    np.testing.assert_allclose(X[:, 2], np.sin(8 * angle), atol=1e-12)
    # Uniform over the whole ring.
    counts, _ = np.histogram(angle, bins=10, range=(0, 2 * PI))
    assert np.abs(counts - 500).max() < 90


def test_helix_latent_equals_quadrature(seed):
    data = make("helix", seed, n_samples=10)
    assert data.Z is not None
    angle = np.arctan2(data.X[:, 1], data.X[:, 0]) % (2 * PI)

    def speed(u):
        return np.sqrt(64 + (2 + np.cos(8 * u)) ** 2)

    accurate = {"limit": 200, "epsabs": 1e-12, "epsrel": 1e-12}
    lengths = [quad(speed, 0, end, **accurate)[0] for end in angle]
    np.testing.assert_allclose(data.Z[:, 0], lengths, rtol=1e-12)


def test_twin_peaks(seed):
    data = make("twin_peaks", seed, n_samples=5000)
    np.testing.assert_array_equal(data.Z, data.X[:, :2])
    a, b, height = data.X.T
    np.testing.assert_allclose(height, 10 * np.sin(PI * a) * np.tanh(3 * b), rtol=1e-12)
    np.testing.assert_allclose([a.min(), a.max(), b.min(), b.max()], [-1, 1, -1, 1], atol=0.01)
    np.testing.assert_allclose(np.cov(a, b), np.eye(2) / 3, atol=0.02)


def test_high_dimensional(seed):
    data = make("high_dimensional", seed, n_samples=5000)
    t1, t2, t3, t4, t5 = data.Z.T
    expected = [
        np.cos(t1),
        np.tanh(3 * t2),
        t1 + t3,
        t4 * np.sin(t2),
        np.sin(t1 + t5),
        t5 * np.cos(t2),
        t5 + t4,
        t2,
        t3 * t4,
        t1,
    ]
    np.testing.assert_allclose(data.X.T, expected, rtol=1e-12)
    assert data.Z.min() >= 0
    assert data.Z.max() < 1
    np.testing.assert_allclose(np.cov(data.Z.T), np.eye(5) / 12, atol=0.005)


def test_two_swiss_rolls_equal_one_roll_with_half_shifted(seed):
    two = make("two_swiss_rolls", seed, n_samples=301)
    one = make("swiss_roll", seed, n_samples=301)
    np.testing.assert_array_equal(np.bincount(two.y), [151, 150])
    np.testing.assert_allclose(two.X - one.X, np.outer(two.y, [60, 0, 0]), atol=1e-12)
    np.testing.assert_array_equal(two.Z, one.Z)


def test_roll_and_thread(seed):
    data = make("roll_and_thread", seed, n_samples=8001)
    np.testing.assert_array_equal(np.bincount(data.y), [6001, 2000])
    sheet, thread = (data.X[data.y == label] for label in (0, 1))
    t = np.hypot(sheet[:, 0], sheet[:, 2])
    np.testing.assert_allclose(data.Z[data.y == 0, 0], (t * np.hypot(t, 1) + np.arcsinh(t)) / 2)
    np.testing.assert_array_equal(thread[:, [0, 2]], np.tile([60.0, 0.0], (2000, 1)))
    np.testing.assert_array_equal(thread[:, 1], data.Z[data.y == 1, 0])
    steps = np.diff(np.append(0, thread[:, 1]))
    assert steps.min() > 0
    assert steps.max() < 2 * 60 / 2000
    assert not data.Z[data.y == 1, 1].any()


@pytest.mark.parametrize("n_neighbors", [6, 15])
@pytest.mark.parametrize(
    ("name", "height"),
    [("broken_swiss_roll", 30.0), ("two_swiss_rolls", 12.0), ("roll_and_thread", 12.0)],
)
def test_neighborhood_graph_has_two_components(name, height, n_neighbors, seed):
    data = make(name, seed, noise=0.05, height=height)
    graph = kneighbors_graph(data.X, n_neighbors)
    n_components, labels = connected_components(graph, directed=False)
    assert n_components == 2
    assert len(set(zip(labels, data.y, strict=True))) == 2
    assert data.clean is not None


def assert_checkerboard(y, *coordinates):
    """Assert that labels alternate between the fields of a checkerboard, and both occur."""
    fields = np.stack([np.floor(c + 0.5) for c in coordinates]).sum(axis=0)
    np.testing.assert_array_equal(y, fields.astype(int) & 1)
    assert 0.2 < y.mean() < 0.8


@pytest.mark.parametrize("arrangement", ["side_by_side", "end_to_end", "turned"])
def test_arrangements_move_whole_rolls(arrangement, seed):
    one = make("swiss_roll", seed, n_samples=400)
    board = {"arrangement": arrangement, "labels": "checkerboard"}
    two = make("two_swiss_rolls", seed, n_samples=400, **board)
    for rows in (slice(0, 200), slice(200, 400)):
        np.testing.assert_allclose(cdist(two.X[rows], two.X[rows]), cdist(one.X[rows], one.X[rows]))
    np.testing.assert_array_equal(two.y, one.y)
    assert_checkerboard(two.y, np.hypot(one.X[:, 0], one.X[:, 2]) / 2, one.X[:, 1] / 12)


def test_turned_roll(seed):
    one = make("swiss_roll", seed, n_samples=60)
    two = make("two_swiss_rolls", seed, n_samples=60, arrangement="turned")
    # A turn by -45 degrees takes (1, 1) to the first axis.
    back = two.X[:30] - [20, 20, 30]
    turned = (one.X[:30, 0] + 1j * one.X[:30, 1]) * np.exp(-0.25j * PI)
    np.testing.assert_allclose(back[:, 0] + 1j * back[:, 1], turned)
    np.testing.assert_allclose(back[:, 2], one.X[:30, 2])
    np.testing.assert_allclose(two.X[30:], one.X[30:] - [0, 20, 0])
    np.testing.assert_array_equal(two.y, np.repeat([0, 1], 30))


def test_released_gap_has_half_of_the_points_on_each_side(seed):
    data = make("broken_swiss_roll", seed, n_samples=2000, gap="released", labels="checkerboard")
    t = np.hypot(data.X[:, 0], data.X[:, 2])
    p = (t / (1.5 * PI) - 1) / 2
    assert (p[:1000] < 0.4).all()
    assert (p[1000:] > 0.6).all()
    np.testing.assert_allclose([p[:1000].max(), p[1000:].min(), p.max()], [0.4, 0.6, 1], atol=0.01)
    assert_checkerboard(data.y, t / 2, data.X[:, 1] / 12)


def test_even_helix_and_its_labels(seed):
    data = make("helix", seed, n_samples=300, even=True)
    p = 2 * PI * np.arange(1, 301) / 300
    np.testing.assert_allclose(np.hypot(data.X[:, 0], data.X[:, 1]), 2 + np.cos(8 * p))
    np.testing.assert_allclose(data.X[:, 2], np.sin(8 * p), atol=1e-12)
    assert_checkerboard(data.y, 1.5 * p)


def test_labels_of_peaks_and_of_the_grid(seed):
    peaks = make("twin_peaks", seed, n_samples=300)
    assert_checkerboard(peaks.y, *(peaks.X - peaks.X.min(axis=0)).T / 10)
    data = make("high_dimensional", seed, n_samples=1024, grid=True)
    values = np.array([0, 1 / 3, 2 / 3, 1])
    assert len(np.unique(data.Z.round(6), axis=0)) == 1024
    np.testing.assert_allclose(np.unique(data.Z.round(9)), values, atol=1e-9)
    # Half of the values round to 1, so the labels are the parity of a random subset of five.
    np.testing.assert_array_equal(data.y, ((data.Z > 0.5).sum(axis=1) + 5) % 2)


def test_broken_s_curve(seed):
    data = make("broken_s_curve", seed, n_samples=1002, noise=0.0)
    np.testing.assert_array_equal(np.bincount(data.y), [251, 251, 250, 250])
    t, q = data.Z.T
    for piece, ends in enumerate([(-1.5, -1.1), (-0.9, -0.1), (0.1, 0.9), (1.1, 1.5)]):
        result = t[data.y == piece] / PI
        np.testing.assert_allclose([result.min(), result.max()], ends, atol=0.02)
    # Two unit circles that touch at the origin, around (0, ∓1) in the plane of the curve
    center = np.where(t > 0, -1, 1)
    np.testing.assert_allclose(np.hypot(data.X[:, 0], data.X[:, 2] - center), 1)
    np.testing.assert_allclose(data.X[:, 0], np.sin(t), atol=1e-12)
    np.testing.assert_array_equal(data.X[:, 1], q)
    board = make("broken_s_curve", seed, n_samples=1002, noise=0.05, labels="checkerboard")
    assert_checkerboard(board.y, *board.Z.T / 2)


def test_four_moons(seed):
    data = make("four_moons", seed, n_samples=800, noise=0.0)
    np.testing.assert_array_equal(data.y, np.repeat(range(4), 200))
    np.testing.assert_array_equal(data.X[:, 0], np.repeat([0, 1], 400))
    outer, inner = (data.X[np.isin(data.y, kind)][:, 1:] for kind in ([0, 2], [1, 3]))
    np.testing.assert_allclose(np.hypot(*outer.T), 1)
    assert outer[:, 0].min() >= 0
    np.testing.assert_allclose(np.hypot(inner[:, 0] - 0.25, inner[:, 1]), 0.25)
    assert inner[:, 0].max() <= 0.25
    # The latent is arc length: chords of close points agree with it.
    order = np.argsort(data.Z[:200, 0])
    steps = np.linalg.norm(np.diff(data.X[order], axis=0), axis=1)
    np.testing.assert_allclose(steps, np.diff(data.Z[order, 0]), rtol=1e-2)
    kinds = make("four_moons", seed, n_samples=800, noise=0.0, labels="kinds")
    np.testing.assert_array_equal(kinds.y, data.y % 2)
