"""Similarities of rows whose features may have means, which the model does not have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.kernels import Kernel
from nldr.methods.ikd._components import embed_distances
from nldr.methods.ikd._similarity import RowSimilarity, evenly_spaced, has_feature_means

MAX_ROWS = 200  # on which the similarities are compared
MIN_GAIN = 0.08  # in the explained share, by which the correlation must be better to be chosen


def compare_rows(
    X: NDArray,
    kind: str,
    min_similarity: float,
    centering: bool | str,
    model: tuple[Kernel, int] | None,
) -> RowSimilarity:
    """Return the similarities of rows, with or without the means of the features.

    If `centering` is ``"auto"``, :func:`has_feature_means` decides whether the means are
    subtracted, and where they are and `model` is given, kernel f and dimension of the embedding,
    :func:`centered_similarity` replaces `kind`. The attribute ``center_features`` of the result
    tells what was decided. A ValueError is raised if all rows are constant.
    """
    centered = has_feature_means(X) if centering == "auto" else bool(centering)
    if centered and centering == "auto" and model is not None:
        kind = centered_similarity(X, *model)
    return RowSimilarity(X, kind, min_similarity, centered)


def centered_similarity(X: NDArray, kernel: Kernel, n_components: int) -> str:
    r"""Choose between variogram and correlation for rows whose feature means are subtracted.

    Subtracting the means shortens rows near the mean of the latent. The correlation undoes that as
    if it were a difference in gain, which distorts the distances; the variogram does not, but needs
    rows of equal gain. The one whose distances f⁻¹(s) are explained better by `n_components`
    dimensions is chosen, the variogram unless the share of the correlation is larger by 0.08.

    Raises
    ------
    ValueError
        If all rows are constant over the features.

    Examples
    --------
    >>> import numpy as np
    >>> from nldr.kernels import SquaredExponential
    >>> rng = np.random.default_rng(0)
    >>> waves, phases = rng.standard_normal((2, 100)), rng.uniform(0, 2 * np.pi, 100)
    >>> X = 5 * rng.standard_normal(100) + np.cos(rng.random((50, 2)) @ waves + phases)
    >>> centered_similarity(X, SquaredExponential(), 2)
    'variogram'
    """
    some = X[evenly_spaced(len(X), MAX_ROWS)]
    n_components = min(n_components, len(some))
    shares = {}
    for kind in ("variogram", "correlation"):
        similarity = RowSimilarity(some, kind, 1e-3, center_features=True).compare_all()
        np.fill_diagonal(similarity, 1.0)
        embedded = embed_distances(
            kernel.inverse(similarity), n_components, "center", np.arange(len(some))
        )
        shares[kind] = embedded.explained_share
    better = shares["correlation"] > shares["variogram"] + MIN_GAIN
    return "correlation" if better else "variogram"
