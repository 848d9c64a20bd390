"""Bayesian GPLVM: latent variables with a posterior of their own."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from nldr.methods.gp._inducing import (
    Ascent,
    collapsed_bound,
    maximize,
    reduced_columns,
    standard_scores,
    unwhiten,
    warn_unconverged,
    whiten,
)
from nldr.methods.gp._lolagp_bound import KernelParams, inducing_gradient, inducing_root
from nldr.methods.gp._psi_statistics import PsiStatistics

LOG_KERNEL, LOG_SPREAD, LOG_PRECISION = (-16.0, 8.0), (-14.0, 2.0), (-5.0, 12.0)
OFF = -800.0  # logarithm of a parameter that is no part of the kernel


class BayesianGPLVM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Gaussian-process latent variables, with a Gaussian posterior of each.

    Maximizes the bound of Titsias & Lawrence over the means and variances of the latent
    variables, the inducing inputs, the kernel's parameters and the precision β of the noise. The
    prior of the latent variables is standard normal: dimensions that the data do not need have
    posteriors like the prior, and small ``ard_weights_``.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    n_inducing : int, default=50
        Number of inducing points; all points where there are fewer.
    kernel : {"se", "se+linear+white"}, default="se+linear+white"
        The kernel: SE with a weight an axis, or Eq. 20 of Watanabe et al.
    max_iter : int, default=3000
        Greatest number of iterations of L-BFGS-B.
    tol : float, default=1e-6
        Ends when an iteration raises the bound by less than this share of it.
    verbose : bool, default=False
        Print the progress of long fits.
    random_state : int, RandomState instance or None, default=None
        Picks the means at which inducing inputs start.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Posterior means. Of each column the entry of largest magnitude is positive.
    variances_ : ndarray of shape (n_samples, n_components)
        Posterior variances.
    inducing_inputs_ : ndarray of shape (n_inducing, n_components)
        Inducing inputs.
    kernel_ : KernelParams
        ``variance``, ``weights``, ``linear`` and ``white``, the data in units of their scale.
    ard_weights_ : ndarray of shape (n_components,)
        Weights of the SE part.
    noise_precision_ : float
        β.
    bound_ : float
        The bound at the end.
    bound_history_ : ndarray of shape (n_iter_ + 1,)
        The bound at the start and after each iteration.
    converged_ : bool
        Whether the fit ended by `tol`.
    n_iter_ : int
        Number of iterations.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Warns
    -----
    ConvergenceWarning
        If the fit ended by `max_iter`.

    Notes
    -----
    Observations are centered and divided by one number; means start from their principal
    components with unit variance, variances from 0.1.

    The expectations of products of SE and linear part are exact in any number of dimensions. In
    GPy 1.15, with which the rows "Bayesian GP-LVM" of Watanabe et al. were made, they are so in
    one dimension only.

    An evaluation takes O(n_samples n_inducing² + n_samples n_inducing rank) time, and memory for
    n_samples × n_inducing² / 2 numbers.

    References
    ----------
    M. Titsias & N. Lawrence, *Bayesian Gaussian Process Latent Variable Model*, AISTATS 2010.

    Examples
    --------
    A closed curve in ten dimensions:

    >>> angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    >>> rng = np.random.default_rng(0)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)]) @ rng.normal(size=(2, 10))
    >>> noisy = circle + 0.1 * rng.normal(size=circle.shape)
    >>> model = BayesianGPLVM(n_inducing=15, random_state=0).fit(noisy)
    >>> radius = np.linalg.norm(model.embedding_, axis=1)
    >>> bool(radius.min() > 0.4 * radius.max())
    True
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_inducing": [Interval(Integral, 1, None, closed="left")],
        "kernel": [StrOptions({"se", "se+linear+white"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_inducing: int = 50,
        kernel: str = "se+linear+white",
        max_iter: int = 3000,
        tol: float = 1e-6,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_inducing = n_inducing
        self.kernel = kernel
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> BayesianGPLVM:
        """Embed the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations.
        y : None
            Not used.

        Returns
        -------
        BayesianGPLVM
            The fitted estimator.
        """
        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        columns, _ = reduced_columns(data)
        means = standard_scores(columns, self.n_components)
        n_inducing = min(self.n_inducing, len(data))
        picked = check_random_state(self.random_state).permutation(len(data))[:n_inducing]
        bound = BayesianBound(columns, data.shape[1], n_inducing, self.n_components)
        start, limits = self._start(bound, means, means[picked])
        ascent = maximize(
            bound, start, bounds=limits, max_iter=self.max_iter, tol=self.tol,
            label="Bayesian GPLVM" if self.verbose else "",
        )  # fmt: skip
        self._keep(bound, ascent)
        if not self.converged_:
            warn_unconverged(ascent, self.max_iter)
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Embed the rows of `X` and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations.
        y : None
            Not used.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The embedding.
        """
        return self.fit(X).embedding_

    def _start(self, bound: BayesianBound, means: NDArray, Z: NDArray) -> tuple[NDArray, NDArray]:
        """Return all variables at the start, and their limits."""
        q = self.n_components
        free = np.full((means.size + Z.size, 2), [-np.inf, np.inf])
        limits = np.tile(LOG_KERNEL, (2 + 2 * q, 1))
        logs = KernelParams(0.5, np.ones(q), np.full(q, 0.25), 1e-4).pack()
        if self.kernel == "se":
            logs[[1, *range(2 + q, 2 + 2 * q)]] = OFF
            limits[[1, *range(2 + q, 2 + 2 * q)]] = OFF
        start = bound.join(means, np.full_like(means, np.log(0.1)), Z, logs, np.log(10.0))
        spread = np.tile(LOG_SPREAD, (means.size, 1))
        cut = means.size
        return start, np.concatenate([free[:cut], spread, free[cut:], limits, [LOG_PRECISION]])

    def _keep(self, bound: BayesianBound, ascent: Ascent) -> None:
        """Store what was found, with fixed signs."""
        means, log_variances, Z, logs, log_beta = bound.split(ascent.x)
        tops = means[np.abs(means).argmax(axis=0), np.arange(means.shape[1])]
        signs = np.where(tops < 0, -1.0, 1.0)
        self.embedding_, self.inducing_inputs_ = means * signs, Z * signs
        self.variances_ = np.exp(log_variances)
        self.kernel_ = KernelParams.unpack(logs)
        self.ard_weights_ = self.kernel_.weights
        self.noise_precision_ = float(np.exp(log_beta))
        self.bound_history_ = np.array(ascent.history)
        self.bound_ = ascent.history[-1]
        self.converged_ = ascent.converged
        self.n_iter_ = len(ascent.history) - 1

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


