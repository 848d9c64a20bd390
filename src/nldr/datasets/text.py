"""Texts as TF-IDF: film reviews and tweets. The words themselves go nowhere, not into errors."""

from __future__ import annotations

import csv
import lzma
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._sampling import choose
from nldr.datasets.download import fetch

N_WORDS = 500


def imdb(*, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Load the IMDb reviews as TF-IDF, or a random part that has both labels in proportion.

    Parameters
    ----------
    n_samples : int
        Number of reviews, up to 50000, which is all of them.
    rng : numpy.random.Generator
        Chooses the reviews. From the same state, a smaller choice is part of a larger one.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 500), see :func:`tf_idf`, in the order of the file (training
        before test, negative before positive), labels ``y`` 0 for negative and 1 for positive
        reviews, and ``train``, true for reviews of the training set. Of all 50000 reviews, 418
        repeat another.

    Raises
    ------
    ValueError
        If there are not so many reviews, or if the file is not as it should be.
    nldr.datasets.download.DownloadError
        If the file cannot be had; it has to be placed by hand.

    References
    ----------
    Maas et al., Learning Word Vectors for Sentiment Analysis, ACL 2011.

    Examples
    --------
    >>> imdb(n_samples=1000, rng=np.random.default_rng(0)).X.shape  # doctest: +SKIP
    (1000, 500)
    """
    path = fetch("imdb/imdb_reviews.csv.xz")
    splits, sentiments, texts = read_columns(path, ("split", "sentiment", "text"))
    y = _codes(sentiments, ("neg", "pos"), f"{path}: sentiment")
    test = _codes(splits, ("train", "test"), f"{path}: split")
    chosen = choose(y, n_samples, rng, "IMDb")
    return Dataset(X=tf_idf(texts, chosen), y=y[chosen], train=test[chosen] == 0)


def hatespeech(*, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Load tweets as TF-IDF, or a random part that has all classes in proportion.

    Parameters
    ----------
    n_samples : int
        Number of tweets, up to 24783, which is all of them.
    rng : numpy.random.Generator
        Chooses the tweets. From the same state, a smaller choice is part of a larger one.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 500), see :func:`tf_idf`, in the order of the file, and labels
        ``y``: 0 for hate speech, 1 for offensive language, 2 for neither.

    Raises
    ------
    ValueError
        If there are not so many tweets, or if the file is not as it should be.
    nldr.datasets.download.DownloadError
        If the file cannot be had.

    References
    ----------
    Davidson et al., Automated Hate Speech Detection and the Problem of Offensive Language, ICWSM
    2017.

    Examples
    --------
    >>> hatespeech(n_samples=1000, rng=np.random.default_rng(0)).X.shape  # doctest: +SKIP
    (1000, 500)
    """
    path = fetch("hate_speech/labeled_data.csv")
    classes, texts = read_columns(path, ("class", "tweet"))
    y = _codes(classes, ("0", "1", "2"), f"{path}: class")
    chosen = choose(y, n_samples, rng, "Hate speech")
    return Dataset(X=tf_idf(texts, chosen), y=y[chosen])


def tf_idf(texts: list[str], chosen: NDArray) -> NDArray[np.float64]:
    r"""Return the TF-IDF of the 500 most frequent words, for some of the texts.

    With :math:`f_{tw}` the number of times word :math:`w` stands in text :math:`t`, and
    :math:`n_w` of all :math:`n` texts having it, a row is
    :math:`f_{tw} \left(1 + \ln\frac{1 + n}{1 + n_w}\right)`, scaled to length 1. Words have at
    least two letters or digits and are taken in lower case, in the order of the alphabet; their
    choice and weights come from all texts, whichever are chosen. A text that has none of the
    words is a row of zeros.

    Parameters
    ----------
    texts : list of str
        All texts.
    chosen : ndarray of int of shape (n_samples,)
        Indices of the texts to return.

    Returns
    -------
    ndarray of shape (n_samples, n_words)
        One row a text; fewer than 500 columns only if there are fewer words.

    References
    ----------
    Lai et al., Parametric Dimension Reduction by Preserving Local Structure, Sec. 4.3 (500
    features; the weights are scikit-learn's, as the paper gives none); Salton & Buckley,
    Term-Weighting Approaches in Automatic Text Retrieval, 1988.

    Examples
    --------
    >>> tf_idf(["a red red rose", "a rose"], np.array([1]))
    array([[0., 1.]])
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(max_features=N_WORDS).fit_transform(texts)[chosen].toarray()


def read_columns(path: Path, names: tuple[str, ...]) -> list[list[str]]:
    r"""Read some columns of a CSV file in UTF-8, xz-packed or not; its errors show no values.

    Parameters
    ----------
    path : Path
        The file, which begins with the names of its columns.
    names : tuple of str
        The columns to read.

    Returns
    -------
    list of list of str
        The values of each column.

    Raises
    ------
    ValueError
        If the file cannot be read, lacks a column or has a row of another length.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b'id,class,text\n7,a,"two\nlines"\n8,b,one\n')
    ...     file.flush()
    ...     read_columns(Path(file.name), ("class", "text"))
    [['a', 'b'], ['two\nlines', 'one']]
    """
    try:
        rows = list(_rows(path))
    except (OSError, EOFError, lzma.LZMAError, UnicodeError, csv.Error) as error:
        raise ValueError(f"{path} is no whole CSV file in UTF-8 ({type(error).__name__})") from None
    header = rows[0] if rows else []
    if missing := [name for name in names if name not in header]:
        raise ValueError(f"{path} lacks the column(s) {', '.join(missing)}")
    for number, row in enumerate(rows[1:], start=1):
        if len(row) != len(header):
            raise ValueError(
                f"{path}: row {number} of the data has {len(row)} values, not {len(header)}"
            )
    return [[row[i] for row in rows[1:]] for i in map(header.index, names)]


def _rows(path: Path) -> Iterator[list[str]]:
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as lines:
        yield from csv.reader(lines, strict=True)


def _codes(values: list[str], known: tuple[str, ...], where: str) -> NDArray[np.int64]:
    """Return the position of each value in ``known``."""
    positions = {value: position for position, value in enumerate(known)}
    codes = np.array([positions.get(value, -1) for value in values], np.int64)
    if (codes < 0).any():
        raise ValueError(
            f"{where}: row {np.argmax(codes < 0) + 1} of the data has none of {', '.join(known)}"
        )
    return codes
