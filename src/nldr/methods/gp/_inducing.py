"""Gaussian processes on inducing points: the collapsed bound, and its maximization."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import OptimizeResult, minimize
from sklearn.exceptions import ConvergenceWarning

from nldr.methods.gp._progress import Progress


@dataclass(frozen=True)
class Collapsed:
    """Value and gradients of :func:`collapsed_bound`.

    Attributes
    ----------
    value : float
        The bound.
    trace : float
        Derivative by the trace of the N × N covariance.
    cross : ndarray of shape (n_inducing, n_columns)
        Derivative by VᵀT.
    gram : ndarray of shape (n_inducing, n_inducing)
        Derivative by VᵀV, symmetric.
    inducing : ndarray of shape (n_inducing, n_inducing)
        L⁻ᵀ · this · L⁻¹ is the derivative by A.
    precision : float
        Derivative by the precision of the noise.
    """

    value: float
    trace: float
    cross: NDArray
    gram: NDArray
    inducing: NDArray
    precision: float


def collapsed_bound(
    trace: float,
    cross: NDArray,
    gram: NDArray,
    precision: float,
    *,
    n_samples: int,
    n_targets: int,
    squares: float,
) -> Collapsed:
    r"""Lower bound of the log density of n_targets Gaussian processes seen with noise.

    .. math:: \sum_d \log N(t_d | 0, Q + β^{-1} I) - \frac{β}{2} \mathrm{tr}(K - Q)

    (Eq. 16 of Watanabe et al., after Titsias), by the matrices to which Woodbury's identity
    reduces it. With Φ the covariance of points and inducing points, and A = LLᵀ that of inducing
    points, V = ΦL⁻ᵀ and Q = VVᵀ. With expectations of V and VᵀV it is the data term of
    Titsias & Lawrence.

    Parameters
    ----------
    trace : float
        tr K.
    cross : ndarray of shape (n_inducing, n_columns)
        VᵀT; any T with the right TTᵀ will do.
    gram : ndarray of shape (n_inducing, n_inducing)
        VᵀV.
    precision : float
        β.
    n_samples, n_targets : int
        Number of rows of T, and of its columns before they were reduced.
    squares : float
        ‖T‖², the sum of squares.

    Returns
    -------
    Collapsed
        Value and gradients.

    Examples
    --------
    One point that is its own inducing point, so that Q = K = 2:

    >>> V = np.array([[2.0]]) / np.sqrt(2)
    >>> bound = collapsed_bound(2.0, V, V @ V, 1.0, n_samples=1, n_targets=1, squares=1.0)
    >>> bool(np.isclose(bound.value, -0.5 * np.log(2 * np.pi * 3) - 0.5 / 3))
    True
    """
    b, D = precision, n_targets
    factor = np.linalg.cholesky(np.eye(len(gram)) + b * gram)
    half = solve_triangular(factor, np.eye(len(gram)), lower=True)
    inverse = half.T @ half
    fitted = inverse @ cross
    outer = fitted @ fitted.T
    explained = np.vdot(cross, fitted)
    missing = trace - np.trace(gram)
    log_det = 2 * np.log(np.diag(factor)).sum() - n_samples * np.log(b)
    value = -0.5 * (
        n_samples * D * np.log(2 * np.pi)
        + D * (log_det + b * missing)
        + b * squares
        - b**2 * explained
    )
    by_precision = 0.5 * (
        D * (n_samples / b - np.vdot(inverse, gram) - missing)
        - squares
        + 2 * b * explained
        - b**2 * np.vdot(outer, gram)
    )
    by_gram = D * (np.eye(len(gram)) - inverse) - b**2 * outer
    return Collapsed(
        value=float(value),
        trace=-0.5 * b * D,
        cross=b**2 * fitted,
        gram=0.5 * b * by_gram,
        inducing=0.5 * (by_gram - b * D * gram),
        precision=float(by_precision),
    )


def whiten(root: NDArray, values: NDArray) -> NDArray:
    """Return L⁻¹ ``values`` for the lower Cholesky factor L."""
    return solve_triangular(root, values, lower=True, check_finite=False)


def unwhiten(root: NDArray, values: NDArray) -> NDArray:
    """Return L⁻ᵀ ``values``: the derivative by what was whitened."""
    return solve_triangular(root, values, lower=True, trans="T", check_finite=False)


def reduced_columns(Y: NDArray) -> tuple[NDArray, float]:
    """Center and scale observations; return as few columns as have the same YYᵀ.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_features)
        Observations.

    Returns
    -------
    columns : ndarray of shape (n_samples, rank)
        Principal components of Y in units of its scale, greatest first.
    scale : float
        Root mean square of the centered Y; 1 where that is 0.

    Examples
    --------
    >>> columns, scale = reduced_columns(np.array([[1.0, 5.0, 1.0], [3.0, 5.0, 3.0]]))
    >>> columns.shape, round(scale, 3)
    ((2, 1), 0.816)
    """
    centered = Y - Y.mean(axis=0)
    scale = float(np.sqrt(np.mean(np.square(centered)))) or 1.0
    centered /= scale
    wide = centered.shape[1] > len(centered)
    gram = centered @ centered.T if wide else centered.T @ centered
    values, vectors = np.linalg.eigh(gram)
    kept = values > max(values[-1], 0.0) * len(values) * np.finfo(float).eps
    values, vectors = values[kept][::-1], vectors[:, kept][:, ::-1]
    return (vectors * np.sqrt(values) if wide else centered @ vectors), scale


def standard_scores(columns: NDArray, n_components: int) -> NDArray:
    """Return the first components with mean square 1, zeros where there are too few.

    Of each the entry of largest magnitude is positive.
    """
    scores = np.zeros((len(columns), n_components))
    shown = columns[:, :n_components]
    if shown.shape[1]:
        tops = shown[np.abs(shown).argmax(axis=0), np.arange(shown.shape[1])]
        shown = shown * np.sign(tops) / np.sqrt(np.mean(np.square(shown), axis=0))
        scores[:, : shown.shape[1]] = shown
    return scores


@dataclass
class Ascent:
    """What :func:`maximize` found.

    Attributes
    ----------
    x : ndarray
        The point.
    history : list of float
        Value at the start and after each iteration.
    converged : bool
        Whether the tolerance was met.
    message : str
        Why it ended.
    """

    x: NDArray
    history: list[float] = field(default_factory=list)
    converged: bool = False
    message: str = ""


def maximize(
    evaluate: Callable[[NDArray], tuple[float, NDArray]],
    start: NDArray,
    *,
    bounds: NDArray,
    max_iter: int,
    tol: float,
    label: str = "",
) -> Ascent:
    """Maximize by L-BFGS-B; points where the function fails count as much lower than the best.

    Parameters
    ----------
    evaluate : callable
        Returns value and gradient.
    start : ndarray of shape (n_variables,)
        Where to start; the function must not fail there.
    bounds : ndarray of shape (n_variables, 2)
        Lowest and highest values.
    max_iter : int
        Greatest number of iterations.
    tol : float
        Ends when an iteration raises the value by less than this share of its magnitude.
    label : str, default=""
        If given, a line of progress is printed every ten seconds after this word.

    Returns
    -------
    Ascent
        The last point and how it was reached.

    Examples
    --------
    >>> box = np.tile([-10.0, 10.0], (2, 1))
    >>> top = maximize(lambda x: (-x @ x, -2 * x), np.ones(2), bounds=box, max_iter=9, tol=1e-9)
    >>> top.converged, bool(np.allclose(top.x, 0))
    (True, True)
    """
    ascent = Ascent(start)
    size = float(start.size)  # the objective handed on is a mean, so that its first step is sane
    progress = Progress(label, "bound")

    def negated(x: NDArray) -> tuple[float, NDArray]:
        try:
            value, gradient = evaluate(x)
        except np.linalg.LinAlgError:
            value, gradient = np.nan, np.full_like(x, np.nan)
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            latest = -ascent.history[-1] / size
            return latest + 1.0 + abs(latest), np.zeros_like(x)
        return -value / size, -gradient / size

    def note(intermediate_result: OptimizeResult) -> None:
        ascent.history.append(-float(intermediate_result.fun) * size)
        progress.tell(len(ascent.history) - 1, ascent.history[-1])

    ascent.history.append(evaluate(start)[0])
    result = minimize(
        negated, start, jac=True, method="L-BFGS-B", bounds=bounds, callback=note,
        options={"maxiter": max_iter, "maxfun": 20 * max_iter, "ftol": tol, "gtol": 1e-9,
                 "maxcor": 20},
    )  # fmt: skip
    ascent.x, ascent.converged, ascent.message = result.x, result.status == 0, result.message
    return ascent


def warn_unconverged(ascent: Ascent, max_iter: int) -> None:
    """Warn, on behalf of ``fit``, of an ascent that was ended."""
    warnings.warn(
        f"the bound still rises after {len(ascent.history) - 1} of at most {max_iter} iterations "
        f"({ascent.message}): raise max_iter or tol",
        ConvergenceWarning,
        stacklevel=3,
    )