class BayesianBound:
    """The bound as a function of means, log variances, Z, packed kernel parameters and log β.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_columns)
        Observations, or any columns with the same YYᵀ.
    n_targets : int
        Number of columns before reduction.
    n_inducing, n_components : int
        Number of inducing points and of latent dimensions.
    """

    def __init__(self, Y: NDArray, n_targets: int, n_inducing: int, n_components: int) -> None:
        self.Y, self.n_targets = Y, n_targets
        self.squares = float(np.square(Y).sum())
        self.n_inducing, self.n_components = n_inducing, n_components

    def split(self, x: NDArray) -> tuple[NDArray, NDArray, NDArray, NDArray, float]:
        """Return views on means, log variances, Z, packed parameters, and log β."""
        n, m, q = len(self.Y), self.n_inducing, self.n_components
        a, b, c = n * q, 2 * n * q, (2 * n + m) * q
        return (x[:a].reshape(n, q), x[a:b].reshape(n, q), x[b:c].reshape(m, q), x[c:-1],
                float(x[-1]))  # fmt: skip

    def join(
        self, means: NDArray, log_variances: NDArray, Z: NDArray, logs: NDArray, log_beta: float
    ) -> NDArray:
        """Return one vector."""
        places = [means.ravel(), log_variances.ravel(), Z.ravel()]
        return np.concatenate([*places, logs, [log_beta]])

    def __call__(self, x: NDArray) -> tuple[float, NDArray]:
        """Return the bound and its gradient."""
        means, log_variances, Z, logs, log_beta = self.split(x)
        variances, params, beta = np.exp(log_variances), KernelParams.unpack(logs), np.exp(log_beta)
        psi = PsiStatistics(means, variances, Z, params)
        root, se = inducing_root(Z, params)
        bound = collapsed_bound(
            psi.psi0, whiten(root, psi.psi1.T @ self.Y), whiten(root, whiten(root, psi.psi2).T),
            float(beta), n_samples=len(means), n_targets=self.n_targets, squares=self.squares,
        )  # fmt: skip
        by_psi1 = self.Y @ unwhiten(root, bound.cross).T
        by_psi2 = unwhiten(root, unwhiten(root, bound.gram).T)
        parts = psi.gradient(bound.trace, by_psi1, by_psi2)
        by_logs = parts.logs.copy()
        by_Z = parts.inducing + inducing_gradient(Z, params, se, root, bound.inducing, by_logs)
        divergence = 0.5 * (np.square(means) + variances - log_variances - 1.0).sum()
        gradient = self.join(
            parts.means - means, (parts.variances - 0.5) * variances + 0.5, by_Z, by_logs,
            beta * bound.precision,
        )  # fmt: skip
        return bound.value - float(divergence), gradient
