"""The data are those of the papers: methods without randomness have the published scores.

The ranks are counted here, without the project's metrics, and the accuracies are scikit-learn's.
"""

import csv
from pathlib import Path

import numpy as np
import pytest
from originals import need
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from nldr.datasets.images import coil20
from nldr.datasets.real import digits, fashion_mnist, mnist
from nldr.datasets.tables import bank, letter
from nldr.datasets.text import hatespeech, imdb

RNG = np.random.default_rng
PUBLISHED = Path(__file__).parents[2] / "workflow/published"
K = 7


def test_rank_scores_equal_scikit_learns(rng):
    X, Y = rng.normal(size=(50, 12)), rng.normal(size=(50, 2))
    expected = [trustworthiness(*pair, n_neighbors=K) for pair in ((X, Y), (Y, X))]
    np.testing.assert_allclose(rank_scores(X, Y, np.arange(50)), expected, rtol=1e-12)
    # Scores are averaged over rows.
    halves = [rank_scores(X, Y, rows) for rows in (np.arange(25), np.arange(25, 50))]
    np.testing.assert_allclose(np.mean(halves, axis=0), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "folder", "load"),
    [
        ("bank", "bank", bank),
        ("letter", "letter", letter),
        ("mnist", "mnist", mnist),
        ("fashion_mnist", "fashion_mnist", fashion_mnist),
        ("imdb", "imdb", imdb),
        ("hatespeech", "hate_speech", lambda **size: hatespeech(n_words=100, **size)),
    ],
)
def test_pca_has_the_published_scores_on_test_points(name, folder, load):
    need(folder)
    data = load(n_samples=20_000, rng=RNG(0))
    # 5000 training and 15000 test points; ranks among all from 2000 of them, which costs .005
    order = RNG(1).permutation(20_000)
    train, test = order[:5000], order[5000:]
    embedding = PCA(2, svd_solver="full").fit(data.X[train]).transform(data.X[test])
    trust, continuity = rank_scores(data.X[test], embedding, np.arange(2000))
    hit = hit_with_self(embedding, data.y[test])
    (row,) = published("parametric_table1.csv", dataset=name, method="PCA")
    expected = [float(row[c]) for c in ("trustworthiness", "continuity", "neighborhood_hit")]
    np.testing.assert_allclose([trust, continuity, hit], expected, atol=0.015)


# Accuracies of 5, 10 and 20 neighbors after PCA, five folds in file order (IKD paper, Fig. 3)
DIGITS = {2: (0.60325, 0.61271, 0.63162), 10: (0.93714, 0.93603, 0.93045)}
COIL20 = {2: (0.64167, 0.63056, 0.62431), 10: (0.90833, 0.89236, 0.85208)}


def test_pca_has_the_published_accuracies_on_digits():
    check_accuracies(digits(), DIGITS)


def test_pca_has_the_published_accuracies_on_coil20():
    need("coil20")
    check_accuracies(coil20(objects=range(1, 21), n_samples=1440, rng=RNG(0)), COIL20)


def check_accuracies(data, expected):
    """Compare accuracies by number of components and of neighbors."""
    for n_components, known in expected.items():
        embedding = PCA(n_components, random_state=0).fit_transform(data.X)
        accuracies = [
            cross_val_score(KNeighborsClassifier(k), embedding, data.y, cv=5).mean()
            for k in (5, 10, 20)
        ]
        np.testing.assert_allclose(accuracies, known, atol=0.005)


def published(file, **key):
    """Return the rows of a file of published numbers with the given values."""
    with (PUBLISHED / file).open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    return [row for row in rows if all(row[name] == value for name, value in key.items())]


def rank_scores(X, Y, rows):
    """Return trustworthiness and continuity of some rows, by counting nearer points.

    Ties, of which tweets of the same words have many, are broken at random.
    """
    n = len(X)
    weight = 2 / (len(rows) * K * (2 * n - 3 * K - 1))
    penalties = np.zeros(2)
    rng = RNG(0)
    for block in np.array_split(rows, -(-len(rows) // 100)):
        spaces = [squared_distances(A, block, rng) for A in (X, Y)]
        for i, (here, there) in enumerate([spaces[::-1], spaces]):
            # Neighbors in one space and the point itself; number of nearer points in the other
            near = here.argpartition(K, axis=1)[:, : K + 1]
            far = np.take_along_axis(there, near, axis=1)
            for distance, own in zip(far.T, near.T, strict=True):
                rank = (there < distance[:, None]).sum(axis=1)
                penalties[i] += np.maximum(rank - K, 0)[own != block].sum()
    trustworthiness, continuity = 1 - weight * penalties
    return trustworthiness, continuity


def squared_distances(A, rows, rng):
    """Return squared distances of some rows to all, ties broken; that to the point itself is -1."""
    A = (A - A.mean(axis=0)) / np.abs(A).max()
    norms = (A**2).sum(axis=1)
    squared = (norms[rows, None] + norms - 2 * A[rows] @ A.T).round(10)
    squared += 1e-10 * rng.random(squared.shape)
    squared[np.arange(len(rows)), rows] = -1.0
    return squared


def hit_with_self(embedding, y):
    """Return the share of equal labels among the nearest points, of which a point is one."""
    near = NearestNeighbors(n_neighbors=K).fit(embedding).kneighbors(embedding)[1]
    return float((y[near] == y[:, None]).mean())
