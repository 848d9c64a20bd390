"""TF-IDF against its formula, published counts, and errors that do not quote texts."""

import lzma
import traceback

import numpy as np
import pytest
from originals import as_csv, need

from nldr.datasets import text
from nldr.datasets.text import hatespeech, imdb, read_columns, tf_idf

RNG = np.random.default_rng
IMDB, TWEETS = "imdb/imdb_reviews.csv.xz", "hate_speech/labeled_data.csv"
SECRET = "unspeakable"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in (IMDB, TWEETS):
        (tmp_path / name).parent.mkdir()
    monkeypatch.setattr(text, "fetch", tmp_path.joinpath)
    return tmp_path


def test_tf_idf_equals_formula():
    texts = ["Good good film, très chère", "bad film; a bad bad one", "the film", "x ?"]
    words = [["good", "good", "film", "tres", "chere"], ["bad", "film", "bad", "bad"], ["film"], []]
    vocabulary = ["bad", "chere", "film", "good", "tres"]  # without stop words and accents
    counts = np.array([[text.count(word) for word in vocabulary] for text in words])
    expected = counts * (1 + np.log(5 / (1 + (counts > 0).sum(axis=0))))
    expected /= np.maximum(np.linalg.norm(expected, axis=1, keepdims=True), 1e-300)
    expected = (expected - expected.min(axis=0)) / np.ptp(expected, axis=0)
    X = tf_idf(texts, 5, np.arange(4))
    np.testing.assert_allclose(X, expected, rtol=1e-14)
    # Vocabulary, weights and scale do not depend on which texts are chosen.
    np.testing.assert_array_equal(tf_idf(texts, 5, np.array([1])), X[[1]])


def test_tf_idf_uses_most_frequent_words():
    texts = [" ".join(f"w{i:03d}" for i in range(min(600, 6 * n))) for n in range(1, 120)]
    for n_words in (100, 500):
        X = tf_idf(texts, n_words, np.arange(119))
        # Word i occurs in all texts that are long enough: the first are the most frequent.
        assert X.shape == (119, n_words)
        # In the scaled columns, the smallest value of a word of all texts is 0: the first six.
        expected = [min(n_words, 6 * n) for n in range(7, 120)]
        assert (X[6:, 6:] > 0).sum(axis=1).tolist() == [n - 6 for n in expected]


def test_imdb(folder):
    rows = [
        (split, sentiment, i, 7, f'{sentiment} word{first + i},\nand a quote "here"')
        for split, first in (("train", 0), ("test", 3))
        for sentiment in ("neg", "pos")
        for i in range(3)
    ]
    header = ("split", "sentiment", "id", "rating", "text")
    (folder / IMDB).write_bytes(lzma.compress(as_csv(header, *rows)))
    data = imdb(n_samples=6, rng=RNG(0))
    assert data.y.dtype == np.int64
    assert data.y.tolist() == [0, 0, 0, 1, 1, 1]
    # Words: neg, pos, quote, word0, word1, word2. Reviews of the test set do not add theirs.
    assert (data.X > 0).astype(int)[:, [0, 1, 3, 4, 5]].tolist() == [
        [1, 0, 1, 0, 0],
        [1, 0, 0, 1, 0],
        [1, 0, 0, 0, 1],
        [0, 1, 1, 0, 0],
        [0, 1, 0, 1, 0],
        [0, 1, 0, 0, 1],
    ]
    part = imdb(n_samples=4, rng=RNG(0))
    assert np.bincount(part.y).tolist() == [2, 2]
    assert all((x == data.X).all(axis=1).any() for x in part.X)


TWEET_HEADER = ("", "count", "hate_speech", "offensive_language", "neither", "class", "tweet")


def test_hatespeech(folder):
    rows = [(i, 3, 0, 0, 3, i % 3, f"word{i % 3}\nline") for i in range(9)]
    (folder / TWEETS).write_bytes(as_csv(TWEET_HEADER, *rows))
    data = hatespeech(n_samples=9, n_words=10, rng=RNG(0))
    assert data.y.tolist() == 3 * [0, 1, 2]
    # Words: line, word0, word1, word2. Every tweet has the first, which is therefore 0.
    np.testing.assert_array_equal(data.X, np.eye(4)[1 + data.y])
    assert hatespeech(n_samples=9, n_words=3, rng=RNG(0)).X.shape == (9, 3)
    assert data.train is None


def test_imdb_as_published():
    need("imdb")
    data = imdb(n_samples=25_000, rng=RNG(0))
    assert data.X.shape == (25_000, 500)
    assert np.bincount(data.y).tolist() == [12_500, 12_500]
    assert (data.X.min(axis=0) == 0).all()
    np.testing.assert_allclose(data.X.max(axis=0), 1, rtol=1e-12)


def test_hatespeech_as_published():
    need("hate_speech")
    data = hatespeech(n_samples=24_783, n_words=100, rng=RNG(0))
    assert data.X.shape == (24_783, 100)
    assert np.bincount(data.y).tolist() == [1430, 19_190, 4163]
    assert (data.X.min(axis=0) == 0).all()
    np.testing.assert_allclose(data.X.max(axis=0), 1, rtol=1e-12)
    assert len(np.unique(data.X.round(9), axis=0)) == 13_333


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (as_csv(("a", "tweet"), (1, SECRET)), r"lacks the column\(s\) class$"),
        (as_csv(("class", "tweet"), (1, SECRET), (1, SECRET, 2)), "row 2 .* has 3 values, not 2$"),
        (
            as_csv(("class", "tweet"), (1, SECRET), (SECRET, 1), ("other", 1)),
            "class: row 2 of the data has an unknown label, expected one of 0, 1, 2$",
        ),
        (as_csv(("class", "tweet")) + SECRET.encode() + b"\xff", r"in UTF-8 \(UnicodeDecodeError"),
        (b'class,tweet\n1,"' + SECRET.encode(), r"is not a complete CSV file in UTF-8 \(Error\)$"),
        (b"", r"lacks the column\(s\) class, tweet$"),
    ],
)
def test_errors_do_not_quote_texts(folder, content, message):
    (folder / TWEETS).write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        hatespeech(n_samples=1, n_words=10, rng=RNG(0))
    assert str(folder / TWEETS) in str(caught.value)
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_read_columns_broken_xz_raises(tmp_path):
    path = tmp_path / "a.csv.xz"
    whole = lzma.compress(RNG(0).bytes(500))
    for content in (b"no xz", whole[:-50]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"a.csv.xz is not a complete CSV file in UTF-8"):
            read_columns(path, ("a",))
