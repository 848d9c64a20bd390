"""Methods that misbehave, each in its own way."""

import os
import sys
import time
import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning


class Planted(BaseEstimator):
    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit_transform(self, X, y=None):
        return self.act(np.asarray(X)[:, : self.n_components])


class Fine(Planted):
    def act(self, E):
        return E


class Centers(Planted):
    """Subtracts the mean of the rows it was fitted on."""

    def act(self, E):
        self.mean_, self.n_rows_ = E.mean(axis=0), len(E)
        return E - self.mean_

    def transform(self, X):
        return X[:, : self.n_components] - self.mean_


class Raises(Planted):
    def act(self, E):
        raise RuntimeError(f"broken {object()}")


class Refuses(Planted):
    def act(self, E):
        raise ValueError("this dataset does not suit me")


class Loops(Planted):
    def act(self, E):
        while True:
            pass


class Allocates(Planted):
    def act(self, E):
        hoard = []
        while True:
            hoard.append(np.ones(2**21))


class CannotAllocate(Planted):
    def act(self, E):
        raise MemoryError("no room")


class Aborts(Planted):
    def act(self, E):
        os.abort()


class Exits(Planted):
    def act(self, E):
        os._exit(0)


class ReturnsNan(Planted):
    def act(self, E):
        E = E.copy()
        E[3] = np.nan
        return E


class ReturnsWrongShape(Planted):
    def act(self, E):
        return E[:-1]


class GivesUp(Planted):
    def act(self, E):
        warnings.warn("stopped early", ConvergenceWarning, stacklevel=2)
        return E


class Forks(Planted):
    def act(self, E):
        import subprocess

        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        time.sleep(600)


class FailsAtFirst(Planted):
    calls = 0

    def act(self, E):
        FailsAtFirst.calls += 1
        if FailsAtFirst.calls == 1:
            warnings.warn("too few rows", ConvergenceWarning, stacklevel=2)
            raise ValueError("too few rows")
        return E
