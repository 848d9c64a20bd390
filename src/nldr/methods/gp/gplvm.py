"""Gaussian-process latent variable model with the exact likelihood."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, blas, lapack, svd
from scipy.optimize import OptimizeResult, minimize
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, validate_data

from nldr.kernels import Kernel, SquaredExponential
from nldr.methods.gp._kernels import NAMED, GPKernel, Stationary, Sum, White
from nldr.methods.gp._progress import Progress
from nldr.methods.ikd.start import geodesic_embedding, isomap_embedding

FAILED = 10.0  # nats per entry by which a matrix that cannot be factorized is worse than the last


class GPLVM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Gaussian-process latent variable model.

    The features, centered, are independent draws of one Gaussian process over the latent, plus
    noise. Latent points and parameters of the kernel maximize their likelihood

    .. math:: \log p(Y|X) = -\tfrac{D}{2} \log|2\pi K| - \tfrac12 \mathrm{tr}(K^{-1} Y Y^T)

    by L-BFGS-B, or the posterior density with a standard normal prior on the latent. What is
    reached depends on the start: the likelihood has many local maxima.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the latent.
    kernel : str, Kernel or GPKernel, default="squared_exponential"
        Name or names in :data:`nldr.methods.gp._kernels.NAMED`, joined by ``+``: among them
        squared_exponential, rational_quadratic, gamma_exponential, ornstein_uhlenbeck, matern,
        matern_5_2 and linear. Or an object of :mod:`nldr.kernels`, or of
        :mod:`nldr.methods.gp._kernels`, whose parameters are then the start of the search. White
        noise is added where there is none.
    ard : bool, default=False
        Whether each latent dimension has a length scale, or weight, of its own. Without a prior
        they only rescale the latent.
    init : {"ikd", "isomap", "pca"} or array-like of shape (n_samples, n_components), default="ikd"
        Where the search starts: inverse kernel decomposition with the first stationary kernel (or
        the squared exponential one), Isomap of 5 neighbors scaled to unit variance, principal
        components of unit variance each, or these points as they are.
    prior : {"gaussian"}, default=None
        Standard normal prior on each latent point.
    max_iter : int, default=1000
        Most steps.
    tol : float, default=1e-6
        Gain in the log density per entry of the data, in nats (relative, where that density
        exceeds one nat in magnitude), at which the steps end. With None only `max_iter` ends them,
        or rounding errors, and that is no warning.
    verbose : bool, default=False
        Print the progress of long fits.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The latent points. Of each column the entry of largest magnitude is positive.
    log_likelihood_ : float
        log p(Y|X) of the centered data, in nats.
    kernel_ : GPKernel
        The kernel with its fitted parameters, in units of the data; ``kernel_.parts`` are the
        terms, each with its ``params``.
    length_scale_ : ndarray of shape (n_components,) or None
        Length scales of the first stationary term.
    noise_variance_ : float
        Variance of the white noise, in squared units of the data.
    history_ : ndarray of shape (n_iter_ + 1,)
        Log density (log likelihood, plus log prior where there is one) at the start and after
        each step.
    n_iter_ : int
        Steps made.
    n_evaluations_ : int
        Evaluations of the density and its gradient.
    converged_ : bool
        Whether the steps ended because one gained less than `tol`.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Warns
    -----
    ConvergenceWarning
        If `tol` was not reached.

    Notes
    -----
    Time O(n_samples² (n_samples + min(n_samples, n_features))) for each evaluation, which takes
    one Cholesky factor and one inverse, and memory for about three n_samples × n_samples matrices:
    2000 points take minutes, 10000 are out of reach. Variances are kept between 1e-6 and 1e3 times
    that of the data.

    References
    ----------
    N. Lawrence, "Probabilistic non-linear principal component analysis with Gaussian process
    latent variable models", JMLR 6, 2005. K. Watanabe et al., "Summarizing Data Structures with
    Gaussian Process and Robust Neighborhood Preservation", Eqs. 1 to 3.

    Examples
    --------
    A circle seen through random waves comes back:

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

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> GPLVM:
        """Embed the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, at least two rows and two features.
        y : None
            Not used.

        Returns
        -------
        GPLVM
            The fitted estimator.

        Raises
        ------
        ValueError
            If all rows are equal, `n_components` is more than rows or features, or the kernel or
            the start cannot be used.
        """
        data: NDArray = validate_data(
            self, X, dtype=np.float64, ensure_min_samples=2, ensure_min_features=2
        )
        if self.n_components > min(data.shape):
            raise ValueError(
                f"n_components={self.n_components} is too high for {data.shape[0]} samples of "
                f"{data.shape[1]} features: at most the lower of both"
            )
        centered = data - data.mean(axis=0)
        unit = np.square(centered).mean()
        if unit <= np.finfo(float).eps * np.square(data).mean():
            raise ValueError("all rows of X are equal: no latent can be told from them")
        left, singular, _ = svd(centered / np.sqrt(unit), full_matrices=False)
        kernel = self._kernel(unit)
        start = self._start(data, kernel, np.sqrt(len(data)) * left[:, : self.n_components])
        self._search(left * singular, data.shape[1], kernel, start, unit)
        self.noise_variance_ = float(sum(_white(self.kernel_)))
        scales = [part.length_scale for part in self.kernel_.parts if isinstance(part, Stationary)]
        self.length_scale_ = np.full(self.n_components, scales[0]) if scales else None
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Embed the rows of `X` and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, as for `fit`.
        y : None
            Not used.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The embedding.
        """
        return self.fit(X).embedding_

    def _kernel(self, unit: float) -> GPKernel:
        """Return the kernel the search starts with, for data divided by √unit."""
        if isinstance(self.kernel, str):
            names = [name.strip() for name in self.kernel.split("+")]
            unknown = [name for name in names if name not in NAMED]
            if unknown:
                raise ValueError(
                    f"kernel={self.kernel!r}: there is no {unknown[0]!r}, there are "
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
        """Return the latent points the search starts with."""
        if not isinstance(self.init, str):
            given: NDArray = check_array(self.init, dtype=np.float64)
            if given.shape != principal.shape:
                raise ValueError(f"init has shape {given.shape}, not {principal.shape}")
            return given
        if self.init == "pca":
            return principal
        if self.init == "ikd":
            shapes = (part.shape for part in kernel.parts if isinstance(part, Stationary))
            kernel_shape = next(shapes, SquaredExponential())
            points = geodesic_embedding(data, self.n_components, kernel_shape)
        else:
            points = isomap_embedding(data, self.n_components)
            points /= points.std()
        flat = np.ptp(points, axis=0) == 0  # where the gradient would be zero for ever
        return np.where(flat, 0.1 * principal, points)

    def _search(
        self, Y: NDArray, n_features: int, kernel: GPKernel, start: NDArray, unit: float
    ) -> None:
        """Raise the density from the start and store where that ends."""
        n_entries, size = len(Y) * n_features, start.size
        losses: list[float] = []
        history: list[float] = []
        offset = n_entries * np.log(unit) / 2  # Y is the data divided by √unit
        progress = Progress("GPLVM" if self.verbose else "", "log density")

        def loss(x: NDArray) -> tuple[float, NDArray]:
            X = x[:size].reshape(start.shape)
            try:
                found = log_likelihood(kernel.with_log_params(x[size:]), X, Y, n_features)
            except LinAlgError:
                if not losses:
                    raise ValueError(
                        "the covariance matrix of the start is singular: scale init, or raise "
                        "the kernel's noise"
                    ) from None
                return losses[-1] + FAILED, np.zeros_like(x)
            value, by_points, by_params = found
            if self.prior is not None:
                value += log_prior(X)
                by_points = by_points - X
            losses.append(-value / n_entries)
            return losses[-1], -np.concatenate([by_points.ravel(), by_params]) / n_entries

        def note(intermediate_result: OptimizeResult) -> None:
            history.append(intermediate_result.fun)
            progress.tell(len(history), -n_entries * history[-1] - offset)

        result = minimize(
            loss,
            np.concatenate([start.ravel(), kernel.log_params()]),
            jac=True,
            method="L-BFGS-B",
            bounds=[(None, None)] * size + kernel.bounds().tolist(),
            callback=note,
            options={"maxiter": self.max_iter, "maxfun": 10**9, "ftol": self.tol or 0, "gtol": 0},
        )
        self.history_ = -n_entries * np.array([losses[0], *history]) - offset
        self.n_iter_, self.n_evaluations_ = int(result.nit), int(result.nfev)
        self.converged_ = result.status == 0
        X = result.x[:size].reshape(start.shape)
        self.kernel_ = kernel.with_log_params(result.x[size:]).times(unit)
        prior = 0.0 if self.prior is None else log_prior(X)
        self.log_likelihood_ = float(self.history_[-1] - prior)
        tops = X[np.abs(X).argmax(axis=0), np.arange(X.shape[1])]
        self.embedding_ = np.where(tops < 0, -X, X)
        if not self.converged_ and self.tol is not None:
            warnings.warn(
                f"the search ended after {self.n_iter_} steps ({result.message.strip()}), and none "
                f"gained less than {self.tol:g} nats per entry of X: raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=4,
            )

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


def log_likelihood(
    kernel: GPKernel, X: NDArray, Y: NDArray, n_features: int
) -> tuple[float, NDArray, NDArray]:
    """Return log p(Y|X) of Eq. 2 and its gradient, from one Cholesky factor and one inverse.

    Parameters
    ----------
    kernel : GPKernel
        Covariance of the observations, noise included.
    X : ndarray of shape (n_samples, n_components)
        Latent points.
    Y : ndarray of shape (n_samples, n_columns)
        Any matrix of the same Y Yᵀ as the observations.
    n_features : int
        Number of features D of the observations.

    Returns
    -------
    value : float
        The log likelihood.
    by_points : ndarray of shape (n_samples, n_components)
        Gradient with respect to `X`.
    by_params : ndarray of shape (n_params,)
        Gradient with respect to the logarithms of the kernel's parameters.

    Raises
    ------
    LinAlgError
        If the covariance matrix is not positive definite.

    Examples
    --------
    One standard normal value of two features, both observed as 1:

    >>> value, _, _ = log_likelihood(White(), np.zeros((1, 1)), np.array([[np.sqrt(2)]]), 2)
    >>> float(round(value + np.log(2 * np.pi), 6))
    -1.0
    """
    n_samples = len(X)
    K = np.zeros((n_samples, n_samples))
    pullback = kernel.add_to(K, X)
    factor, failed = lapack.dpotrf(K.T, lower=True, clean=True, overwrite_a=True)
    if failed:
        raise LinAlgError("the covariance matrix is not positive definite")
    solved, _ = lapack.dpotrs(factor, Y, lower=True)
    log_det = 2 * np.log(np.diag(factor)).sum() + n_samples * np.log(2 * np.pi)
    value = -(n_features * log_det + np.vdot(Y, solved)) / 2
    inverse, _ = lapack.dpotri(factor, lower=True, overwrite_c=True)
    half = blas.dsyrk(
        0.5, solved, beta=-n_features / 2, c=inverse, lower=True, overwrite_c=True
    )  # a triangle of dL/dK
    half[np.diag_indices(n_samples)] /= 2
    return float(value), *pullback(half.T)


def log_prior(X: NDArray) -> float:
    """Return the log density of independent standard normal entries.

    Examples
    --------
    >>> float(round(log_prior(np.zeros((1, 2))) + np.log(2 * np.pi), 6))
    0.0
    """
    return float(-(np.square(X).sum() + X.size * np.log(2 * np.pi)) / 2)


def _white(kernel: GPKernel) -> list[float]:
    """Return the variances of the white noise in a kernel."""
    return [part.variance for part in kernel.parts if isinstance(part, White)]
