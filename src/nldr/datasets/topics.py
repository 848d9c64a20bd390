"""Sparse counts: words in documents that mix a few topics."""

from __future__ import annotations

import numpy as np

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_positive

RARITY = 0.05  # concentration of the words of a topic: most are rare, few are frequent


def topic_counts(
    *,
    n_samples: int,
    n_features: int,
    n_topics: int,
    length: float,
    concentration: float,
    rng: np.random.Generator,
) -> Dataset:
    """Simulate counts of words by latent Dirichlet allocation.

    Each topic is a distribution over the words, each document a mixture of topics; both are
    Dirichlet distributed. Counts are Poisson, so that most are zero if documents are short.

    Parameters
    ----------
    n_samples, n_features : int
        Numbers of documents and words.
    n_topics : int
        Number of topics, at least 2.
    length : float
        Expected number of words of a document.
    concentration : float
        Concentration of topics in a document; small values give documents on one topic.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, n_features), counts; ``clean``, their expected values; ``Z`` of
        shape (n_samples, n_topics), the shares of the topics; and ``y``, the main topic.

    References
    ----------
    D. M. Blei, A. Y. Ng & M. I. Jordan, Latent Dirichlet allocation, JMLR 3 (2003).

    Examples
    --------
    >>> data = topic_counts(n_samples=40, n_features=200, n_topics=4, length=50.0,
    ...                     concentration=0.1, rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape, bool((data.X == 0).mean() > 0.7)
    ((40, 200), (40, 4), True)
    """
    check_positive(n_samples=n_samples, n_features=n_features)
    check_positive(length=length, concentration=concentration)
    if n_topics < 2:
        raise ValueError(f"n_topics must be at least 2, got {n_topics}")
    topics = rng.dirichlet(np.full(n_features, RARITY), n_topics)
    Z = rng.dirichlet(np.full(n_topics, concentration), n_samples)
    expected = length * Z @ topics
    counts = rng.poisson(expected).astype(np.float64)
    return Dataset(X=counts, clean=expected, Z=Z, y=Z.argmax(axis=1))
