"""LolaGP: a Gaussian-process latent variable model with a neighborhood prior."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
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
    maximize,
    reduced_columns,
    standard_scores,
    warn_unconverged,
)
from nldr.methods.gp._lolagp_bound import KernelParams, Layout, LolaBound
from nldr.methods.gp._lolagp_graph import averaging_matrix

LOG_VARIANCE, LOG_WHITE, LOG_SCALE = (-12.0, 8.0), (-16.0, 4.0), (-16.0, 8.0)
LOG_PRECISION = (-5.0, 12.0)


class LolaGP(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Latent variables of Gaussian processes, each pulled towards the average of its neighbors.

    Maximizes the lower bound of the log posterior, Eq. 16, over latent variables X, inducing
    inputs Z, the parameters of the kernels of f and h (SE + linear + white, Eq. 20) and the
    precision β of the noise: observations are smooth functions f of X, and X itself is a smooth
    function h of X averaged over a neighborhood graph. The graph first comes from the
    observations, and in each further round from X.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    n_inducing : int, default=100
        Number of inducing points; all points where there are fewer.
    n_rounds : int, default=2
        Number of graphs: one of the observations, further ones of X as the round before left it.
    gamma : float, default=1.0
        Precision γ of X around the averages, for X of about unit variance. The paper does not
        say how it is chosen; it cannot be trained, see Notes.
    n_neighbors : int, default=5
        k of Eq. 17: the neighbor whose distance is the scale, less than ``n_samples``.
    decay : float, default=40.0
        α of Eq. 17.
    n_steps : int, default=16
        t of Eq. 18: steps of the diffusion.
    n_edges : int, default=100
        Number of others for which a point's weight is computed; all where there are fewer.
    normalization : {"random_walk", "symmetric"}, default="random_walk"
        P = D⁻¹W or D^(−½) W D^(−½).
    max_iter : int, default=3000
        Greatest number of iterations of L-BFGS-B in each round.
    tol : float, default=1e-6
        A round ends when an iteration raises the bound by less than this share of it.
    verbose : bool, default=False
        Print the progress of long fits.
    random_state : int, RandomState instance or None, default=None
        Picks the rows of X at which inducing inputs start.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        X. Of each column the entry of largest magnitude is positive.
    inducing_inputs_ : ndarray of shape (n_inducing, n_components)
        Z.
    kernel_f_, kernel_h_ : KernelParams
        ``variance``, ``weights``, ``linear`` and ``white``, the data in units of their scale.
    ard_weights_ : ndarray of shape (n_components,)
        Weights of the SE part of f: a large one says that f changes fast along the axis.
    noise_precision_ : float
        β.
    bound_ : float
        Eq. 16 at the end.
    bound_history_ : list of ndarray
        The bound at the start of each round and after each of its iterations. Rounds have
        different graphs, hence different bounds.
    graph_ : csr_array of shape (n_samples, n_samples)
        P of the last round.
    converged_ : bool
        Whether the last round ended by `tol`.
    n_iter_ : int
        Number of iterations of all rounds.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Warns
    -----
    ConvergenceWarning
        If the last round ended by `max_iter`.

    Notes
    -----
    Observations are centered and divided by one number; X starts from their principal components
    with unit variance.

    γ is fixed: if it were trained with the rest, Eq. 9 would grow without limit as X, the length
    scales of both kernels, the variance of h and 1/γ shrink together, by which the likelihood
    does not change and the density of X rises.

    The matrix P_Z of the inducing points cancels from the bound, see
    :class:`nldr.methods.gp._lolagp_bound.LolaBound`. An evaluation of bound and gradient takes
    O(n_samples n_inducing (n_inducing + rank of the data)) time, and no n_samples × n_samples
    matrix is held.

    References
    ----------
    K. Watanabe, K. Maeda, T. Ogawa & M. Haseyama, *Summarizing Data Structures with Gaussian
    Process and Robust Neighborhood Preservation*, ECML PKDD 2022.

    Examples
    --------
    A closed curve in four dimensions, under noise in 500:

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
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "decay": [Interval(Real, 0, None, closed="neither")],
        "n_steps": [Interval(Integral, 1, None, closed="left")],
        "n_edges": [Interval(Integral, 1, None, closed="left")],
        "normalization": [StrOptions({"random_walk", "symmetric"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_inducing: int = 100,
        n_rounds: int = 2,
        gamma: float = 1.0,
        n_neighbors: int = 5,
        decay: float = 40.0,
        n_steps: int = 16,
        n_edges: int = 100,
        normalization: str = "random_walk",
        max_iter: int = 3000,
        tol: float = 1e-6,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_inducing = n_inducing
        self.n_rounds = n_rounds
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.decay = decay
        self.n_steps = n_steps
        self.n_edges = n_edges
        self.normalization = normalization
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> LolaGP:
        """Embed the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, Y of the paper; more than `n_neighbors` rows.
        y : None
            Not used.

        Returns
        -------
        LolaGP
            The fitted estimator.

        Raises
        ------
        ValueError
            If there are too few rows.
        """
        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if self.n_neighbors >= len(data):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is too high for {len(data)} samples: at most "
                "n_samples - 1"
            )
        columns, _ = reduced_columns(data)
        latent = standard_scores(columns, self.n_components)
        n_inducing = min(self.n_inducing, len(data))
        picked = check_random_state(self.random_state).permutation(len(data))[:n_inducing]
        layout = Layout(len(data), n_inducing, self.n_components)
        kernel = KernelParams(
            0.5, np.ones(self.n_components), np.full(self.n_components, 0.25), 1e-4
        ).pack()
        x = layout.join(latent, latent[picked], kernel, kernel, np.log(10.0))
        self.bound_history_ = []
        for number in range(self.n_rounds):
            self.graph_ = self._graph(columns if number == 0 else layout.split(x)[0])
            bound = LolaBound(columns, data.shape[1], self.graph_, self.gamma, layout)
            ascent = maximize(
                bound, x, bounds=_limits(layout), max_iter=self.max_iter, tol=self.tol,
                label=f"LolaGP, round {number + 1}" if self.verbose else "",
            )  # fmt: skip
            x = ascent.x
            self.bound_history_.append(np.array(ascent.history))
        self._keep(layout, ascent)
        if not self.converged_:
            warn_unconverged(ascent, self.max_iter)
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Embed the rows of `X` and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, more than `n_neighbors` rows.
        y : None
            Not used.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The embedding.
        """
        return self.fit(X).embedding_

    def _graph(self, points: NDArray) -> csr_array:
        return averaging_matrix(
            points, n_neighbors=self.n_neighbors, decay=self.decay, n_steps=self.n_steps,
            n_edges=self.n_edges, normalization=self.normalization,
        )  # fmt: skip

    def _keep(self, layout: Layout, ascent: Ascent) -> None:
        """Store what was found, with fixed signs."""
        X, Z, f_logs, h_logs, log_beta = layout.split(ascent.x)
        tops = X[np.abs(X).argmax(axis=0), np.arange(X.shape[1])]
        signs = np.where(tops < 0, -1.0, 1.0)
        self.embedding_, self.inducing_inputs_ = X * signs, Z * signs
        self.kernel_f_, self.kernel_h_ = KernelParams.unpack(f_logs), KernelParams.unpack(h_logs)
        self.ard_weights_ = self.kernel_f_.weights
        self.noise_precision_ = float(np.exp(log_beta))
        self.bound_ = ascent.history[-1]
        self.converged_ = ascent.converged
        self.n_iter_ = sum(len(history) - 1 for history in self.bound_history_)

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


def _limits(layout: Layout) -> NDArray:
    """Return lowest and highest values of all variables."""
    places = np.tile([-np.inf, np.inf], ((layout.n_samples + layout.n_inducing)
                                         * layout.n_components, 1))  # fmt: skip
    kernel = [LOG_VARIANCE, LOG_WHITE, *[LOG_SCALE] * (2 * layout.n_components)]
    return np.concatenate([places, kernel, kernel, [LOG_PRECISION]])
