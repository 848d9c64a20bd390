"""Film reviews and tweets as TF-IDF features, as prepared for the published tables.

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

IMDB_WORDS = 500  # size of the vocabulary of the reviews


def imdb(*, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Load the IMDb training reviews as TF-IDF, or a random subset stratified by label.

    As in the data preparation of Espadoto et al., which Lai et al. (parametric DR) follow, there
    are no test reviews.

    Parameters
    ----------
    n_samples : int
        Number of reviews, at most 25000, which is all training reviews.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 500), see :func:`tf_idf`, in the order of the file (negative
        before positive), and labels ``y``, 0 for negative and 1 for positive reviews.

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
    # Only the training reviews, from which vocabulary and weights are computed too
    training = np.flatnonzero(test == 0)
    y = y[training]
    rows = choose(y, n_samples, rng, "IMDb")
    return Dataset(X=tf_idf([texts[i] for i in training], IMDB_WORDS, rows), y=y[rows])


def hatespeech(*, n_samples: int, n_words: int, rng: np.random.Generator) -> Dataset:
    """Load the hate speech tweets as TF-IDF, or a random subset stratified by class.

    Lai et al. (parametric DR) write that they have 500 words; the data preparation of Espadoto et
    al., which they follow, has 100 (study ``parametric_hit``).

    Parameters
    ----------
    n_samples : int
        Number of tweets, at most 24783, which is all of them.
    n_words : int
        Size of the vocabulary.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, n_words), see :func:`tf_idf`, in the order of the file, and
        labels ``y``: 0 for hate speech, 1 for offensive language, 2 for neither. Of all 24783 rows
        of 100 words, 13333 are distinct.

    References
    ----------
    Davidson et al., Automated Hate Speech Detection and the Problem of Offensive Language, ICWSM
    2017.

    Examples
    --------
    >>> hatespeech(
    ...     n_samples=1000, n_words=100, rng=np.random.default_rng(0)
    ... ).X.shape  # doctest: +SKIP
    (1000, 100)
    """
    path = fetch("hate_speech/labeled_data.csv")
    classes, texts = read_columns(path, ("class", "tweet"))
    y = encode_labels(classes, ("0", "1", "2"), f"{path}: class", show=False)
    rows = choose(y, n_samples, rng, "Hate speech")
    return Dataset(X=tf_idf(texts, n_words, rows), y=y[rows])


def tf_idf(texts: list[str], n_words: int, chosen: NDArray) -> NDArray[np.float64]:
    r"""Return the scaled TF-IDF of the most frequent words, for some of the texts.

    With :math:`f_{tw}` the number of occurrences of word :math:`w` in text :math:`t`, and
    :math:`n_w` the number of texts, out of :math:`n`, that contain it, row :math:`t` is
    :math:`f_{tw} \left(1 + \ln\frac{1 + n}{1 + n_w}\right)`, scaled to length 1. Then each column
    is scaled to [0, 1] over all texts. Words have at least two letters or digits; they are
    converted to lower case without accents and sorted alphabetically. The English stop words of
    scikit-learn do not count. The vocabulary, the weights and the scale are computed from all
    texts, whichever are chosen. The result has fewer than `n_words` columns only if there are fewer
    words.

    References
    ----------
    Espadoto et al., Toward a Quantitative Survey of Dimension Reduction Techniques, IEEE TVCG 27,
    2021, and Deep Learning Multidimensional Projections, Information Visualization 19, 2020: their
    released data preparation; Salton & Buckley, Term-Weighting Approaches in Automatic Text
    Retrieval, 1988.

    Examples
    --------
    >>> tf_idf(["red red rosé", "a rose", "green"], 2, np.arange(3)).round(3)
    array([[1.   , 0.355],
           [0.   , 1.   ],
           [0.   , 0.   ]])
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import minmax_scale

    words = TfidfVectorizer(strip_accents="ascii", stop_words="english", max_features=n_words)
    return minmax_scale(words.fit_transform(texts).toarray())[chosen]


def read_columns(path: Path, names: tuple[str, ...]) -> list[list[str]]:
    r"""Return the values of some columns of a CSV file in UTF-8, which may be xz-compressed.

    The first line contains the column names. No error message quotes a value of the file.

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
    header = rows[0] if rows else []
    if missing := [name for name in names if name not in header]:
        raise ValueError(f"{path} lacks the column(s) {', '.join(missing)}")
    for number, row in enumerate(rows[1:], start=1):
        if len(row) != len(header):
            raise ValueError(
                f"{path}: row {number} of the data has {len(row)} values, not {len(header)}"
            )
    return [[row[i] for row in rows[1:]] for i in map(header.index, names)]
