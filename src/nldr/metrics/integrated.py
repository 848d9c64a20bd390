"""The integrated metric µ: mean of trustworthiness, continuity and neighborhood hit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics.neighbors import neighbors
from nldr.metrics.ranks import ranks


def integrated(
    data: Dataset,
    embedding: NDArray,
    *,
    k: Sequence[int],
    scores: Mapping[str, float] | None = None,
    n_jobs: int = 1,
) -> dict[str, float]:
    """Score an embedding by the mean of trustworthiness, continuity and neighborhood hit.

    Parameters
    ----------
    scores : mapping of str to float, optional
        Scores of this embedding; of the three that it has, none is computed again.

    Returns
    -------
    dict of str to float
        For each ``k``, ``mu_k<k>``, and ``mu_self_k<k>``, in whose neighborhood hit each point
        counts as its own neighbor. Values in [0, 1], 1 is best. NaN if ``k`` is not less than half
        of the number of points, or if the labels are all equal or all different.

    References
    ----------
    Lai et al., *Parametric Dimension Reduction by Preserving Local Structure*, Eq. 9; the values
    printed there are ``mu_self_k7``.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(12.0).reshape(6, 2)
    >>> scores = integrated(Dataset(X=X, y=np.array([0, 0, 0, 1, 1, 1])), X, k=[2])
    >>> {name: round(score, 3) for name, score in scores.items()}
    {'mu_k2': 0.944, 'mu_self_k2': 0.972}
    """
    terms = dict(scores or {})
    if any(f"{name}_k{n}" not in terms for name in ("trustworthiness", "continuity") for n in k):
        terms |= ranks(data, embedding, k=k, n_jobs=n_jobs)
    if any(f"neighborhood_hit{form}_k{n}" not in terms for form in ("", "_self") for n in k):
        terms |= neighbors(data, embedding, k=k)
    # Eq. 9, with either form of the neighborhood hit
    return {
        f"mu{form}_k{n}": (
            terms[f"trustworthiness_k{n}"]
            + terms[f"continuity_k{n}"]
            + terms[f"neighborhood_hit{form}_k{n}"]
        )
        / 3
        for n in k
        for form in ("", "_self")
    }
