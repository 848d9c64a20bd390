"""Bayesian Gaussian-process latent variable model: latent points with a Gaussian posterior."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from nldr.methods._docs import inherit_docs
from nldr.methods.gp.features._gaussian import Features, InducingCovariance
from nldr.methods.gp.features._latent import LatentVariableModel
from nldr.methods.gp.inducing._bound import (
    Ascent,
    collapsed_bound,
    latent_signs,
    maximize,
    reduced_columns,
    standard_scores,
    unwhiten,
    warn_collapsed,
    warn_unconverged,
    whiten,
)
from nldr.methods.gp.inducing._kernel import (
    KernelParams,
    inducing_gradient,
    inducing_root,
    initial_params,
)
from nldr.methods.gp.inducing._relevance import Column, collapse
from nldr.methods.gp.missing import Observations, observe
from nldr.methods.gp.variational._masked import Masks, inducing_features, masked_bound
from nldr.methods.gp.variational._psi_masked import PsiMasked
from nldr.methods.gp.variational._psi_statistics import PsiGradient, PsiStatistics
from nldr.validation import Interval, StrOptions

# Lower and upper bounds of the logarithms of kernel parameters, latent variances and β
LOG_KERNEL, LOG_VARIANCE, LOG_PRECISION = (-16.0, 8.0), (-14.0, 2.0), (-5.0, 12.0)
OFF = -800.0  # logarithm of a parameter that the kernel does not have; its exponential is 0


@inherit_docs(LatentVariableModel)
class BayesianGPLVM(LatentVariableModel):
    """Bayesian Gaussian-process latent variable model.

    Maximizes the variational bound of Titsias & Lawrence over the means and variances of the latent
    points, the inducing inputs, the kernel's parameters and the noise precision β. The prior of the
    latent points is standard normal. At the maximum, a dimension that the data do not need has a
    posterior like the prior, and its entry of ``ard_weights_`` is small.

    Parameters
    ----------
    n_components, n_inducing
    kernel : {"se", "se+linear+white"}, default="se+linear+white"
        The kernel: SE with one weight per dimension (ARD), or Eq. 20 of Watanabe et al., which adds
        a linear kernel and white noise.
    max_iter, tol, verbose, random_state

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Posterior means. The entry of largest magnitude of each column is positive.
    variances_
    latent_covariances_ : ndarray of shape (n_samples, n_components, n_components)
        Posterior covariances: `variances_` on the diagonals.
    relevance_, inducing_inputs_
    kernel_ : KernelParams
        Parameters of the kernel for standardized data: ``variance`` and ``weights`` of the SE part,
        weights ``linear`` of the linear part, and variance ``white`` of the noise.
    ard_weights_ : ndarray of shape (n_components,)
        Weights of the SE part.
    noise_precision_
    bound_ : float
        The bound at the end.
    bound_history_, converged_, n_iter_

    Warns
    -----
    ConvergenceWarning
        If the fit stopped before `tol` was reached.

    Notes
    -----
    Observations are standardized: centered, and divided by their root mean square, one number for
    all features. The means start from their principal components with unit variance, the
    variances from 0.1.

    NaN entries are missing: the bound is over observed entries, exactly, at the cost of n_features
    matrices of the size of the inducing points. The means then start from a low-rank estimate.

    A new point is the most probable one given its row, with the fitted distribution of the
    inducing values held fixed.

    A search may stop where a dimension that the data do not need follows a direction of the noise.
    Each dimension but the most relevant is therefore tried at the prior, with mean 0 and variance
    1, and kept there where the bound is then as high.

    The expectations of products of the SE and the linear part are exact in any number of
    dimensions; those of GPy 1.15 are exact in one dimension only.

    An evaluation of the bound takes O(n_samples n_inducing² + n_samples n_inducing rank) time, with
    the rank of the data, and memory for n_samples × n_inducing² / 2 numbers.

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

    def _fit(self, data: NDArray) -> None:
        # Observations with the same inner products, and principal components as starting means
        observed = observe(data)
        columns, _ = reduced_columns(observed.filled())
        means = standard_scores(columns, self.n_components)

        n_inducing = min(self.n_inducing, len(data))
        selected = check_random_state(self.random_state).permutation(len(data))[:n_inducing]
        if observed.complete:
            bound = BayesianBound(columns, data.shape[1], n_inducing, self.n_components)
        else:
            bound = MaskedBayesianBound(observed, n_inducing, self.n_components)
        start, limits = self._start(bound, means, means[selected])

        ascent = maximize(
            bound,
            start,
            bounds=limits,
            max_iter=self.max_iter,
            tol=self.tol,
            label="Bayesian GPLVM" if self.verbose else "",
        )
        ascent = collapse(
            bound,
            ascent,
            self._columns(bound, ascent.x),
            bounds=limits,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self._store_solution(bound, ascent)
        self._store_model(data, self._features(observed), *self._latent_prior())
        warn_collapsed(self.variances_)
        if not self.converged_:
            warn_unconverged(ascent, self.max_iter)

    def _start(self, bound: BayesianBound, means: NDArray, Z: NDArray) -> tuple[NDArray, NDArray]:
        """Return starting values and bounds of all variables."""
        q = self.n_components
        unbounded = np.full((means.size + Z.size, 2), [-np.inf, np.inf])
        limits = np.tile(LOG_KERNEL, (2 + 2 * q, 1))
        logs = initial_params(q).pack()
        # The kernel "se" has neither white noise nor linear weights
        if self.kernel == "se":
            absent = [1, *range(2 + q, 2 + 2 * q)]
            logs[absent] = OFF
            limits[absent] = OFF
        start = bound.join(means, np.full_like(means, np.log(0.1)), Z, logs, np.log(10.0))
        log_variances = np.tile(LOG_VARIANCE, (means.size, 1))
        cut = means.size
        return start, np.concatenate(
            [unbounded[:cut], log_variances, unbounded[cut:], limits, [LOG_PRECISION]]
        )

    def _columns(self, bound: BayesianBound, x: NDArray) -> list[Column]:
        """Return the variables of each column and their values at the prior.

        They are in the order of their variance in units of the length scales, without the last.
        """
        means, log_variances, Z, logs, _ = bound.split(np.arange(len(x)))
        q = self.n_components
        columns = []
        order = np.argsort(np.exp(x[logs[2 : 2 + q]]) * np.var(x[means], axis=0))
        for k in order[:-1]:
            indices = [means[:, k], log_variances[:, k], Z[:, k], logs[[2 + k, 2 + q + k]]]
            values = np.zeros(sum(map(len, indices)))
            values[-2:] = np.minimum(x[indices[-1]], LOG_KERNEL[0])  # absent weights stay absent
            columns.append((np.concatenate(indices), values))
        return columns

    def _store_solution(self, bound: BayesianBound, ascent: Ascent) -> None:
        """Store the fitted attributes, with deterministic signs."""
        means, log_variances, Z, logs, log_beta = bound.split(ascent.x)
        # The kernel does not change if an axis is flipped in the means and Z
        signs = latent_signs(means)
        self.embedding_, self.inducing_inputs_ = means * signs, Z * signs
        self.variances_ = np.exp(log_variances)
        self.kernel_ = KernelParams.unpack(logs)
        self.ard_weights_ = self.kernel_.weights
        self.noise_precision_ = float(np.exp(log_beta))
        self.bound_history_ = np.array(ascent.history)
        self.bound_ = ascent.history[-1]
        self.converged_ = ascent.converged
        self.n_iter_ = len(ascent.history) - 1

    def _latent_prior(self) -> tuple[tuple[NDArray, NDArray], NDArray]:
        """Return mean and covariance of the prior, and the training rows' covariances."""
        eye = np.eye(self.n_components)
        return (np.zeros(self.n_components), eye), self.variances_[:, :, None] * eye

    def _features(self, observed: Observations) -> Features:
        """Return the features' posterior, as the fit's optimal distribution of inducing values."""
        covariance = InducingCovariance(self.kernel_, self.inducing_inputs_, self.noise_precision_)
        masks = Masks(observed.values, observed.is_observed)
        psi = PsiMasked(
            self.embedding_, self.variances_, self.inducing_inputs_, self.kernel_, masks
        )
        root = inducing_root(self.inducing_inputs_, self.kernel_)[0]
        return inducing_features(covariance, root, psi.statistics, observed)


class BayesianBound:
    """The bound of Titsias & Lawrence as a function of all variables in one vector.

    The order is means, log variances, Z, packed kernel parameters, log β. `Y` is any matrix of
    n_samples rows with the YYᵀ of the observations, which have `n_targets` features.
    """

    def __init__(self, Y: NDArray, n_targets: int, n_inducing: int, n_components: int) -> None:
        self.Y, self.n_targets = Y, n_targets
        self.squares = float(np.square(Y).sum())
        self.n_inducing, self.n_components = n_inducing, n_components

    def split(self, x: NDArray) -> tuple[NDArray, NDArray, NDArray, NDArray, float]:
        """Return means, log variances, Z and packed parameters as views, and log β."""
        n, m, q = len(self.Y), self.n_inducing, self.n_components
        a, b, c = n * q, 2 * n * q, (2 * n + m) * q
        return (
            x[:a].reshape(n, q),
            x[a:b].reshape(n, q),
            x[b:c].reshape(m, q),
            x[c:-1],
            float(x[-1]),
        )

    def join(
        self, means: NDArray, log_variances: NDArray, Z: NDArray, logs: NDArray, log_beta: float
    ) -> NDArray:
        """Return all variables in one vector."""
        points = [means.ravel(), log_variances.ravel(), Z.ravel()]
        return np.concatenate([*points, logs, [log_beta]])

    def __call__(self, x: NDArray) -> tuple[float, NDArray]:
        """Return the bound and its gradient."""
        means, log_variances, Z, logs, log_beta = self.split(x)
        variances, params, beta = np.exp(log_variances), KernelParams.unpack(logs), np.exp(log_beta)

        # Data term, and its gradient through ψ₀, ψ₁ and ψ₂, and through K_MM
        root, se = inducing_root(Z, params)
        value, parts, inner, by_beta = self._data(means, variances, Z, params, root, float(beta))
        by_logs = parts.logs.copy()
        by_Z = parts.inducing + inducing_gradient(Z, params, se, root, inner, by_logs)

        # KL divergence of the posterior from the prior, ½ Σ (μ² + s − log s − 1), and its gradient
        divergence = 0.5 * (np.square(means) + variances - log_variances - 1.0).sum()
        gradient = self.join(
            parts.means - means,
            (parts.variances - 0.5) * variances + 0.5,
            by_Z,
            by_logs,
            beta * by_beta,
        )
        return value - float(divergence), gradient

    def _data(
        self,
        means: NDArray,
        variances: NDArray,
        Z: NDArray,
        params: KernelParams,
        root: NDArray,
        beta: float,
    ) -> tuple[float, PsiGradient, NDArray, float]:
        """Return the data term and its derivatives by the ψ statistics, K_MM and β.

        The one by K_MM is as for ``inducing_gradient``.
        """
        # The collapsed bound with VᵀY and VᵀV replaced by L⁻¹ψ₁ᵀY and L⁻¹ψ₂L⁻ᵀ
        psi = PsiStatistics(means, variances, Z, params)
        bound = collapsed_bound(
            psi.psi0,
            whiten(root, psi.psi1.T @ self.Y),
            whiten(root, whiten(root, psi.psi2).T),
            beta,
            n_samples=len(means),
            n_targets=self.n_targets,
            squares=self.squares,
        )
        by_psi1 = self.Y @ unwhiten(root, bound.cross).T
        by_psi2 = unwhiten(root, unwhiten(root, bound.gram).T)
        parts = psi.gradient(bound.trace, by_psi1, by_psi2)
        return bound.value, parts, bound.inducing, bound.precision


class MaskedBayesianBound(BayesianBound):
    """The bound over observed entries only."""

    def __init__(self, observed: Observations, n_inducing: int, n_components: int) -> None:
        super().__init__(observed.values, observed.values.shape[1], n_inducing, n_components)
        self.masks = Masks(observed.values, observed.is_observed)

    def _data(
        self,
        means: NDArray,
        variances: NDArray,
        Z: NDArray,
        params: KernelParams,
        root: NDArray,
        beta: float,
    ) -> tuple[float, PsiGradient, NDArray, float]:
        """Return the data term and its derivatives."""
        psi = PsiMasked(means, variances, Z, params, self.masks)
        bound = masked_bound(psi.statistics, root, beta, self.masks)
        return bound.value, psi.gradient(bound.by), bound.inducing, bound.precision
