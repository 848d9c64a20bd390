"""Ranking of several methods over datasets, and p-values corrected for their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nldr.statistics.pairs import SMALLEST_PAIRS

SMALLEST_BLOCKS = 6  # with fewer datasets, no difference can be significant
LEVEL = 0.05  # a pair of methods with a p-value above it does not differ


@dataclass(frozen=True)
class Pairwise:
    """Outcome of :func:`compare_all`, arrays of shape (n_methods, n_methods): row minus column.

    Attributes
    ----------
    difference : ndarray
        Mean difference over the datasets, NaN where the two share none.
    wins, ties, losses : ndarray of int
        Numbers of datasets on which the row's method is better, equal and worse.
    p_values : ndarray
        P-values of Wilcoxon's signed rank test, corrected by Holm's procedure for the number of
        pairs; 1 on the diagonal, NaN for fewer than 6 datasets.
    """

    difference: NDArray
    wins: NDArray
    ties: NDArray
    losses: NDArray
    p_values: NDArray


def compare_all(scores: ArrayLike, higher_is_better: bool = True) -> Pairwise:
    """Compare each pair of methods on the datasets for which both have a score.

    Parameters
    ----------
    scores : array_like of shape (n_datasets, n_methods)
        One score for each method on each dataset, NaN where there is none.
    higher_is_better : bool, default=True
        Direction of the metric.

    Returns
    -------
    Pairwise
        Differences, wins and corrected p-values.

    References
    ----------
    A. Ismail-Fawaz et al., An approach to multiple comparison benchmark evaluations that is stable
    under manipulation of the comparate set, arXiv 2305.11921 (2023).

    Examples
    --------
    >>> result = compare_all([[0.9, 0.8], [0.7, 0.6], [0.5, 0.5]])
    >>> result.difference[0, 1].round(3).item(), int(result.wins[0, 1]), int(result.ties[0, 1])
    (0.067, 2, 1)
    """
    table = np.asarray(scores, dtype=float)
    sign = 1 if higher_is_better else -1
    n_methods = table.shape[1]
    shape = (n_methods, n_methods)
    difference, wins, ties = np.zeros(shape), np.zeros(shape, int), np.zeros(shape, int)
    p_values = np.eye(n_methods)
    raw = {}
    for i in range(n_methods):
        for j in range(n_methods):
            differences = table[:, i] - table[:, j]
            differences = differences[np.isfinite(differences)]
            wins[i, j], ties[i, j] = (sign * differences > 0).sum(), (differences == 0).sum()
            difference[i, j] = differences.mean() if len(differences) else np.nan
            if j < i and len(differences) >= SMALLEST_PAIRS:
                raw[i, j] = _signed_rank_p(differences)
            elif j < i:
                p_values[i, j] = p_values[j, i] = np.nan
    # All pairs, corrected for their number
    for (i, j), p in zip(raw, correct([*raw.values()]), strict=True):
        p_values[i, j] = p_values[j, i] = p
    return Pairwise(difference, wins, ties, wins.T.copy(), p_values)


def _signed_rank_p(difference: NDArray) -> float:
    """Return the p-value of the signed rank test; equal methods leave nothing to rank."""
    from scipy.stats import wilcoxon

    return float(wilcoxon(difference).pvalue) if difference.any() else 1.0


def smallest_p(n_datasets: int, n_pairs: int) -> float:
    """Return the smallest p-value that a pair of methods can have after the correction.

    Examples
    --------
    >>> smallest_p(8, 66), round(smallest_p(22, 66), 6)
    (0.515625, 3.1e-05)
    """
    return min(1.0, n_pairs * 2.0 ** (1 - n_datasets))


@dataclass(frozen=True)
class Ranking:
    """Outcome of :func:`rank_methods`.

    Attributes
    ----------
    ranks : ndarray of shape (n_methods,)
        Mean rank of each method, 1 for the best.
    p_value : float
        P-value of Friedman's test that all methods are equal.
    p_pairs : ndarray of shape (n_methods, n_methods)
        P-values of signed rank tests between methods, corrected by Holm's procedure; 1 on the
        diagonal.
    n : int
        Number of datasets.
    """

    ranks: NDArray
    p_value: float
    p_pairs: NDArray
    n: int


def rank_methods(scores: ArrayLike, higher_is_better: bool = True) -> Ranking:
    """Rank several methods over datasets.

    Parameters
    ----------
    scores : array_like of shape (n_datasets, n_methods)
        One score for each method on each dataset.
    higher_is_better : bool, default=True
        Direction of the metric.

    Returns
    -------
    Ranking
        Mean ranks, Friedman's test and Holm's corrected pairwise tests.

    Raises
    ------
    ValueError
        If there are fewer than 3 methods or 6 datasets, or a score is not finite.

    References
    ----------
    J. Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7 (2006).
    A. Benavoli, G. Corani, F. Mangili, Should we really use post-hoc tests based on mean-ranks?,
    JMLR 17 (2016): pairs are compared by the signed rank test, not by mean ranks.

    Examples
    --------
    >>> scores = np.arange(8.0)[:, np.newaxis] + [0.0, 0.2, 0.1]
    >>> result = rank_methods(scores)
    >>> result.ranks.tolist(), result.p_value < 0.01
    ([3.0, 1.0, 2.0], True)
    """
    from scipy.stats import friedmanchisquare, rankdata

    table = np.asarray(scores, dtype=float)
    if table.ndim != 2 or table.shape[1] < 3 or len(table) < SMALLEST_BLOCKS:
        raise ValueError(
            f"scores of shape {table.shape}: Friedman's test needs at least "
            f"{SMALLEST_BLOCKS} datasets and 3 methods"
        )
    if not np.isfinite(table).all():
        raise ValueError("a score is missing: leave out the dataset, or give it a penalty")
    signed = -table if higher_is_better else table
    equal = not (signed - signed[:, :1]).any()
    return Ranking(
        ranks=rankdata(signed, axis=1).mean(axis=0),
        p_value=1.0 if equal else float(friedmanchisquare(*signed.T).pvalue),
        p_pairs=compare_all(table).p_values,
        n=len(table),
    )


def correct(p_values: Sequence[float]) -> NDArray:
    """Return p-values corrected for their number by Holm's step-down procedure.

    Parameters
    ----------
    p_values : sequence of float
        P-values of one family of tests.

    Returns
    -------
    ndarray
        Corrected p-values in the same order, at most 1.

    References
    ----------
    S. Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6 (1979).

    Examples
    --------
    >>> correct([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)
    factors = len(p) - np.arange(len(p))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1.0)
    return corrected


def groups_of_equals(ranks: ArrayLike, p_pairs: ArrayLike) -> list[list[int]]:
    """Return the groups of methods with adjacent ranks that do not differ significantly.

    Parameters
    ----------
    ranks : array_like of shape (n_methods,)
        Mean ranks.
    p_pairs : array_like of shape (n_methods, n_methods)
        Corrected p-values of pairs; one with a p-value above 0.05 does not differ.

    Returns
    -------
    list of list of int
        The largest groups of two methods or more, each in order of rank.

    Examples
    --------
    >>> p = [[1.0, 0.3, 0.01], [0.3, 1.0, 0.2], [0.01, 0.2, 1.0]]
    >>> groups_of_equals([1.2, 1.9, 2.9], p)
    [[0, 1], [1, 2]]
    """
    order = np.argsort(ranks, kind="stable")
    p = np.asarray(p_pairs)
    groups: list[list[int]] = []
    last = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and (p[order[end], order[start:end]] > LEVEL).all():
            end += 1
        if end > max(last, start + 1):
            groups.append(order[start:end].tolist())
            last = end
    return groups
