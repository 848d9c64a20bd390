"""Gaussian-process latent variable model of counts or bits."""

from __future__ import annotations

import warnings
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from nldr.methods._docs import inherit_docs
from nldr.methods.gp.features._deviation import deviation_map
from nldr.methods.gp.features._discrete import DiscreteFeatures, OffsetCovariance
from nldr.methods.gp.features._exposure import Stated, Totals
from nldr.methods.gp.features._latent import LatentVariableModel
from nldr.methods.gp.features._likelihoods import LIKELIHOODS
from nldr.methods.gp.inducing._bound import (
    Ascent,
    latent_signs,
    maximize,
    reduced_columns,
    standard_scores,
    warn_collapsed,
    warn_unconverged,
)
from nldr.methods.gp.inducing._kernel import KernelParams
from nldr.methods.gp.missing import observe
from nldr.methods.gp.variational._discrete_bound import DiscreteBound
from nldr.methods.ikd.ikd import IKD
from nldr.methods.ikd.start import isomap_embedding
from nldr.validation import Interval, StrOptions

# Bounds of the logarithms of kernel parameters and of latent variances
LOG_KERNEL, LOG_VARIANCE = (-16.0, 8.0), (-14.0, 2.0)
START_VARIANCE = 0.01  # of the latent points
TRIAL_ITER = 20  # iterations after which starting points are compared
OFF = -800.0  # logarithm of a parameter that the kernel does not have; its exponential is 0
NO_SE_VARIANCE = np.exp(-12.0)  # of the SE part in a linear kernel


