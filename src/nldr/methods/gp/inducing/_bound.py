"""Inducing-point approximation of Gaussian processes: the collapsed bound and its maximization.

The gradients are written by hand: value and gradient share one Cholesky factor and its inverse,
both of the size of the inducing points. The tests compare them with finite differences.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import OptimizeResult, minimize
from sklearn.exceptions import ConvergenceWarning

from nldr.methods._base import fix_signs
from nldr.methods.gp._progress import Progress

COLLAPSED = 0.95  # posterior variance of a latent point that tells nothing, relative to its prior


@dataclass(frozen=True)
class Collapsed:
    """Value and gradients of :func:`collapsed_bound`.

    Attributes
    ----------
    value : float
        The bound.
    trace : float
        Derivative with respect to tr K.
    cross : ndarray of shape (n_inducing, n_columns)
        Derivative with respect to VᵀT.
    gram : ndarray of shape (n_inducing, n_inducing)
        Derivative with respect to VᵀV, symmetric.
    inducing : ndarray of shape (n_inducing, n_inducing)
        G such that L⁻ᵀ G L⁻¹ is the derivative with respect to A = LLᵀ.
    precision : float
        Derivative with respect to the noise precision β.
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
    r"""Return a lower bound of the log density of noisy Gaussian processes, and its gradients.

    .. math:: \sum_{d=1}^D \log N(t_d | 0, Q + β^{-1} I) - \frac{β D}{2} \mathrm{tr}(K - Q)

    This is one sum of Eq. 16 of Watanabe et al., after Titsias (2009). K is the covariance matrix
    of the N points, A = LLᵀ that of the M inducing points, Φ the N × M matrix between the two,
    V = ΦL⁻ᵀ and Q = VVᵀ. Woodbury's identity reduces every term to M × M matrices. With the
    expectations of V and VᵀV in place of their values, it is the data term of the bound of Titsias
    & Lawrence (2010).

    Parameters
    ----------
    trace : float
        tr K.
    cross : ndarray of shape (n_inducing, n_columns)
        VᵀT. The targets T may be replaced by any matrix with the same TTᵀ.
    gram : ndarray of shape (n_inducing, n_inducing)
        VᵀV.
    precision : float
        Noise precision β.
    n_samples : int
        Number of rows N of T.
    n_targets : int
        Number of columns D of T before any reduction.
    squares : float
        ‖T‖², the sum of squares.

    Returns
    -------
    Collapsed
        Value and gradients.

    Raises
    ------
    LinAlgError
        If I + βVᵀV is not positive definite because of rounding errors.

    Examples
    --------
    With the only point as the inducing point, Q = K = 2 and the bound is the exact density:

    >>> V = np.array([[2.0]]) / np.sqrt(2)
    >>> bound = collapsed_bound(2.0, V, V @ V, 1.0, n_samples=1, n_targets=1, squares=1.0)
    >>> bool(np.isclose(bound.value, -0.5 * np.log(2 * np.pi * 3) - 0.5 / 3))
    True
    """
    b, D = precision, n_targets

    # B = I + β VᵀV, its Cholesky factor and its inverse
    factor = np.linalg.cholesky(np.eye(len(gram)) + b * gram)
    half = solve_triangular(factor, np.eye(len(gram)), lower=True)
    inverse = half.T @ half

    fitted = inverse @ cross  # B⁻¹ VᵀT
    outer = fitted @ fitted.T
    explained = np.vdot(cross, fitted)  # tr(TᵀV B⁻¹ VᵀT)
    missing = trace - np.trace(gram)  # tr(K − Q)
    log_det = 2 * np.log(np.diag(factor)).sum() - n_samples * np.log(b)  # log|Q + β⁻¹I|

    # The bound, −½ times the sum of
    value = -0.5 * (
        n_samples * D * np.log(2 * np.pi)  # ND log 2π
        + D * (log_det + b * missing)  # D log|Q + β⁻¹I| + β D tr(K − Q)
        + b * squares  # tr((Q + β⁻¹I)⁻¹ TTᵀ), which is β‖T‖²
        - b**2 * explained  # − β² tr(TᵀV B⁻¹ VᵀT) by Woodbury's identity
    )

    # Gradients with respect to β and to VᵀV
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
    """Return L⁻ᵀ ``values``, which maps a gradient back through :func:`whiten`."""
    return solve_triangular(root, values, lower=True, trans="T", check_finite=False)


def reduced_columns(Y: NDArray) -> tuple[NDArray, float]:
    """Center and scale observations, and reduce them to the fewest columns with the same YYᵀ.

    The columns are principal component scores, by variance, divided by the scale: the root mean
    square of the centered Y, or 1 if that is 0.

    Examples
    --------
    >>> columns, scale = reduced_columns(np.array([[1.0, 5.0, 1.0], [3.0, 5.0, 3.0]]))
    >>> columns.shape, round(scale, 3)
    ((2, 1), 0.816)
    """
    centered = Y - Y.mean(axis=0)
    scale = float(np.sqrt(np.mean(np.square(centered)))) or 1.0
    centered /= scale
    return fewest_columns(centered), scale


