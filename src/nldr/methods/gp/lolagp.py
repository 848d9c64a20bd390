"""LolaGP: a Gaussian-process latent variable model with a neighborhood prior."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array
from sklearn.utils import check_random_state

from nldr.methods._docs import inherit_docs
from nldr.methods.gp.features._gaussian import Features, InducingCovariance
from nldr.methods.gp.features._latent import LatentVariableModel
from nldr.methods.gp.inducing._bound import (
    Ascent,
    latent_signs,
    maximize,
    reduced_columns,
    standard_scores,
    warn_unconverged,
)
from nldr.methods.gp.inducing._kernel import (
    KernelParams,
    cross_covariance,
    inducing_root,
    initial_params,
)
from nldr.methods.gp.inducing._relevance import collapse
from nldr.methods.gp.lola._bound import LOG_SCALE, Layout, LolaBound, variable_limits
from nldr.methods.gp.lola._graph import averaging_matrix
from nldr.methods.gp.lola._masked import MaskedLolaBound, row_statistics
from nldr.methods.gp.missing import Observations, observe
from nldr.methods.gp.variational._masked import Masks, inducing_features
from nldr.validation import Interval, StrOptions


@inherit_docs(LatentVariableModel)
class LolaGP(LatentVariableModel):
    """Locality-aware and low-rank approximated GPLVM (LolaGP).

    Maximizes the lower bound of the log posterior, Eq. 16, over the latent points X, the inducing
    inputs Z, the parameters of the kernels of f and h (SE + linear + white, Eq. 20) and the noise
    precision β. The observations are smooth functions f of X, and X itself is a smooth function h
    of X, averaged over a neighborhood graph. The graph is computed from the observations in the
    first round, and from X in each further round.

    Parameters
    ----------
    n_components, n_inducing
    n_rounds : int, default=2
        Number of rounds, each with its own graph.
    gamma : float or "scaled", default=1.0
        Precision γ of X around the neighborhood averages, for X of about unit variance; it cannot
        be trained, see Notes. ``"scaled"`` is the number of features per component of X, divided by
        the mean variance of the columns of X at the start of the round.
    prior_graph : {"neighbors", "identity", "permuted"}, default="neighbors"
        P in the prior: ``"neighbors"`` is that of the paper. For comparison, ``"identity"`` is P =
        I, and ``"permuted"`` averages each point with random others.
    n_neighbors : int, default=5
        k of Eq. 17, less than ``n_samples``.
    decay : float, default=40.0
        α of Eq. 17.
    n_steps : int, default=16
        t of Eq. 18: number of diffusion steps.
    n_edges : int, default=50
        Number of neighbors of each point for which weights are computed.
    normalization : {"random_walk", "symmetric"}, default="random_walk"
        ``"random_walk"`` is P = D⁻¹W, ``"symmetric"`` is P = D^(−½) W D^(−½).
    collapse : bool, default=False
        Whether to set columns of X to 0 at the end that are not worth their price, see Notes.
    max_iter : int, default=3000
        Maximum number of iterations of L-BFGS-B in each round.
    tol : float, default=1e-6
        Relative gain in the bound of one iteration below which a round stops.
    batch_size : int or None, default=None
        If given, each round makes steps on random minibatches of this many points in place of
        L-BFGS-B. For tens of thousands of points: 500 to 2000.
    n_epochs : int, default=100
        Number of passes over all points in each round, if there is a `batch_size`.
    verbose
    random_state : int, RandomState instance or None, default=None
        Selects the rows of X at which the inducing inputs start, and permutations.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        X. The entry of largest magnitude of each column is positive.
    latent_covariances_, relevance_
    inducing_inputs_ : ndarray of shape (n_inducing, n_components)
        Z.
    kernel_f_, kernel_h_ : KernelParams
        Parameters of the kernels of f and h for standardized data, Eq. 20.
    ard_weights_ : ndarray of shape (n_components,)
        Weights of the SE part of f: the larger, the faster f varies along the axis.
    noise_precision_
    bound_ : float
        Eq. 16 at the end.
    gamma_ : float
        γ of the last round.
    prior_weight_ : float
        Mean weight that P of the last round puts on other points, 0 to 1.
    prior_share_ : float
        Share of the prior in the nats by which both sums of Eq. 16 are below their largest values.
    bound_history_ : list of ndarray
        The bound at the start of each round and after each of its iterations, or the mean estimate
        of each epoch. Rounds have different graphs, and therefore different bounds.
    graph_ : csr_array of shape (n_samples, n_samples)
        P of the last round.
    converged_ : bool
        Whether the last round stopped because of `tol`.
    n_iter_

    Raises
    ------
    ValueError
        If `n_neighbors` is not less than the number of rows, or if values are missing and
        `batch_size` is given.

    Warns
    -----
    ConvergenceWarning
        If the last round stopped before `tol` was reached.

    Notes
    -----
    Observations are standardized: centered, and divided by their root mean square, one number for
    all features. X starts from their principal components with unit variance.

    γ is fixed. If it were trained with the rest, Eq. 9 would be unbounded: X, the length scales of
    both kernels, the variance of h and 1/γ can shrink together.

    The matrix P_Z of the inducing points cancels from the bound. An evaluation takes O(n_samples
    n_inducing (n_inducing + rank of the data + n_edges)) time. The trace in the second sum of Eq.
    16 is exact as long as each point has at most 300 partners, neighbors of a common point, on
    average. Otherwise an upper bound replaces it, and ``bound_`` is below Eq. 16. Above 5000 points
    the graph is approximate, see ``lola/_graph.py``.

    With `collapse`, the price of a column is ½ N log D nats, that of its N coordinates by the
    Bayesian information criterion. A ring may then be cut open and embedded on a line.

    NaN entries are missing: the first sum of Eq. 16 is over observed entries. The graph of the
    first round is that of a low-rank estimate. A new point is the most probable one given its row,
    with the normal distribution of the embedding as its prior.

    References
    ----------
    K. Watanabe, K. Maeda, T. Ogawa & M. Haseyama, *Summarizing Data Structures with Gaussian
    Process and Robust Neighborhood Preservation*, ECML PKDD 2022.

    Examples
    --------
    A closed curve in four dimensions, with noise in 500:

    >>> from sklearn.manifold import trustworthiness
    >>> angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    >>> curve = np.column_stack([f(k * angle) for k in (1, 2) for f in (np.cos, np.sin)])
    >>> rng = np.random.default_rng(0)
    >>> noisy = curve @ rng.normal(size=(4, 500)) + rng.normal(size=(60, 500))
    >>> lolagp = LolaGP(n_inducing=20, random_state=0).fit(noisy)
    >>> bool(trustworthiness(curve, lolagp.embedding_) > 0.95)
    True
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_inducing": [Interval(Integral, 1, None, closed="left")],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scaled"})],
        "prior_graph": [StrOptions({"neighbors", "identity", "permuted"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "decay": [Interval(Real, 0, None, closed="neither")],
        "n_steps": [Interval(Integral, 1, None, closed="left")],
        "n_edges": [Interval(Integral, 1, None, closed="left")],
        "normalization": [StrOptions({"random_walk", "symmetric"})],
        "collapse": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left"), None],
        "n_epochs": [Interval(Integral, 1, None, closed="left")],
        "verbose": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_inducing: int = 100,
        n_rounds: int = 2,
        gamma: float | str = 1.0,
        prior_graph: str = "neighbors",
        n_neighbors: int = 5,
        decay: float = 40.0,
        n_steps: int = 16,
        n_edges: int = 50,
        normalization: str = "random_walk",
        collapse: bool = False,
        max_iter: int = 3000,
        tol: float = 1e-6,
        batch_size: int | None = None,
        n_epochs: int = 100,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_inducing = n_inducing
        self.n_rounds = n_rounds
        self.gamma = gamma
        self.prior_graph = prior_graph
        self.n_neighbors = n_neighbors
        self.decay = decay
        self.n_steps = n_steps
        self.n_edges = n_edges
        self.normalization = normalization
        self.collapse = collapse
        self.max_iter = max_iter
        self.tol = tol
        self.batch_size = batch_size
        self.n_epochs = n_epochs
        self.verbose = verbose
        self.random_state = random_state

    def _fit(self, data: NDArray) -> None:
        if self.n_neighbors >= len(data):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is too high for {len(data)} samples: it "
                "must be less than n_samples"
            )

        # X starts from principal components, Z from randomly selected rows of X
        observed = observe(data)
        if self.batch_size is not None and not observed.complete:
            raise ValueError("batch_size needs data without missing values: set it to None")
        columns, _ = reduced_columns(observed.filled())
        latent = standard_scores(columns, self.n_components)
        n_inducing = min(self.n_inducing, len(data))
        rng = check_random_state(self.random_state)
        selected = rng.permutation(len(data))[:n_inducing]
        layout = Layout(len(data), n_inducing, self.n_components)
        kernel = initial_params(self.n_components).pack()
        x = layout.join(latent, latent[selected], kernel, kernel, np.log(10.0))

        # Rounds: graph of Y, then of X; maximize Eq. 16 with the graph held fixed
        self.bound_history_ = []
        permutation = rng.permutation(len(data))
        for number in range(self.n_rounds):
            X = layout.split(x)[0]
            self.graph_ = self._graph(columns if number == 0 else X, permutation)
            self.gamma_ = self._precision(X, data.shape[1])
            if observed.complete:
                bound = LolaBound(columns, data.shape[1], self.graph_, self.gamma_, layout)
            else:
                bound = MaskedLolaBound(observed, self.graph_, self.gamma_, layout)
            ascent = self._maximize(bound, x, number, rng)
            x = ascent.x
            self.bound_history_.append(np.array(ascent.history))
        if self.collapse:
            ascent = self._collapse(bound, ascent, layout)
            x = ascent.x
        self._store_solution(layout, ascent)
        self._store_prior(bound, x)
        self._store_model(data, self._features(observed), None)
        if not self.converged_:
            warn_unconverged(ascent, self.max_iter)

    def _collapse(self, bound: LolaBound, ascent: Ascent, layout: Layout) -> Ascent:
        """Return the maximum without the columns that are not worth their price."""
        x, q = ascent.x, self.n_components
        X, Z, f, h, _ = layout.split(np.arange(len(x)))
        # In the order of their variance in units of the length scales, all but the last
        columns = []
        for k in np.argsort(np.exp(x[f[2 : 2 + q]]) * np.var(x[X], axis=0))[:-1]:
            weights = [f[[2 + k, 2 + q + k]], h[[2 + k, 2 + q + k]]]
            indices = np.concatenate([X[:, k], Z[:, k], *weights])
            columns.append((indices, np.repeat([0.0, LOG_SCALE[0]], [len(indices) - 4, 4])))
        collapsed = collapse(
            bound,
            ascent,
            columns,
            bounds=variable_limits(layout),
            max_iter=self.max_iter,
            tol=self.tol,
            price=layout.n_samples / 2 * np.log(bound.n_targets),
        )
        if collapsed is not ascent:
            self.bound_history_.append(np.array(collapsed.history[len(ascent.history) :]))
        return collapsed

    def _maximize(
        self, bound: LolaBound, x: NDArray, number: int, rng: np.random.RandomState
    ) -> Ascent:
        """Return the result of one round, on all points or on minibatches."""
        limits = variable_limits(bound.layout)
        label = f"LolaGP, round {number + 1}" if self.verbose else ""
        if self.batch_size is None:
            return maximize(
                bound, x, bounds=limits, max_iter=self.max_iter, tol=self.tol, label=label
            )
        from nldr.methods.gp.lola._stochastic import maximize_on_batches

        return maximize_on_batches(
            bound,
            x,
            bounds=limits,
            batch_size=self.batch_size,
            n_epochs=self.n_epochs,
            rng=rng,
            label=label,
        )

    def _graph(self, points: NDArray, permutation: NDArray) -> csr_array:
        """Return P of Eqs. 17 to 19 for some points, or what replaces it."""
        if self.prior_graph == "identity":
            return csr_array(eye_array(len(points)))
        P = averaging_matrix(
            points,
            n_neighbors=self.n_neighbors,
            decay=self.decay,
            n_steps=self.n_steps,
            n_edges=self.n_edges,
            normalization=self.normalization,
        )
        return P[permutation][:, permutation] if self.prior_graph == "permuted" else P

    def _precision(self, X: NDArray, n_features: int) -> float:
        """Return γ; scaled, deviations from averages count as those of Y do for β = 1."""
        if self.gamma == "scaled":
            return float(n_features / (self.n_components * X.var(axis=0).mean()))
        return float(self.gamma)

    def _store_solution(self, layout: Layout, ascent: Ascent) -> None:
        """Store the fitted attributes, with deterministic signs."""
        X, Z, f_logs, h_logs, log_beta = layout.split(ascent.x)
        # The kernels do not change if an axis is flipped in X and Z
        signs = latent_signs(X)
        self.embedding_, self.inducing_inputs_ = X * signs, Z * signs
        self.kernel_f_, self.kernel_h_ = KernelParams.unpack(f_logs), KernelParams.unpack(h_logs)
        self.ard_weights_ = self.kernel_f_.weights
        self.noise_precision_ = float(np.exp(log_beta))
        self.bound_ = ascent.history[-1]
        self.converged_ = ascent.converged
        self.n_iter_ = sum(len(history) - 1 for history in self.bound_history_)

    def _features(self, observed: Observations) -> Features:
        """Return the features' posterior given the fitted latent points."""
        params, Z = self.kernel_f_, self.inducing_inputs_
        phi = cross_covariance(self.embedding_, Z, params)[0]
        masks = Masks(observed.values, observed.is_observed)
        return inducing_features(
            InducingCovariance(params, Z, self.noise_precision_),
            inducing_root(Z, params)[0],
            row_statistics(phi, np.zeros(len(phi)), masks),
            observed,
        )

    def _store_prior(self, bound: LolaBound, x: NDArray) -> None:
        """Store how much the graph averages, and the share of the prior in the bound."""
        self_weights = self.graph_.diagonal() / self.graph_.sum(axis=1)
        self.prior_weight_ = float(1.0 - self_weights.mean())
        # Nats below N(0 | 0, β⁻¹I) and N(0 | 0, γ⁻¹I), which no fit exceeds
        n_samples, precisions = len(self.embedding_), (self.noise_precision_, self.gamma_)
        missing = [
            n_samples * n_columns / 2 * np.log(precision / (2 * np.pi)) - value
            for n_columns, precision, value in zip(
                (bound.n_targets, self.n_components), precisions, bound.terms(x), strict=True
            )
        ]
        self.prior_share_ = float(missing[1] / sum(missing))
