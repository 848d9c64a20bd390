"""Removal of latent columns that the data do not need, where this raises the bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from numpy.typing import NDArray

from nldr.methods.gp.inducing._bound import Ascent, maximize

TRIAL_ITER = 50  # iterations that a column is tried without
Column = tuple[NDArray, NDArray]  # indices of a column's variables, and their values without use


def collapse(
    evaluate: Callable[[NDArray], tuple[float, NDArray]],
    ascent: Ascent,
    columns: Sequence[Column],
    *,
    bounds: NDArray,
    max_iter: int,
    tol: float,
    price: float = 0.0,
) -> Ascent:
    """Return the maximum with all latent columns collapsed that are not worth their price.

    A search from principal components may end where a column that is not needed follows the noise.
    Each of `columns`, a sequence of variables and their values without use, is set to these values
    in this order. It is kept so if the bound then falls by less than `price`, in nats, at once or
    after a few iterations of the other variables. The price is 0 if the latent points are
    integrated out. The other arguments are those of
    :func:`nldr.methods.gp.inducing._bound.maximize`; `ascent` itself is returned if it has not
    converged or no column collapsed.

    Examples
    --------
    The second variable does not matter, and the third is better at 0:

    >>> import numpy as np
    >>> def bound(x):
    ...     return float(-((x[0] - 1) ** 2) - x[2] ** 2), np.array([2 - 2 * x[0], 0, -2 * x[2]])
    >>> peak = Ascent(np.array([1.0, 3.0, 0.1]), [-0.01], True)
    >>> columns = [(np.array([q]), np.zeros(1)) for q in (1, 2)]
    >>> box = np.tile([-9.0, 9.0], (3, 1))
    >>> collapse(bound, peak, columns, bounds=box, max_iter=9, tol=1e-9).x.round(6).tolist()
    [1.0, 0.0, 0.0]
    """
    best, limits = ascent, bounds
    if not ascent.converged:  # columns may still come into use
        return ascent
    for indices, values in columns:
        trial, held = best.x.copy(), limits.copy()
        trial[indices], held[indices] = values, values[:, None]
        # The bound without the column, at once or after some iterations
        attempt, enough = Ascent(trial, [evaluate(trial)[0]]), best.history[-1] - price
        if attempt.history[-1] < enough:
            attempt = maximize(evaluate, trial, bounds=held, max_iter=TRIAL_ITER, tol=tol)
        if attempt.history[-1] >= enough:
            best, limits = Ascent(attempt.x, [*best.history, attempt.history[-1]]), held
    if best is ascent:
        return ascent
    # The other variables follow
    last = maximize(evaluate, best.x, bounds=limits, max_iter=max_iter, tol=tol)
    last.history = [*best.history, *last.history[1:]]  # values at the drops, then the search
    return last
