"""Film reviews and tweets as TF-IDF features.

Only the features leave this module; error messages never quote a text.
"""

from __future__ import annotations

import csv
import lzma
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._labels import encode_labels
from nldr.datasets._sampling import choose
from nldr.datasets.download import fetch

N_WORDS = 500  # size of the vocabulary


def imdb(*, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Load the IMDb reviews as TF-IDF, or a random subset stratified by label.

    Parameters
    ----------
    n_samples : int
        Number of reviews, at most 50000, which is all of them.
    rng : numpy.random.Generator
        Chooses the reviews. For the same state, a smaller choice is a subset of a larger one.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 500), see :func:`tf_idf`, in the order of the file (training
        before test, negative before positive); labels ``y``, 0 for negative and 1 for positive
        reviews; and ``train``, True for reviews of the training set. Of all 50000 reviews, 418
        are duplicates of another.

    Raises
    ------
    ValueError
        If ``n_samples`` is out of range, or if the file is malformed.
    nldr.datasets.download.DownloadError
        If the file is missing; it has to be placed by hand.

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
    y = encode_labels(sentiments, ("neg", "pos"), f"{path}: sentiment", show=False)
    test = encode_labels(splits, ("train", "test"), f"{path}: split", show=False)
    chosen = choose(y, n_samples, rng, "IMDb")
    return Dataset(X=tf_idf(texts, chosen), y=y[chosen], train=test[chosen] == 0)


def hatespeech(*, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Load the hate speech tweets as TF-IDF, or a random subset stratified by class.

    Parameters
    ----------
    n_samples : int
        Number of tweets, at most 24783, which is all of them.
    rng : numpy.random.Generator
        Chooses the tweets. For the same state, a smaller choice is a subset of a larger one.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 500), see :func:`tf_idf`, in the order of the file, and labels
        ``y``: 0 for hate speech, 1 for offensive language, 2 for neither.

    Raises
    ------
    ValueError
        If ``n_samples`` is out of range, or if the file is malformed.
    nldr.datasets.download.DownloadError
        If the file can neither be found nor downloaded.

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
    y = encode_labels(classes, ("0", "1", "2"), f"{path}: class", show=False)
    chosen = choose(y, n_samples, rng, "Hate speech")
    return Dataset(X=tf_idf(texts, chosen), y=y[chosen])


def tf_idf(texts: list[str], chosen: NDArray) -> NDArray[np.float64]:
    r"""Return the TF-IDF of the 500 most frequent words, for some of the texts.

    With :math:`f_{tw}` the number of occurrences of word :math:`w` in text :math:`t`, and
    :math:`n_w` the number of texts, out of :math:`n`, that contain it, row :math:`t` is
    :math:`f_{tw} \left(1 + \ln\frac{1 + n}{1 + n_w}\right)`, scaled to length 1. Words have at
    least two letters or digits; they are converted to lower case and sorted alphabetically. The
    vocabulary and the weights are computed from all texts, whichever are chosen. A text without
    any of the words becomes a row of zeros.

    Parameters
    ----------
    texts : list of str
        All texts.
    chosen : ndarray of int of shape (n_samples,)
        Indices of the texts to return.

    Returns
    -------
    ndarray of shape (n_samples, n_words)
        One row per text; fewer than 500 columns only if there are fewer words.

    References
    ----------
    Lai et al., Parametric Dimension Reduction by Preserving Local Structure, Sec. 4.3 (500
    features; the paper does not specify the weights, so they are scikit-learn's); Salton & Buckley,
    Term-Weighting Approaches in Automatic Text Retrieval, 1988.

    Examples
    --------
    >>> tf_idf(["a red red rose", "a rose"], np.array([1]))
    array([[0., 1.]])
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    # Vocabulary and weights from all texts, rows of the chosen ones
    return TfidfVectorizer(max_features=N_WORDS).fit_transform(texts)[chosen].toarray()


def read_columns(path: Path, names: tuple[str, ...]) -> list[list[str]]:
    r"""Read some columns of a CSV file in UTF-8, which may be xz-compressed.

    No error message quotes a value of the file.

    Parameters
    ----------
    path : Path
        The file, whose first line contains the column names.
    names : tuple of str
        The columns to read.

    Returns
    -------
    list of list of str
        The values of each column.

    Raises
    ------
    ValueError
        If the file cannot be read, lacks a column, or has a row of a different length.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b'id,class,text\n7,a,"two\nlines"\n8,b,one\n')
    ...     file.flush()
    ...     read_columns(Path(file.name), ("class", "text"))
    [['a', 'b'], ['two\nlines', 'one']]
    """
    opened = lzma.open if path.suffix == ".xz" else open
    try:
        with opened(path, "rt", encoding="utf-8", newline="") as lines:
            rows = list(csv.reader(lines, strict=True))
    except (OSError, EOFError, lzma.LZMAError, UnicodeError, csv.Error) as error:
        raise ValueError(
            f"{path} is not a complete CSV file in UTF-8 ({type(error).__name__})"
        ) from None
    # Every row must have a value for every column
    header = rows[0] if rows else []
    if missing := [name for name in names if name not in header]:
        raise ValueError(f"{path} lacks the column(s) {', '.join(missing)}")
    for number, row in enumerate(rows[1:], start=1):
        if len(row) != len(header):
            raise ValueError(
                f"{path}: row {number} of the data has {len(row)} values, not {len(header)}"
            )
    return [[row[i] for row in rows[1:]] for i in map(header.index, names)]
