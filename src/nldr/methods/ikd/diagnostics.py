"""Diagnostics of IKD: the dimension, the reliability of each point, and whether the model fits."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist, squareform
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from nldr.methods.ikd._similarity import RowSimilarity, evenly_spaced, has_feature_means
from nldr.methods.ikd.ikd import IKD

MAX_ROWS = 500  # whose pairs are compared with the model
FAR_SIMILARITY = 0.01  # by the model, below which two rows count as far from each other
MIN_FAR_PAIRS = 200
MAX_FAR_MEAN = 0.15  # mean similarity of far rows
MAX_FAR_SPREAD = 2.0  # standard deviation of the similarity of far rows, times √N
MAX_MISFIT = 5.0  # mean square residual of the similarities, divided by that by sampling
MIN_NEAREST = 0.8  # median similarity of a row and the row most similar to it
MAX_NOISE_SHARE = 0.2  # as estimated by the variant refined
MIN_GAP = 1.5  # ratio of two successive eigenvalues
OUTLIER_DEVIATIONS = 6.0  # below the median, in robust standard deviations
OUTLIER_SIMILARITY = 0.5  # to the most similar row, which an outlier does not reach


class ModelMisfitWarning(UserWarning):
    """Issued if observations differ from what IKD assumes."""


@dataclass(frozen=True)
class Diagnosis:
    """The diagnostics of a fit.

    Attributes
    ----------
    eigenvalues : ndarray of shape (n_eigenvalues,)
        Largest eigenvalues of the inner products, descending.
    suggested_components : int
        Dimension at which the eigenvalues fall into two groups, see :func:`suggest_dimension`.
    eigengap : float
        Eigenvalue of the suggested dimension divided by the next one; at 1.5 or less the
        suggestion is a guess.
    standard_errors : ndarray of shape (n_samples,)
        Root mean square displacement of each point by sampling of the features, see
        :func:`standard_errors`.
    messages : tuple of str
        What is unlike the model, each with a number and what to try; empty if nothing is.
    """

    eigenvalues: NDArray
    suggested_components: int
    eigengap: float
    standard_errors: NDArray
    messages: tuple[str, ...]


def diagnose(
    X: ArrayLike,
    estimator: IKD | None = None,
    *,
    n_eigenvalues: int = 10,
    n_splits: int = 4,
    random_state: int | np.random.RandomState | None = 0,
) -> Diagnosis:
    """Fit IKD and return what its closed form tells about the result.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Observations.
    estimator : IKD, optional
        Unfitted or fitted estimator; it is not changed. The default is the closed form with two
        components, ``IKD(variant="metric_geodesic")``, which is faster than the variant refined.
    n_eigenvalues : int, default=10
        Number of eigenvalues to look at, those of metric_geodesic for any variant.
    n_splits : int, default=4
        Number of halvings of the features for the standard errors; each takes two fits.
    random_state : int, RandomState or None, default=0
        Seed of the halvings.

    Returns
    -------
    Diagnosis
        Eigenvalues, suggested dimension, standard errors and messages.

    Warns
    -----
    ModelMisfitWarning
        One for each message.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> angle = rng.uniform(0, 2 * np.pi, 200)
    >>> Z = 2 * np.column_stack([np.cos(angle), np.sin(angle)])
    >>> X = np.cos(Z @ rng.standard_normal((2, 300)) + rng.uniform(0, 2 * np.pi, 300))
    >>> diagnosis = diagnose(X)
    >>> diagnosis.suggested_components, diagnosis.messages
    (2, ())
    """
    data = check_array(X, dtype=np.float64, ensure_min_samples=3, ensure_min_features=8)
    ikd = IKD(variant="metric_geodesic") if estimator is None else clone(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # All dimensions for the eigenvalues, the estimator's own for everything else
        closed_form = {"variant": "metric_geodesic", "reference": None, "threshold": None}
        many = clone(ikd).set_params(n_components=min(n_eigenvalues, len(data) - 1), **closed_form)
        many.fit(data)
        ikd.fit(data)
        errors = standard_errors(data, ikd, n_splits=n_splits, random_state=random_state)
    dimension, gap = suggest_dimension(many.eigenvalues_)
    messages = [*_dimension_messages(ikd.n_components, dimension, gap), *_misfit(data, ikd)]
    for message in messages:
        warnings.warn(message, ModelMisfitWarning, stacklevel=2)
    return Diagnosis(many.eigenvalues_, dimension, gap, errors, tuple(messages))


def suggest_dimension(eigenvalues: ArrayLike) -> tuple[int, float]:
    """Return the number of leading eigenvalues that form a group, and the gap that follows them.

    The logarithms of the eigenvalues are divided into two groups such that the profile likelihood
    of two normal distributions with equal variance is largest.

    Parameters
    ----------
    eigenvalues : array-like of shape (n_eigenvalues,)
        Eigenvalues, descending, not negative, at least three.

    Returns
    -------
    dimension : int
        Size of the first group.
    gap : float
        Ratio of the last eigenvalue of the first group to the first of the second.

    Notes
    -----
    Where the axes of the latent differ much in variance, as in random walks of four and more
    dimensions, the first group holds the large ones only.

    References
    ----------
    M. Zhu and A. Ghodsi, "Automatic dimensionality selection from the scree plot via the use of
    profile likelihood", Computational Statistics & Data Analysis 51, 2006.

    Examples
    --------
    >>> dimension, gap = suggest_dimension([9.0, 8.0, 1.0, 0.8, 0.7])
    >>> dimension, round(gap, 6)
    (2, 8.0)
    """
    values = np.asarray(eigenvalues, dtype=np.float64)
    logs = np.log(np.maximum(values, 1e-6 * max(values[0], np.finfo(float).tiny)))
    # The likelihood falls with the pooled variance within the groups
    spread = [
        np.square(logs[:q] - logs[:q].mean()).sum() + np.square(logs[q:] - logs[q:].mean()).sum()
        for q in range(1, len(logs))
    ]
    dimension = int(np.argmin(spread)) + 1
    return dimension, float(np.exp(logs[dimension - 1] - logs[dimension]))


def standard_errors(
    X: NDArray,
    estimator: IKD,
    *,
    n_splits: int = 4,
    random_state: int | np.random.RandomState | None = 0,
) -> NDArray:
    """Return how far each point would move if other features were observed.

    IKD on two random halves of the features gives two embeddings, independent given the latent,
    whose squared difference is on average four times the variance of the embedding from all
    features. Both are aligned with it by similarity transformations. Errors that all features
    share, such as those of path lengths around a hole, are not part of it.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations.
    estimator : IKD
        Estimator, fitted on `X`; it is not changed.
    n_splits : int, default=4
        Number of halvings.
    random_state : int, RandomState or None, default=0
        Seed of the halvings.

    Returns
    -------
    ndarray of shape (n_samples,)
        Standard error of each point, the root of the sum over dimensions of squared errors, in
        units of the length scale.
    """
    rng = check_random_state(random_state)
    squared = np.zeros(len(X))
    for _ in range(n_splits):
        order = rng.permutation(X.shape[1])
        halves = [
            _aligned(clone(estimator).fit_transform(X[:, chosen]), estimator.embedding_)
            for chosen in np.array_split(order, 2)
        ]
        squared += np.square(halves[0] - halves[1]).sum(axis=1)
    return np.sqrt(squared / n_splits / 4)


def _aligned(points: NDArray, target: NDArray) -> NDArray:
    """Return points moved onto a target by the best similarity transformation."""
    centered, goal = points - points.mean(axis=0), target - target.mean(axis=0)
    left, singular, right = np.linalg.svd(centered.T @ goal)
    scale = singular.sum() / max(np.vdot(centered, centered), np.finfo(float).tiny)
    return scale * centered @ left @ right + target.mean(axis=0)


def _dimension_messages(n_components: int, dimension: int, gap: float) -> list[str]:
    """Return what the eigenvalues tell about the number of components."""
    if gap < MIN_GAP or dimension == n_components:
        return []
    return [
        f"the eigenvalues suggest {dimension} dimensions (the next is smaller by a factor of "
        f"{gap:.1f}) instead of n_components={n_components}: try n_components={dimension}"
    ]


def _misfit(X: NDArray, ikd: IKD) -> list[str]:
    """Return what is unlike the model, from the pairs of at most 500 rows."""
    rows = evenly_spaced(len(X), MAX_ROWS)
    kind = "correlation" if ikd.similarity_ == "auto" else ikd.similarity_
    centered = ikd.center_features_
    similarity = RowSimilarity(X[rows], kind, -1.0, centered).compare_all()
    np.fill_diagonal(similarity, 1.0)
    observed = squareform(similarity, checks=False)
    points = ikd.embedding_[rows]
    predicted = squareform(ikd.kernel_(cdist(points, points, "sqeuclidean")), checks=False)
    return [
        *_far_messages(observed, predicted, X.shape[1], X),
        *_noise_messages(similarity, ikd),
        *_outlier_messages(similarity, rows),
        *_residual_messages(observed, predicted, X.shape[1], ikd),
    ]


def _far_messages(observed: NDArray, predicted: NDArray, n_features: int, X: NDArray) -> list[str]:
    """Compare the similarities of far rows with those of independent rows."""
    far = observed[predicted < FAR_SIMILARITY]
    if len(far) < MIN_FAR_PAIRS:
        if not has_feature_means(X):
            return []
        return [
            "90 % of the correlations of rows exceed 0.2, and no rows are far from each other: "
            "features with means raise all similarities: try center_features=True"
        ]
    messages = []
    mean, spread = far.mean(), far.std() * np.sqrt(n_features)
    if abs(mean) > MAX_FAR_MEAN:
        remedy = (
            "features with means raise all similarities: try center_features=True"
            if mean > 0
            else "kernels are positive, but centered columns or periodic features give negative "
            "similarities: try center_features=True, which restores 0"
        )
        messages.append(f"far rows have a mean similarity of {mean:.2f} instead of 0: {remedy}")
    if spread > MAX_FAR_SPREAD:
        messages.append(
            f"similarities of far rows scatter {spread:.1f} times as much as those of {n_features} "
            f"independent features: they are worth about {n_features / spread**2:.0f}. Features "
            "may repeat each other, as neighboring pixels do: try a higher threshold"
        )
    return messages


def _nearest(similarity: NDArray) -> NDArray:
    """Return the similarity of each row to the row most similar to it, within (-1, 1)."""
    others = similarity.copy()
    np.fill_diagonal(others, -1.0)
    return np.clip(others.max(axis=1), -0.999999, 0.999999)


def _noise_messages(similarity: NDArray, ikd: IKD) -> list[str]:
    """Judge the share of the noise, or without an estimate the similarity of nearest rows."""
    share, nearest = ikd.noise_share_, np.median(_nearest(similarity))
    if share is None and nearest < MIN_NEAREST:
        return [
            f"the most similar row has a similarity of only {nearest:.2f} (median): the rows are "
            "noisy, or too few for the dimension. Try variant='refined', which estimates the "
            "noise, or more rows"
        ]
    if share is None or share <= MAX_NOISE_SHARE:
        return []
    left_out = ikd.polish == "auto" and not ikd.polished_
    unrefined = ", too much to refine the points by the likelihood" if left_out else ""
    return [
        f"white noise is {share:.0%} of the variance of the rows{unrefined}: the errors shrink "
        "with more features, and less with more rows"
    ]


def _outlier_messages(similarity: NDArray, rows: NDArray) -> list[str]:
    """Name the rows that are unlike all others."""
    nearest = _nearest(similarity)
    # On the scale on which a correlation has constant variance
    z = np.arctanh(nearest)
    deviation = 1.4826 * np.median(np.abs(z - np.median(z)))
    is_far_off = z < np.median(z) - OUTLIER_DEVIATIONS * deviation
    outliers = rows[is_far_off & (nearest < OUTLIER_SIMILARITY)]
    if not len(outliers):
        return []
    shown = ", ".join(map(str, outliers[:10])) + (", ..." if len(outliers) > 10 else "")
    return [
        f"{len(outliers)} of {len(rows)} rows are unlike all others (row {shown}): remove them, or "
        "do not trust their coordinates"
    ]


def _residual_messages(
    observed: NDArray, predicted: NDArray, n_features: int, ikd: IKD
) -> list[str]:
    """Compare the residuals of the similarities with their sampling errors."""
    # White noise multiplies all similarities by the share of the signal
    if ikd.noise_share_ is None:
        signal = np.vdot(observed, predicted) / np.vdot(predicted, predicted)
    else:
        signal = 1.0 - ikd.noise_share_
    predicted = np.clip(signal, 0.0, 1.0) * predicted
    # Variance (1 - s²)²/N of a correlation, and at least that of an error of .05
    sampling = np.square(1 - np.square(predicted)) / n_features + 0.05**2
    ratio = float(np.mean(np.square(observed - predicted)) / np.mean(sampling))
    if ratio < MAX_MISFIT:
        return []
    return [
        f"the embedding predicts similarities with {ratio:.0f} times the mean square error that "
        f"{n_features} features explain: try another kernel than {ikd.kernel_}, or more components"
    ]
