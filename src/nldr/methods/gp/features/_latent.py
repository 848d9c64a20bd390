"""Interface of a latent variable model, shared by all models of this package."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags, check_random_state, gen_batches
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from nldr.methods._base import Embedder
from nldr.methods._rows import TrainingRows
from nldr.methods.gp.features._gaussian import Features
from nldr.methods.gp.features._posterior import LatentPosterior

MAX_STARTS = 2000  # training points from which the search for a new point may start
BLOCK_ROWS = 500  # rows computed at a time
STEP = 1e-4  # of finite differences, relative to the latent prior's standard deviation


class LatentVariableModel(Embedder):
    """Base class of models in which each row is a noisy function of a latent point.

    A subclass defines ``_fit``, which stores the embedding and calls ``_store_model``. It inherits
    the methods of a latent variable model. NaN entries of the rows are missing values.

    Parameters
    ----------
    n_components : int
        Dimension of the latent space.
    n_inducing : int
        Number of inducing points; all points if there are fewer.
    max_iter : int
        Maximum number of iterations of L-BFGS-B.
    tol : float
        Relative gain in the bound of one iteration below which the fit stops.
    verbose : bool
        Whether to print the progress of long fits.
    random_state : int, RandomState instance or None
        Selects the latent points at which the inducing inputs start.

    Attributes
    ----------
    variances_ : ndarray of shape (n_samples, n_components)
        Posterior variances of the latent points.
    latent_covariances_ : ndarray of shape (n_samples, n_components, n_components)
        Posterior covariances of the latent points, each given all others, by Laplace's
        approximation.
    relevance_ : ndarray of shape (n_components,)
        Share of the variance of the fitted observations for which each column is needed: their
        mean squared change where the column is replaced by its mean. 0 for an unused column.
    inducing_inputs_ : ndarray of shape (n_inducing, n_components)
        Inducing inputs.
    noise_precision_ : float
        β, for standardized data.
    bound_history_ : ndarray of shape (n_iter_ + 1,)
        The bound at the start and after each iteration.
    converged_ : bool
        Whether the fit stopped because of `tol`.
    n_iter_ : int
        Number of iterations.
    """

    _finite = "allow-nan"

    _posterior: LatentPosterior
    _rows: TrainingRows

    def _store_model(
        self,
        data: NDArray,
        features: Features,
        prior: tuple[NDArray, NDArray] | None,
        covariances: NDArray | None = None,
    ) -> None:
        """Store what the methods below need.

        `prior` is mean and covariance of a latent point, those of the embedding if None.
        `covariances` are those of the training rows, computed as for new rows if None.
        """
        if prior is None:
            spread = np.atleast_2d(np.cov(self.embedding_.T, bias=True))
            # A constant column has no spread
            floor = np.finfo(float).eps * max(np.trace(spread), 1.0)
            prior = self.embedding_.mean(axis=0), spread + floor * np.eye(len(spread))
        starts = self.embedding_[:: -(-len(data) // MAX_STARTS)]
        self._posterior = LatentPosterior(features, *prior, starts)
        self._rows = TrainingRows(data)
        if covariances is None:
            covariances = self._posterior.covariances(self.embedding_, data)
        self.latent_covariances_ = covariances
        self.relevance_ = relevance(features, self.embedding_)

    def _check(self, X: ArrayLike) -> NDArray:
        """Return validated rows of data."""
        check_is_fitted(self)
        data: NDArray = validate_data(
            self, X, dtype=np.float64, reset=False, ensure_all_finite="allow-nan"
        )
        return data

    def transform(
        self, X: ArrayLike, return_cov: bool = False
    ) -> NDArray | tuple[NDArray, NDArray]:
        """Return the most probable latent point of each row; training rows keep theirs.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            Observations; NaN entries are missing.
        return_cov : bool, default=False
            Whether to return the posterior covariances of the latent points as well.

        Returns
        -------
        points : ndarray of shape (n_points, n_components)
            Latent points.
        covariances : ndarray of shape (n_points, n_components, n_components)
            Posterior covariances, by Laplace's approximation for new rows; only if `return_cov` is
            true.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        """
        data = self._check(X)
        rows = self._rows.positions(data)
        points = self.embedding_[rows]
        new = rows < 0
        points[new] = self._posterior.modes(data[new])
        if not return_cov:
            return points
        covariances = self.latent_covariances_[rows]
        covariances[new] = self._posterior.covariances(points[new], data[new])
        return points, covariances

    def inverse_transform(
        self, X: ArrayLike, return_std: bool = False
    ) -> NDArray | tuple[NDArray, NDArray]:
        """Return the expected observation at each latent point.

        Parameters
        ----------
        X : array-like of shape (n_points, n_components)
            Latent points.
        return_std : bool, default=False
            Whether to return the standard deviations of the observations as well.

        Returns
        -------
        means : ndarray of shape (n_points, n_features)
            Expected observations, in units of the data.
        deviations : ndarray of shape (n_points, n_features)
            Standard deviations, of the function and the noise together; only if `return_std` is
            true.
        """
        check_is_fitted(self)
        points = check_array(X, dtype=np.float64, input_name="X")
        if points.shape[1] != self._n_features_out:
            raise ValueError(
                f"X has {points.shape[1]} columns, but latent points have {self._n_features_out}"
            )
        means, variances = self._posterior.features.moments(points)
        return (means, np.sqrt(variances)) if return_std else means

    def predict(self, X: ArrayLike, return_std: bool = False) -> NDArray | tuple[NDArray, NDArray]:
        """Return the rows as the model expects them at their latent points.

        Missing entries are filled in, and observed entries are replaced by estimates without noise.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            Observations; NaN entries are missing.
        return_std : bool, default=False
            Whether to return the standard deviations of the observations as well.

        Returns
        -------
        means : ndarray of shape (n_points, n_features)
            Expected observations at the latent points of ``transform``, in units of the data.
        deviations : ndarray of shape (n_points, n_features)
            Standard deviations. They include the uncertainty of the latent points, to first order,
            but not that of the kernel's parameters, so that intervals are slightly too short: those
            of 95 % contain between 90 and 95 % of held-out entries of simulated Gaussian processes.
        """
        if not return_std:
            return self.inverse_transform(self.transform(X))
        points, covariances = self.transform(X, return_cov=True)
        features = self._posterior.features
        means, variances = features.moments(points)
        slopes = np.empty((*means.shape, points.shape[1]))
        for q, step in enumerate(STEP * self._posterior.scale):
            move = step * np.eye(points.shape[1])[q]
            ahead, behind = features.moments(points + move)[0], features.moments(points - move)[0]
            slopes[:, :, q] = (ahead - behind) / (2 * step)
        variances = variances + np.einsum("ndq,nqr,ndr->nd", slopes, covariances, slopes)
        return means, np.sqrt(variances)

    def score_samples(self, X: ArrayLike) -> NDArray:
        """Return the log density of each row under the fitted model.

        The latent point is integrated over its prior, by importance sampling around the modes of
        its posterior. The result does not depend on random numbers.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            Observations; NaN entries are missing, and do not count.

        Returns
        -------
        ndarray of shape (n_points,)
            log p(x) of the observed entries, in nats.
        """
        return self._posterior.log_evidence(self._check(X))

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """Return the mean log density of the rows.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            Observations; NaN entries are missing.
        y : None
            Ignored.

        Returns
        -------
        float
            Mean of ``score_samples``.
        """
        return float(self.score_samples(X).mean())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray:
        """Draw independent observations: latent points from their prior, then the features.

        Parameters
        ----------
        n_samples : int, default=1
            Number of observations.
        random_state : int, RandomState instance or None, default=None
            Source of the random numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Observations, with noise.
        """
        check_is_fitted(self)
        rng, posterior = check_random_state(random_state), self._posterior
        white = rng.standard_normal((n_samples, self._n_features_out))
        means, variances = posterior.features.moments(posterior.mean + white @ posterior.root.T)
        return means + np.sqrt(variances) * rng.standard_normal(means.shape)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def relevance(features: Features, points: NDArray) -> NDArray:
    """Return the share of the fitted means' variance that each latent column is needed for.

    That is the mean squared change of the features' means where the column is replaced by its
    mean, relative to their variance; 0 if the model does not use the column.
    """
    total, squares, shares = 0.0, 0.0, np.zeros(points.shape[1])
    center = points.mean(axis=0)
    for rows in gen_batches(len(points), BLOCK_ROWS):
        fitted = features.moments(points[rows])[0]
        total, squares = total + fitted.sum(axis=0), squares + np.square(fitted).sum()
        for q in range(points.shape[1]):
            flat = points[rows].copy()
            flat[:, q] = center[q]
            shares[q] += np.square(features.moments(flat)[0] - fitted).sum()
    # Sum of squares around the mean of each feature
    spread = squares - np.square(total).sum() / len(points)
    return shares / spread if spread > 0 else shares
