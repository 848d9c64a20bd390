"""The data are those of the papers: methods without randomness have the published scores."""

import csv
from pathlib import Path

import numpy as np
import pytest
from originals import need
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from nldr.datasets.images import coil20
from nldr.datasets.real import digits, fashion_mnist, mnist
from nldr.datasets.tables import bank, letter
from nldr.datasets.text import hatespeech, imdb
from nldr.metrics.neighbors import neighborhood_hit
from nldr.metrics.ranks import trustworthiness_continuity

RNG = np.random.default_rng
PUBLISHED = Path(__file__).parents[2] / "workflow/published"
K = 7


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
    # 5000 training and 15000 test points
    order = RNG(1).permutation(20_000)
    train, test = order[:5000], order[5000:]
    embedding = PCA(2, svd_solver="full").fit(data.X[train]).transform(data.X[test])
    ((trust,), (continuity,)) = trustworthiness_continuity(data.X[test], embedding, [K])
    (hit,) = neighborhood_hit(data.y[test], embedding, [K], include_self=True)
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
