"""Subspace iteration: principal components found step by step."""  # CHANGE: name the method

# Copy this file to src/nldr/methods/mine.py. CHANGE marks each line that your method replaces;
# everything else is the same for all methods.

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from nldr.methods._base import OutOfSampleEmbedder, fix_signs
from nldr.validation import Interval


class Mine(OutOfSampleEmbedder):  # CHANGE: the class, named in workflow/catalog/methods.yaml
    """Embed the rows of `X` on their leading principal components, by subspace iteration.

    CHANGE: say in two or three sentences what the method minimizes or solves, with equation numbers
    of its source. The base class adds `fit`, `fit_transform`, `transform`, `n_features_in_` and
    `feature_names_in_`.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding. Every method has this parameter.
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-6
        Largest entry by which the basis may change in the last iteration.
    random_state : int, RandomState instance or None, default=None
        Seed of the initial basis. A method with this parameter gets another seed in each trial; one
        without it runs once per dataset.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows. Every method has this attribute.
    components_ : ndarray of shape (n_features, n_components)
        Orthonormal basis of the subspace.
    mean_ : ndarray of shape (n_features,)
        Mean of the training rows.
    n_iter_ : int
        Number of iterations.
    changes_ : ndarray of shape (n_iter_,)
        Largest change of an entry of the basis in each iteration.

    Raises
    ------
    ValueError
        If `n_components` exceeds the number of rows or features. The trial has status
        ``invalid_input``.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` iterations do not reach `tol`. The trial has status ``not_converged``.

    References
    ----------
    CHANGE: G. Golub and C. Van Loan, *Matrix Computations*, 4th ed., Algorithm 8.2.1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 3)) * [3.0, 1.0, 0.1]
    >>> Mine(random_state=0).fit_transform(X).shape  # CHANGE: a short example that runs
    (50, 2)
    """

    # Allowed values, checked before `fit` runs: one entry per parameter.
    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],  # CHANGE
        "tol": [Interval(Real, 0, None, closed="left")],  # CHANGE
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        max_iter: int = 200,  # CHANGE: your parameters; `__init__` only stores them
        tol: float = 1e-6,  # CHANGE
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.max_iter = max_iter  # CHANGE
        self.tol = tol  # CHANGE
        self.random_state = random_state

    # `fit` comes from the base class: it checks the parameters and the data, and calls `_fit`.
    def _fit(self, data: NDArray) -> None:
        if self.n_components > min(data.shape):
            raise ValueError(
                f"n_components = {self.n_components} exceeds the smaller of "
                f"{data.shape[0]} rows and {data.shape[1]} features"
            )

        # CHANGE: from here on, your algorithm. One comment per block names the step or equation.
        self.mean_ = data.mean(axis=0)
        centered = data - self.mean_

        # Initial basis: orthonormal directions at random.
        rng = check_random_state(self.random_state)
        start = rng.normal(size=(data.shape[1], self.n_components))
        basis, _ = np.linalg.qr(start)

        # Orthogonal iteration (Algorithm 8.2.1), with a sign for each direction.
        changes = []
        for _ in range(self.max_iter):
            updated, _ = np.linalg.qr(centered.T @ (centered @ basis))
            updated = fix_signs(updated)
            changes.append(float(np.abs(updated - basis).max()))
            basis = updated
            if changes[-1] <= self.tol:
                break
        else:
            # The engine turns this warning into the status not_converged.
            warnings.warn(
                f"the basis still changes by {changes[-1]:.1g} after {self.max_iter} iterations: "
                "raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=4,
            )

        # Store the fitted attributes; their names end in an underscore.
        self.components_ = basis  # CHANGE
        self.n_iter_ = len(changes)  # CHANGE
        self.changes_ = np.array(changes)  # CHANGE
        self.embedding_ = centered @ basis

    # A method that cannot embed new rows derives from `Embedder` and has no `_transform`.
    def _transform(self, data: NDArray) -> NDArray:
        return (data - self.mean_) @ self.components_  # CHANGE
