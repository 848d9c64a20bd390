"""Gaussian-process latent variable model with the exact likelihood."""

from __future__ import annotations

import warnings
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, svd
from scipy.optimize import OptimizeResult, minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array

from nldr.kernels import Kernel, SquaredExponential
from nldr.methods._base import fix_signs
from nldr.methods._docs import inherit_docs
from nldr.methods.gp._progress import Progress
from nldr.methods.gp.exact._likelihood import (
    exact_features,
    log_likelihood,
    log_prior,
    masked_likelihood,
)
from nldr.methods.gp.features._gaussian import Features
from nldr.methods.gp.features._latent import LatentVariableModel
from nldr.methods.gp.kernels import NAMED, GPKernel, Stationary, Sum, White
from nldr.methods.gp.missing import Observations, observe
from nldr.methods.ikd.start import geodesic_embedding, isomap_embedding
from nldr.validation import Interval, StrOptions

FAILED = 10.0  # penalty for a failed Cholesky factorization, in nats per entry


@inherit_docs(LatentVariableModel)
class GPLVM(LatentVariableModel):
    r"""Gaussian-process latent variable model.

    The features, centered, are independent draws of one Gaussian process over the latent points,
    plus noise. L-BFGS-B maximizes the log likelihood

    .. math:: \log p(Y|X) = -\tfrac{D}{2} \log|2\pi K| - \tfrac12 \mathrm{tr}(K^{-1} Y Y^T)

    over the latent points and the kernel's parameters, or the log posterior with a standard normal
    prior of the latent points. The likelihood has many local maxima, so the result depends on the
    starting point.

    Parameters
    ----------
    n_components
    kernel : str, Kernel or GPKernel, default="squared_exponential"
        A name, or several names joined by ``+``, of squared_exponential, rational_quadratic,
        gamma_exponential, ornstein_uhlenbeck, matern, matern_5_2, linear and white. Or an object
        of :mod:`nldr.kernels` or :mod:`nldr.methods.gp.kernels`, whose parameters are the starting
        values. White noise is added if the kernel has none.
    ard : bool, default=False
        Whether each latent dimension has its own length scale or weight. Without a prior, these
        only rescale the latent space.
    init : {"ikd", "isomap", "pca"} or array-like of shape (n_samples, n_components), default="ikd"
        Starting point: inverse kernel decomposition with the first stationary kernel (squared
        exponential if there is none), Isomap with 5 neighbors scaled to unit variance, principal
        components each of unit variance, or the given points, unscaled.
    prior : {"gaussian"}, default=None
        Standard normal prior of each latent point.
    max_iter : int, default=1000
        Maximum number of iterations.
    tol : float, default=1e-6
        Gain in the log density of one iteration below which the fit stops, in nats per entry of the
        data (relative, if that density exceeds one nat in magnitude). If None, the fit stops at
        `max_iter` or at rounding errors, without a warning.
    verbose

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The latent points. The entry of largest magnitude of each column is positive.
    latent_covariances_, relevance_
    log_likelihood_ : float
        log p(Y|X) of the observed entries of the centered data, in nats.
    kernel_ : GPKernel
        The kernel with its fitted parameters, in units of the data; ``kernel_.parts`` are the
        terms, each with its ``params``.
    length_scale_ : ndarray of shape (n_components,) or None
        Length scales of the first stationary term, None if there is no such term.
    noise_variance_ : float
        Variance of the white noise, in squared units of the data.
    history_ : ndarray of shape (n_iter_ + 1,)
        Log density (log likelihood, plus log prior if there is one) at the start and after each
        iteration.
    n_iter_
    n_evaluations_ : int
        Number of evaluations of the density and its gradient.
    converged_

    Raises
    ------
    ValueError
        If all rows are equal, if a row or a feature has no observed value, if `n_components`
        exceeds the number of rows or features, or if the kernel or the starting point is invalid.

    Warns
    -----
    ConvergenceWarning
        If `tol` was not reached.

    Notes
    -----
    An evaluation takes O(n_samples² (n_samples + min(n_samples, n_features))) time, and memory for
    about three n_samples × n_samples matrices. Variances are kept between 1e-6 and 1e3 times that
    of the data.

    NaN entries are missing: the likelihood is that of the observed entries, with a factorization
    for each set of features that are observed in the same rows, and the search starts from a
    low-rank estimate of the others. :class:`nldr.methods.BayesianGPLVM` is faster.

    A new point is the most probable one given its row, with the fitted points and kernel held
    fixed. Its prior is the standard normal, or without `prior` the normal distribution with the
    mean and the covariance of the embedding. The same prior is used for densities and samples.

    References
    ----------
    N. Lawrence, "Probabilistic non-linear principal component analysis with Gaussian process
    latent variable models", JMLR 6, 2005. K. Watanabe et al., "Summarizing Data Structures with
    Gaussian Process and Robust Neighborhood Preservation", Eqs. 1 to 3.

    Examples
    --------
    Recover a circle from random waves of its coordinates:

    >>> angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> rng = np.random.default_rng(0)
    >>> waves, phases = rng.standard_normal((2, 200)), rng.uniform(0, 2 * np.pi, 200)
    >>> gplvm = GPLVM().fit(np.cos(circle @ waves + phases))
    >>> embedding = gplvm.embedding_ / gplvm.length_scale_
    >>> radius = np.linalg.norm(embedding - embedding.mean(axis=0), axis=1)
    >>> bool(np.allclose(radius, 1, atol=0.1)), gplvm.converged_
    (True, True)
    """

    _min_features = 2

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "kernel": [str, callable],
        "ard": ["boolean"],
        "init": [StrOptions({"ikd", "isomap", "pca"}), "array-like"],
        "prior": [StrOptions({"gaussian"}), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        kernel: str | Kernel | GPKernel = "squared_exponential",
        ard: bool = False,
        init: str | ArrayLike = "ikd",
        prior: str | None = None,
        max_iter: int = 1000,
        tol: float | None = 1e-6,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.ard = ard
        self.init = init
        self.prior = prior
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    def _fit(self, data: NDArray) -> None:
        if self.n_components > min(data.shape):
            raise ValueError(
                f"n_components={self.n_components} is too high for {data.shape[0]} samples and "
                f"{data.shape[1]} features: at most min(n_samples, n_features)"
            )

        # Center, and scale to unit variance
        observed = observe(data)
        unit = observed.scale**2 if observed.values.any() else 0.0
        if unit <= np.finfo(float).eps * np.nanmean(np.square(data)):
            raise ValueError("all rows of X are equal: they do not determine latent points")

        filled = observed.filled()
        centered = (filled - filled.mean(axis=0)) / observed.scale
        left, singular, _ = svd(centered, full_matrices=False)
        kernel = self._kernel(unit)
        start = self._start(filled, kernel, np.sqrt(len(data)) * left[:, : self.n_components])
        self._search(left * singular, observed, kernel, start)
        self._store_model(data, self._features(observed), self._latent_prior())

    def _kernel(self, unit: float) -> GPKernel:
        """Return the kernel at the start of the search, for data divided by √unit."""
        if isinstance(self.kernel, str):
            names = [name.strip() for name in self.kernel.split("+")]
            unknown = [name for name in names if name not in NAMED]
            if unknown:
                raise ValueError(
                    f"kernel={self.kernel!r} has an unknown term {unknown[0]!r}: use names of "
                    f"{', '.join(NAMED)}, joined by +"
                )
            kernel = Sum(tuple(NAMED[name]() for name in names))
        elif isinstance(self.kernel, GPKernel):
            kernel = Sum(self.kernel.parts).times(1 / unit)
        else:
            kernel = Sum((Stationary(self.kernel),))
        if not _white(kernel):
            kernel = Sum((*kernel.parts, NAMED["white"]()))
        return kernel.with_relevances(self.n_components) if self.ard else kernel

    def _start(self, data: NDArray, kernel: GPKernel, principal: NDArray) -> NDArray:
        """Return the latent points at the start of the search."""
        if not isinstance(self.init, str):
            init: NDArray = check_array(self.init, dtype=np.float64)
            if init.shape != principal.shape:
                raise ValueError(f"init must have shape {principal.shape}, got {init.shape}")
            return init
        if self.init == "pca":
            return principal
        if self.init == "ikd":
            shapes = (part.shape for part in kernel.parts if isinstance(part, Stationary))
            kernel_shape = next(shapes, SquaredExponential())
            points = geodesic_embedding(data, self.n_components, kernel_shape)
        else:
            points = isomap_embedding(data, self.n_components)
            points /= points.std()
        flat = np.ptp(points, axis=0) == 0  # the gradient of a constant column stays zero
        return np.where(flat, 0.1 * principal, points)

    def _search(self, Y: NDArray, observed: Observations, kernel: GPKernel, start: NDArray) -> None:
        """Maximize the log density from the start, and store the result."""
        unit, n_features = observed.scale**2, observed.values.shape[1]
        n_entries, size = int(observed.is_observed.sum()), start.size
        losses: list[float] = []
        history: list[float] = []
        # Log density of Y, which is the data divided by √unit, minus that of the data
        offset = n_entries * np.log(unit) / 2
        progress = Progress("GPLVM" if self.verbose else "", "log density")

        def loss(x: NDArray) -> tuple[float, NDArray]:
            """Return the negative log density per entry, and its gradient."""
            X = x[:size].reshape(start.shape)
            try:
                now = kernel.with_log_params(x[size:])
                if observed.complete:
                    likelihood = log_likelihood(now, X, Y, n_features)
                else:
                    likelihood = masked_likelihood(now, X, observed.values, observed.is_observed)
            except LinAlgError:
                if not losses:
                    raise ValueError(
                        "the covariance matrix at the starting point is singular: rescale init, "
                        "or increase the kernel's noise"
                    ) from None
                # Penalty, so that the line search backtracks
                return losses[-1] + FAILED, np.zeros_like(x)
            # Log posterior: log likelihood (Eq. 2), plus log prior (Eq. 3)
            value, by_points, by_params = likelihood
            if self.prior is not None:
                value += log_prior(X)
                by_points = by_points - X
            losses.append(-value / n_entries)
            return losses[-1], -np.concatenate([by_points.ravel(), by_params]) / n_entries

        def record(intermediate_result: OptimizeResult) -> None:
            history.append(intermediate_result.fun)
            progress.report(len(history), -n_entries * history[-1] - offset)

        result = minimize(
            loss,
            np.concatenate([start.ravel(), kernel.log_params()]),
            jac=True,
            method="L-BFGS-B",
            bounds=[(None, None)] * size + kernel.bounds().tolist(),
            callback=record,
            options={"maxiter": self.max_iter, "maxfun": 10**9, "ftol": self.tol or 0, "gtol": 0},
        )
        self.history_ = -n_entries * np.array([losses[0], *history]) - offset
        self.n_iter_, self.n_evaluations_ = int(result.nit), int(result.nfev)
        self.converged_ = result.status == 0
        X = result.x[:size].reshape(start.shape)
        self._store_solution(X, kernel.with_log_params(result.x[size:]).times(unit))
        if not self.converged_ and self.tol is not None:
            warnings.warn(
                f"the fit stopped after {self.n_iter_} iterations ({result.message.strip()}) "
                f"before an iteration gained less than {self.tol:g} nats per entry of X: increase "
                "max_iter or tol",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _store_solution(self, X: NDArray, kernel: GPKernel) -> None:
        """Store the fitted attributes, with deterministic signs; the kernel is in data units."""
        self.kernel_ = kernel
        prior = 0.0 if self.prior is None else log_prior(X)
        self.log_likelihood_ = float(self.history_[-1] - prior)
        self.embedding_ = fix_signs(X.copy())
        self.noise_variance_ = float(sum(_white(self.kernel_)))
        scales = [part.length_scale for part in self.kernel_.parts if isinstance(part, Stationary)]
        self.length_scale_ = np.full(self.n_components, scales[0]) if scales else None

    def _latent_prior(self) -> tuple[NDArray, NDArray] | None:
        """Return mean and covariance of the latent points' prior, None if it has none."""
        q = self.n_components
        return None if self.prior is None else (np.zeros(q), np.eye(q))

    def _features(self, observed: Observations) -> Features:
        """Return the features' posterior given the fitted latent points."""
        kernel = Sum(self.kernel_.parts).times(1 / observed.scale**2)
        return exact_features(kernel, self.embedding_, observed)


def _white(kernel: GPKernel) -> list[float]:
    """Return the variances of the white-noise terms of a kernel."""
    return [part.variance for part in kernel.parts if isinstance(part, White)]