def fewest_columns(centered: NDArray) -> NDArray:
    """Return the fewest columns with the same inner products of rows, in descending order of size.

    Examples
    --------
    >>> np.abs(fewest_columns(np.array([[3.0, 4.0], [0.0, 0.0]]))).round(9).tolist()
    [[5.0], [0.0]]
    """
    wide = centered.shape[1] > len(centered)
    gram = centered @ centered.T if wide else centered.T @ centered
    values, vectors = np.linalg.eigh(gram)

    # Drop components that are zero up to rounding errors
    kept = values > max(values[-1], 0.0) * len(values) * np.finfo(float).eps
    values, vectors = values[kept][::-1], vectors[:, kept][:, ::-1]
    columns: NDArray = vectors * np.sqrt(values) if wide else centered @ vectors
    return columns


def standard_scores(columns: NDArray, n_components: int) -> NDArray:
    """Return the first columns scaled to mean square 1, followed by zeros if there are too few.

    The entry of largest magnitude of each column is positive.
    """
    scores = np.zeros((len(columns), n_components))
    leading = fix_signs(columns[:, :n_components].copy(order="K"))
    if leading.shape[1]:
        leading = leading / np.sqrt(np.mean(np.square(leading), axis=0))
        scores[:, : leading.shape[1]] = leading
    return scores


def latent_signs(X: NDArray) -> NDArray:
    """Return the signs, 1 or -1, that make the largest entry of each column positive.

    They flip inducing inputs together with the latent points.
    """
    largest = X[np.abs(X).argmax(axis=0), np.arange(X.shape[1])]
    return np.where(largest < 0, -1.0, 1.0)


@dataclass
class Ascent:
    """Result of :func:`maximize`.

    Attributes
    ----------
    x : ndarray of shape (n_variables,)
        The last point.
    history : list of float
        Value at the start and after each iteration.
    converged : bool
        Whether the tolerance was met.
    message : str
        Reason why the optimizer stopped.
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
    """Maximize a function by L-BFGS-B, stepping back from points where it cannot be evaluated.

    Parameters
    ----------
    evaluate : callable
        Function of the variables that returns value and gradient.
    start : ndarray of shape (n_variables,)
        Starting point, where the function must be finite.
    bounds : ndarray of shape (n_variables, 2)
        Lower and upper bound of each variable.
    max_iter : int
        Maximum number of iterations.
    tol : float
        Relative gain in value of one iteration below which the search stops.
    label : str, default=""
        If not empty, progress is printed every ten seconds in lines that start with this label.

    Returns
    -------
    Ascent
        The last point and the history of values.

    Raises
    ------
    LinAlgError
        If the function cannot be evaluated at the starting point.

    Examples
    --------
    >>> box = np.tile([-10.0, 10.0], (2, 1))
    >>> top = maximize(lambda x: (-x @ x, -2 * x), np.ones(2), bounds=box, max_iter=9, tol=1e-9)
    >>> top.converged, bool(np.allclose(top.x, 0))
    (True, True)
    """
    ascent = Ascent(start)
    # Dividing by the number of variables gives L-BFGS-B a first step of reasonable length
    size = float(start.size)
    progress = Progress(label, "bound")

    def negated(x: NDArray) -> tuple[float, NDArray]:
        try:
            value, gradient = evaluate(x)
        except np.linalg.LinAlgError:
            value, gradient = np.nan, np.full_like(x, np.nan)
        # Penalty for a failed evaluation, so that the line search backtracks
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            latest = -ascent.history[-1] / size
            return latest + 1.0 + abs(latest), np.zeros_like(x)
        return -value / size, -gradient / size

    def record(intermediate_result: OptimizeResult) -> None:
        ascent.history.append(-float(intermediate_result.fun) * size)
        progress.report(len(ascent.history) - 1, ascent.history[-1])

    ascent.history.append(evaluate(start)[0])
    result = minimize(
        negated,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        callback=record,
        options={
            "maxiter": max_iter,
            "maxfun": 20 * max_iter,
            "ftol": tol,
            "gtol": 1e-9,
            "maxcor": 20,
        },
    )
    ascent.x, ascent.converged, ascent.message = result.x, result.status == 0, result.message
    return ascent


def warn_unconverged(ascent: Ascent, max_iter: int) -> None:
    """Warn, as called from ``fit``, that a search stopped before it converged."""
    steps = f"after {len(ascent.history) - 1} of at most {max_iter} iterations"
    if ascent.message.startswith("ABNORMAL"):
        message = (
            f"rounding errors ended the search {steps}, because no step along its direction raised "
            "the bound: raise tol, or scale features of very different sizes"
        )
    else:
        message = f"the bound was still rising {steps} ({ascent.message}): increase max_iter or tol"
    warnings.warn(message, ConvergenceWarning, stacklevel=4)


def warn_collapsed(variances: NDArray) -> None:
    """Warn, as called from ``fit``, if the posterior variances of all latent points are about 1."""
    if variances.min() > COLLAPSED:
        warnings.warn(
            "the model explains all rows by noise: the posterior of every latent point is its "
            f"prior (variances of at least {variances.min():.2g}, which is 1), so that the "
            "embedding shows nothing. Use more features or fewer components, or PCA",
            UserWarning,
            stacklevel=4,
        )
