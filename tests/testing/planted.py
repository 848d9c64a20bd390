"""Methods, datasets and metrics that each do one thing wrong."""

import os
import signal
import time

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA

from nldr.dataset import Dataset


class Projection(TransformerMixin, BaseEstimator):
    """The method of the README, which checks nothing."""

    def __init__(self, n_components=2, *, random_state=None):
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X, y=None):
        rng = np.random.default_rng(self.random_state)
        self.components_, _ = np.linalg.qr(rng.normal(size=(X.shape[1], self.n_components)))
        return self

    def transform(self, X):
        return X @ self.components_


class Bad(BaseEstimator):
    """Principal components, and what `fault` says."""

    def __init__(self, n_components=2, *, fault="none"):
        self.n_components = n_components
        self.fault = fault

    def fit_transform(self, X, y=None):
        if self.fault == "hangs":
            time.sleep(60)
        if self.fault == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fault == "raises":
            return X @ X
        if self.fault == "changes the data":
            X -= X.mean(axis=0)
        if self.fault == "changes a parameter":
            self.n_components = int(self.n_components) + 0.0
        if self.fault == "needs many rows" and len(X) < 20:
            raise IndexError("too few")
        n_components = 2 if self.fault == "always two" else int(self.n_components)
        Z = PCA(n_components).fit_transform(X)
        if self.fault == "random":
            Z = Z + np.random.normal(size=Z.shape)  # noqa: NPY002
        if self.fault == "uses the order":
            Z[:, 0] = np.arange(len(X)) * 10.0
        if self.fault == "not a number":
            Z[3, 0] = np.nan
        if self.fault == "not converged":
            import warnings

            from sklearn.exceptions import ConvergenceWarning

            warnings.warn("give it more time", ConvergenceWarning, stacklevel=2)
        return Z


def bad_data(*, n_samples, fault, rng=None):
    """Return a plane, and what `fault` says."""
    draw = np.random.default_rng(5) if rng is None else rng
    Z = draw.normal(size=(n_samples, 2))
    y = np.arange(n_samples) % 3
    if fault == "tuple":
        return Z, y
    if fault == "not a number":
        Z[0, 0] = np.nan
    if fault == "global":
        Z = np.random.normal(size=Z.shape)  # noqa: NPY002
    if fault == "fixed":
        Z = np.random.default_rng(1).normal(size=Z.shape)
    if fault == "copies":
        Z[5] = Z[6]
    if fault == "sorted":
        y = np.sort(y)
    if fault == "small class":
        y = (np.arange(n_samples) < 2).astype(int)
    if fault == "text":
        y = np.array(["a", "b", "c"])[y]
        object.__setattr__(data := Dataset(X=Z, Z=Z), "y", y)
        return data
    latent = draw.permutation(Z) if fault == "mixed" else Z
    X = np.column_stack([Z, np.zeros(n_samples)])
    return Dataset(
        X=X[:, :2] if fault == "narrow" else X, Z=latent, y=None if fault == "no labels" else y
    )


def without_rng(*, n_samples):
    """Return other numbers at each call."""
    return Dataset(X=np.random.default_rng().normal(size=(n_samples, 2)))


def bad_metric(data, embedding, *, fault):
    """Return the correlation of distances, and what `fault` says."""
    from scipy.spatial.distance import pdist

    value = np.corrcoef(pdist(data.X), pdist(embedding))[0, 1]
    if fault == "other name":
        return {"bad_correlation": value}
    if fault == "text":
        return {f"bad_{fault}": "good"}
    if fault == "range":
        value = value + 1
    if fault == "direction":
        value = -value
    if fault == "random":
        value = value + np.random.default_rng().normal(scale=1e-3)
    if fault == "order":
        value = value + 1e-3 * embedding[0, 0] / np.abs(embedding).max()
    if fault == "scale":
        value = value * (1 - np.exp(-np.abs(embedding).max() / 100))
    if fault == "few" and len(embedding) < 20:
        raise IndexError("too few")
    if fault == "list":
        return [value]
    return {f"bad_{fault}": float(value)}