@inherit_docs(LatentVariableModel)
class DiscreteGPLVM(LatentVariableModel):
    r"""Gaussian-process latent variable model of counts (Poisson) or bits (Bernoulli).

    Each feature has a Gaussian process over the latent points, plus an offset: the log rate of a
    count, or the log odds of a one. The prior of the latent points is standard normal. L-BFGS-B
    maximizes a lower bound of log p(Y) over the means and variances of the latent points, the
    inducing inputs and the kernel's parameters. For each value of these, natural-gradient steps
    find the normal distributions of the inducing values that give the highest bound.

    Parameters
    ----------
    n_components
    likelihood : {"poisson", "bernoulli"}, default="poisson"
        Poisson counts with a log link, for values of at least 0; or bits with a logit link, for
        values from 0 to 1.
    exposure : "total" or array-like of shape (n_samples,), default=None
        For counts: factors of the rates of each row, such as the depth to which a cell is
        sequenced, which would otherwise take a latent dimension. ``"total"``: the sum of the row
        divided by its mean over the rows. An array is divided by its mean, and new rows have the
        mean exposure.
    n_inducing
    kernel : {"se", "linear", "se+linear"}, default="se"
        Squared exponential with one weight per dimension (ARD), linear (a probabilistic form of
        exponential-family PCA), or their sum.
    init : {"best", "ikd", "isomap", "pca"} or array-like, default="best"
        Starting point: inverse kernel decomposition, Isomap with 5 neighbors or principal
        components, of the square roots of counts or of the bits; the one of these with the highest
        bound after 20 iterations; or given points of shape (n_samples, n_components). All are
        scaled.
    max_iter, tol, verbose, random_state

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Posterior means of the latent points. The entry of largest magnitude of each column is
        positive.
    variances_
    latent_covariances_ : ndarray of shape (n_samples, n_components, n_components)
        Posterior covariances: `variances_` on the diagonals.
    relevance_ : ndarray of shape (n_components,)
        Share of the variance of the fitted rates or probabilities for which each column is needed:
        their mean squared change where the column is replaced by its mean.
    deviation_map_ : ndarray of shape (1600, 3)
        Both coordinates of a grid around a two-dimensional embedding, and the root mean square over
        features of the latent value's standard deviation there. Without rows for other dimensions.
    inducing_inputs_
    kernel_ : KernelParams
        Parameters of the kernel of the latent values: ``variance`` and ``weights`` of the SE part,
        weights ``linear`` of the linear part.
    offset_ : ndarray of shape (n_features,)
        Prior mean of each feature's latent values, from the mean of its observations.
    exposure_ : ndarray of shape (n_samples,) or None
        Factors of the rates of the training rows.
    bound_ : float
        The bound of log p(Y) at the end, in nats.
    bound_history_, converged_, n_iter_

    Raises
    ------
    ValueError
        If an observation is impossible, if a row or a feature has no observed value, if the
        starting point has another shape, or if the exposure is of bits, has another shape or is not
        positive.

    Warns
    -----
    ConvergenceWarning
        If the fit stopped before `tol` was reached.

    Notes
    -----
    The bound is that of Hensman et al. (2015), for latent points with a posterior. Expectations
    over latent values are in closed form for counts, and by a Gauss-Hermite rule for bits. Those
    over a latent point are means over 2 n_components points, exact for polynomials up to degree 3;
    the error is small where posteriors are narrow compared with the length scales.

    An iteration takes O(n_samples n_components n_features n_inducing²) time, a few times over, and
    memory for about ten arrays of n_samples × 2 n_components × n_features numbers.

    NaN entries are missing: the bound is over observed entries, and the search starts from low-rank
    estimates of the others. The study ``counts`` compares this model with IKD and GPLVM on the
    square roots of counts.

    Where the data tell little, as few bits of dark images do, the posterior of the latent points
    may stay at their prior: `variances_` are then about 1, and PCA or t-SNE show more.

    A new point is the most probable one given its row, with the fitted distribution of the
    inducing values held fixed. ``inverse_transform`` (at the mean exposure) and ``predict`` return
    expected counts or probabilities, and their standard deviations include the noise.
    ``score_samples`` returns log probabilities.

    References
    ----------
    J. Hensman, A. Matthews and Z. Ghahramani, "Scalable variational Gaussian process
    classification", AISTATS 2015. M. Opper and C. Archambeau, "The variational Gaussian
    approximation revisited", Neural Computation 21, 2009. A. Wu, N. Roy, S. Keeley and J. Pillow,
    "Gaussian process based nonlinear latent structure discovery in multivariate spike train data",
    NeurIPS 2017: the same model of counts, with a prior over time.

    Examples
    --------
    Counts of 40 neurons along a line:

    >>> position = np.linspace(-1, 1, 80)
    >>> rng = np.random.default_rng(0)
    >>> rates = 4 * np.exp(-10 * (position[:, np.newaxis] - rng.uniform(-1, 1, 40)) ** 2)
    >>> model = DiscreteGPLVM(1, n_inducing=8, random_state=0).fit(rng.poisson(rates))
    >>> bool(abs(np.corrcoef(model.embedding_[:, 0], position)[0, 1]) > 0.95)
    True
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "likelihood": [StrOptions(set(LIKELIHOODS))],
        "exposure": [StrOptions({"total"}), "array-like", None],
        "n_inducing": [Interval(Integral, 1, None, closed="left")],
        "kernel": [StrOptions({"se", "linear", "se+linear"})],
        "init": [StrOptions({"best", "ikd", "isomap", "pca"}), "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        likelihood: str = "poisson",
        exposure: str | ArrayLike | None = None,
        n_inducing: int = 30,
        kernel: str = "se",
        init: str | ArrayLike = "best",
        max_iter: int = 500,
        tol: float = 1e-6,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.likelihood = likelihood
        self.exposure = exposure
        self.n_inducing = n_inducing
        self.kernel = kernel
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    def _fit(self, data: NDArray) -> None:
        likelihood = LIKELIHOODS[self.likelihood]()
        likelihood.check(data)
        self._exposure = self._make_exposure(data)
        self.exposure_ = None if self._exposure is None else self._exposure.training
        n_inducing = min(self.n_inducing, len(data))
        selected = check_random_state(self.random_state).permutation(len(data))[:n_inducing]

        # Starting points from observations of about equal variance; the best after some iterations
        comparable = data if self.exposure_ is None else data / self.exposure_[:, None]
        starts = self._starts(observe(likelihood.stabilized(comparable)).filled())
        label = "GPLVM of counts and bits" if self.verbose else ""
        best = None
        for X in starts:
            bound = DiscreteBound(likelihood, data, n_inducing, self.n_components, self.exposure_)
            variables, limits = self._variables(bound, X, X[selected])
            search = partial(maximize, bound, bounds=limits, tol=self.tol, label=label)
            steps = min(TRIAL_ITER, self.max_iter) if len(starts) > 1 else self.max_iter
            ascent = search(variables, max_iter=steps)
            if best is None or ascent.history[-1] > best[2].history[-1]:
                best = bound, search, ascent
        assert best is not None  # there is at least one start
        bound, search, ascent = best
        n_remaining = self.max_iter - len(ascent.history) + 1
        if not ascent.converged and n_remaining:
            last = search(ascent.x, max_iter=n_remaining)
            last.history = [*ascent.history, *last.history[1:]]
            ascent = last

        self._store_solution(bound, ascent)
        eye, features = np.eye(self.n_components), self._features(bound)
        self._store_model(
            data, features, (np.zeros(len(eye)), eye), self.variances_[:, :, None] * eye
        )
        self.deviation_map_ = deviation_map(features, self.embedding_)
        warn_collapsed(self.variances_)
        if not self.converged_:
            warn_unconverged(ascent, self.max_iter)

    def _make_exposure(self, data: NDArray) -> Totals | Stated | None:
        """Return the exposures of rows."""
        if self.exposure is None:
            return None
        if self.likelihood != "poisson":
            raise ValueError("exposure is for counts: leave it out, or set likelihood='poisson'")
        return Totals(data) if isinstance(self.exposure, str) else Stated(data, self.exposure)

    def _starts(self, data: NDArray) -> list[NDArray]:
        """Return starting points of unit mean square."""
        principal = standard_scores(reduced_columns(data)[0], self.n_components)
        if not isinstance(self.init, str):
            init: NDArray = check_array(self.init, dtype=np.float64)
            if init.shape != principal.shape:
                raise ValueError(f"init must have shape {principal.shape}, got {init.shape}")
            return [_scaled(init, principal)]
        if not principal.any():  # all rows are equal
            return [principal]
        names = ("ikd", "isomap", "pca") if self.init == "best" else (self.init,)
        return [_scaled(self._embed(data, name, principal), principal) for name in names]

    def _embed(self, data: NDArray, name: str, principal: NDArray) -> NDArray:
        """Return the embedding of the given name."""
        if name == "pca":
            return principal
        if name == "isomap":
            return isomap_embedding(data, self.n_components)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a start may fit badly
            embedding: NDArray = IKD(self.n_components).fit_transform(data)
        return embedding

    def _variables(self, bound: DiscreteBound, X: NDArray, Z: NDArray) -> tuple[NDArray, NDArray]:
        """Return starting values and bounds of all variables."""
        q = self.n_components
        logs = KernelParams(1.0, np.ones(q), np.full(q, 0.25), 1.0).pack()
        limits = np.tile(LOG_KERNEL, (len(logs), 1))
        # Parameters that the kernel does not have
        absent = [1]
        if "linear" not in self.kernel:
            absent += range(2 + q, 2 + 2 * q)
        logs[absent] = limits[absent] = OFF
        if "se" not in self.kernel:
            logs[0] = limits[0] = np.log(NO_SE_VARIANCE)
        start = bound.join(X, np.full_like(X, np.log(START_VARIANCE)), Z, logs)
        free = np.full((len(start) - len(logs), 2), [-np.inf, np.inf])
        free[X.size : 2 * X.size] = LOG_VARIANCE
        return start, np.concatenate([free, limits])

    def _store_solution(self, bound: DiscreteBound, ascent: Ascent) -> None:
        """Store the fitted attributes, with deterministic signs."""
        means, log_variances, Z, logs = bound.split(ascent.x)
        # The kernel does not change if an axis is flipped in both
        signs = latent_signs(means)
        self.embedding_, self.inducing_inputs_ = means * signs, Z * signs
        self.variances_ = np.exp(log_variances)
        self.kernel_ = KernelParams.unpack(logs)
        self.offset_ = bound.variational.offset
        self.bound_history_ = np.array(ascent.history)
        self.bound_ = ascent.history[-1]
        self.converged_ = ascent.converged
        self.n_iter_ = len(ascent.history) - 1

    def _features(self, bound: DiscreteBound) -> DiscreteFeatures:
        """Return the distribution of the features at the solution."""
        covariance = OffsetCovariance(self.kernel_, self.inducing_inputs_)
        points = bound.points(self.embedding_, np.sqrt(self.variances_))
        root, posterior, state = bound.posterior(covariance, points)[:3]
        i, j = np.triu_indices(len(root))
        reduction = (np.eye(len(root)) - state.covariances)[:, i, j]
        return DiscreteFeatures(
            bound.variational.likelihood,
            covariance,
            root,
            posterior.means.T,
            reduction,
            mean=self.offset_,
            exposure=self._exposure,
        )

    def predict(self, X: ArrayLike, return_std: bool = False) -> NDArray | tuple[NDArray, NDArray]:
        """Return the rows as the model expects them at their latent points and exposures.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            Observations; NaN entries are missing.
        return_std : bool, default=False
            Whether to return the standard deviations of the observations as well.

        Returns
        -------
        means, deviations : ndarray of shape (n_points, n_features)
            Expected counts or probabilities of bits. The deviations, only if `return_std` is true,
            include the uncertainty of the latent points, to first order.
        """
        data = self._check(X)
        if self._exposure is None:
            return super().predict(X, return_std)
        factors = self._exposure(data)[:, None]
        if not return_std:
            return factors * super().predict(X)
        # At exposure 1 the variance is the rate's and, as of any Poisson count, its mean
        rates, deviations = super().predict(X, return_std=True)
        variances = factors * rates + np.square(factors) * (np.square(deviations) - rates)
        return factors * rates, np.sqrt(variances)

    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray:
        """Draw independent observations: latent points, latent values, then counts or bits.

        Parameters
        ----------
        n_samples : int, default=1
            Number of observations.
        random_state : int, RandomState instance or None, default=None
            Source of the random numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Counts or bits.
        """
        check_is_fitted(self)
        rng, features = check_random_state(random_state), self._posterior.features
        assert isinstance(features, DiscreteFeatures)
        points = rng.standard_normal((n_samples, self._n_features_out))
        means, variances = features.latent(points)
        f = means + np.sqrt(variances) * rng.standard_normal(means.shape)
        return features.likelihood.draw(f, rng)

    def __sklearn_tags__(self) -> Tags:
        # Counts and bits are not negative
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def _scaled(points: NDArray, principal: NDArray) -> NDArray:
    """Return points centered, with unit mean square, and without constant columns."""
    points = points - points.mean(axis=0)
    scale = np.sqrt(np.square(points).mean()) or 1.0
    # The gradient of a constant column is 0
    flat = np.ptp(points, axis=0) <= 1e-10 * scale
    return np.where(flat, 0.1 * principal, points / scale)
