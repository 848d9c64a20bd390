"""Simulated single-cell counts: a trajectory that splits into fates, with technical noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_choice, check_positive

SHARE = 0.2  # of the genes that change along a branch
CHANGE = 1.5  # standard deviation of their change, a natural logarithm
SPREAD = np.pi / 3  # angle of the outermost fates in the latent plane
VALUES = {"log": True, "counts": False}


def single_cells(
    *,
    n_samples: int,
    n_features: int,
    n_fates: int,
    depth: float,
    library_sd: float,
    dispersion: float,
    dropout: float,
    values: str = "log",
    rng: np.random.Generator,
) -> Dataset:
    r"""Simulate counts of genes in cells that develop from one state to several fates.

    The cells lie on a stem of length 1 that splits into fates of length 1. Along each of these
    branches, a fifth of the genes changes log-linearly. With the share :math:`p_{ig}` of gene g
    in the transcripts of cell i, the count is

    .. math:: x_{ig} \sim b_{ig} \operatorname{NB}(\ell_i p_{ig}, \phi), \qquad
        \ln \ell_i \sim N(\ln \mathrm{depth}, \mathrm{library\_sd}^2),

    where the negative binomial distribution has variance :math:`\mu + \phi \mu^2`, and
    :math:`b_{ig}` is 0 with probability ``dropout`` and 1 otherwise.

    Parameters
    ----------
    n_samples, n_features : int
        Numbers of cells and genes.
    n_fates : int
        Number of branches into which the stem splits, at least 1. The stem and the fates have
        equally many cells up to one.
    depth : float
        Median library size, the expected total of a cell before dropout.
    library_sd : float
        Standard deviation of the logarithm of library sizes.
    dispersion : float
        Dispersion φ; 0 gives Poisson counts.
    dropout : float
        Probability that a count is lost, in [0, 1).
    values : {"log", "counts"}
        Whether ``X`` contains :math:`\ln(1 + x)` after scaling each cell to a total of ``depth``,
        as is usual, or the counts.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, n_features); ``clean``, the same of the expected counts at
        library size ``depth``; ``Z`` of shape (n_samples, 2), the place of a cell in a plane in
        which the stem ends at (1, 0) and the fates fan out; and ``y``, 0 on the stem and the
        number of the fate on the others.

    Examples
    --------
    >>> data = single_cells(n_samples=60, n_features=100, n_fates=2, depth=2000.0, library_sd=0.4,
    ...                     dispersion=0.2, dropout=0.1, rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape, np.bincount(data.y).tolist()
    ((60, 100), (60, 2), [20, 20, 20])
    """
    check_positive(n_samples=n_samples, n_features=n_features, n_fates=n_fates, depth=depth)
    is_log = check_choice("values", values, VALUES)
    if not (library_sd >= 0 and dispersion >= 0 and 0 <= dropout < 1):
        raise ValueError(
            "library_sd and dispersion must be at least 0 and dropout in [0, 1), got "
            f"library_sd={library_sd}, dispersion={dispersion}, dropout={dropout}"
        )
    noise_rng = rng.spawn(1)[0]
    y = np.arange(n_samples) * (n_fates + 1) // n_samples
    progress = np.zeros((n_samples, n_fates + 1))
    progress[:, 0] = 1.0
    progress[np.arange(n_samples), y] = rng.random(n_samples)
    changes = CHANGE * rng.standard_normal((n_fates + 1, n_features))
    changes *= rng.random(changes.shape) < SHARE
    shares = np.exp(rng.standard_normal(n_features) + progress @ changes)
    shares /= shares.sum(axis=1, keepdims=True)
    counts = _counts(depth, shares, library_sd, dispersion, dropout, noise_rng)
    clean = depth * shares
    if is_log:
        totals = np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
        counts, clean = np.log1p(counts * depth / totals), np.log1p(clean)
    # Directions of the stem and the fates in the latent plane
    angle = np.append(0.0, np.linspace(-SPREAD, SPREAD, n_fates) if n_fates > 1 else 0.0)
    Z = progress @ np.column_stack([np.cos(angle), np.sin(angle)])
    return Dataset(X=counts, Z=Z, y=y, clean=clean)


def _counts(
    depth: float,
    shares: NDArray,
    library_sd: float,
    dispersion: float,
    dropout: float,
    rng: np.random.Generator,
) -> NDArray:
    """Return counts with random library sizes, negative binomial noise and dropout."""
    library = depth * np.exp(library_sd * rng.standard_normal(len(shares)))
    means = library[:, None] * shares
    # A negative binomial variable is Poisson with a mean that is gamma distributed
    if dispersion > 0:
        means = rng.gamma(1 / dispersion, dispersion * means)
    return rng.poisson(means) * (rng.random(shares.shape) >= dropout).astype(np.float64)
