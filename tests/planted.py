"""Methods, datasets, metrics and figures that misbehave, each in its own way."""

import concurrent.futures
import errno
import multiprocessing
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from nldr.dataset import Dataset


class ConvergenceWarning(UserWarning):
    """The warning of scikit-learn by its name, without the second that its import takes."""


class Planted:
    def __init__(self, n_components=2):
        self.n_components = n_components

    def get_params(self, deep=True):
        return vars(self)

    def fit_transform(self, X, y=None):
        return self.act(np.asarray(X)[:, : self.n_components])


def throw(error):
    raise error


def kill_parent():
    os.kill(os.getppid(), 9)
    time.sleep(600)


# Methods whose embedding is one expression of the first columns E
for _name, _act in {
    "Fine": lambda self, E: E,
    "Aborts": lambda self, E: os.abort(),
    "Exits": lambda self, E: os._exit(0),
    "ReturnsWrongShape": lambda self, E: E[:-1],
    "AsksTheUser": lambda self, E: E * float(input("scale: ")),
    "GrowsFast": lambda self, E: E * np.ones(1200 * 2**17)[0],
    "GrowsBeyondAnyLimit": lambda self, E: E * np.ones(2**40)[0],
    "CallsExit": lambda self, E: sys.exit(3),
    "ReturnsComplex": lambda self, E: E + 1j,
    "ReturnsMasked": lambda self, E: np.ma.masked_less(E, 10),
    "ReturnsText": lambda self, E: E.astype(str),
    "ReturnsNan": lambda self, E: np.where(np.arange(len(E))[:, None] == 3, np.nan, E),
    "Refuses": lambda self, E: throw(ValueError("this dataset does not suit me")),
    "CannotAllocate": lambda self, E: throw(MemoryError("no room")),
    "FillsTheDisk": lambda self, E: throw(OSError(errno.ENOSPC, "No space left on device")),
    "GivesUp": lambda self, E: warnings.warn("stopped early", ConvergenceWarning, 2) or E,
    "ClosesInput": lambda self, E: sys.stdin.close() or E,
    "ChangesFolder": lambda self, E: os.chdir("/") or E,
    "KillsItsParent": lambda self, E: kill_parent(),
    "ReplacesTheLibrary": lambda self, E: setattr(np, "savez", write_nonsense) or E,
}.items():
    globals()[_name] = type(_name, (Planted,), {"act": _act, "__module__": __name__})


class Fills(Planted):
    """Fills in 2 for all missing values."""

    def act(self, E):
        self.completed_ = np.full((10, 4), 2.0)
        return np.nan_to_num(E)


class Centers(Planted):
    """Subtracts the mean of the rows it was fitted on."""

    def act(self, E):
        self.mean_, self.n_rows_, self.note_ = E.mean(axis=0), len(E), None
        return E - self.mean_

    def transform(self, X):
        return X[:, : self.n_components] - self.mean_


class Raises(Planted):
    def act(self, E):
        raise RuntimeError(f"broken {object()}")


class Loops(Planted):
    def act(self, E):
        while True:
            pass


class Allocates(Planted):
    def act(self, E):
        hoard = []
        while True:
            hoard.append(np.ones(2**21))


class IsRefusedMemory(Planted):
    """Ends as a compiled library in Rust does that cannot have the memory it asks for."""

    def act(self, E):
        os.write(2, b"memory allocation of 51456320000 bytes failed\n")
        os.abort()


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


class Random(Planted):
    """Draws its coordinates; waits in the trial whose random state stands in the file ``gate``."""

    def __init__(self, n_components=2, random_state=None, gate=None):
        super().__init__(n_components)
        self.random_state, self.gate = random_state, gate

    def act(self, E):
        gate = Path(self.gate or os.devnull)
        if gate.is_file() and gate.read_text() == str(self.random_state):
            gate.with_suffix(".pid").write_text(str(os.getpid()))
            time.sleep(600)
        return np.random.default_rng(self.random_state).normal(size=E.shape)


def write_nonsense(file, **arrays):
    file.write(b"nonsense")


# --- methods with processes and streams ---------------------------------------------------------


def shift(x):
    return x - 1


class UsesPool(Planted):
    def act(self, E):
        with multiprocessing.get_context("fork").Pool(2) as pool:
            return np.array(pool.map(shift, list(E)))


class UsesExecutor(Planted):
    def act(self, E):
        context = multiprocessing.get_context("fork")
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            return np.array(list(pool.map(shift, list(E))))


class Prints(Planted):
    def act(self, E):
        for _ in range(30):
            print("x" * 10**5)
        return E


class StartsADaemon(Planted):
    """Starts a process in a session of its own, whose parent ends, and which takes 300 MB."""

    def __init__(self, n_components=2, seconds=0, pid_file=None):
        super().__init__(n_components)
        self.seconds, self.pid_file = seconds, pid_file

    def act(self, E):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                Path(self.pid_file).write_text(str(os.getpid()))
                hoard = np.ones(300 * 2**17)
                time.sleep(600)
                hoard.sum()
            os._exit(0)
        os.wait()
        while not Path(self.pid_file).is_file():
            time.sleep(0.01)
        time.sleep(self.seconds)
        return E


class SharesMemory(Planted):
    """Takes 200 MB, which four forked processes see too."""

    def act(self, E):
        hoard = np.ones(200 * 2**17)
        children = []
        for _ in range(4):
            if (pid := os.fork()) == 0:
                time.sleep(2)
                os._exit(0)
            children.append(pid)
        for pid in children:
            os.waitpid(pid, 0)
        return E * hoard[0]


class Signals(Planted):
    """Ends itself by a signal."""

    def __init__(self, n_components=2, number=9):
        super().__init__(n_components)
        self.number = number

    def act(self, E):
        os.kill(os.getpid(), self.number)
        time.sleep(600)


class KnowsTheSecret(Planted):
    def act(self, E):
        assert "NLDR_SECRET" not in os.environ
        return E


class Compiles(Planted):
    """Runs a function that numba compiles at its first call."""

    def act(self, E):
        import numba

        @numba.njit
        def total(x):
            result = 0.0
            for i in range(x.shape[0]):
                for j in range(x.shape[1]):
                    result += np.sin(x[i, j]) ** 2
            return result

        return E + 0 * total(E)


class CompilesByJax(Planted):
    """Runs a function that jax compiles at its first call."""

    def act(self, E):
        import jax

        return np.asarray(jax.jit(lambda x: x * 2)(E))


# --- datasets -----------------------------------------------------------------------------------


def line(n_samples=20):
    """Points on a line."""
    return Dataset(X=np.arange(3.0 * n_samples).reshape(-1, 3))


def scatter(rng, n_samples=20):
    """Random points."""
    return Dataset(X=rng.normal(size=(n_samples, 3)))


for _name, _act in {
    "raises": lambda n_samples=20: throw(RuntimeError("no such manifold")),
    "hangs": lambda n_samples=20: time.sleep(600),
}.items():
    globals()[_name] = _act


def cannot_read(n_samples=20):
    """Loads a file that is there only if NLDR_PLANTED is set."""
    with open(os.environ["NLDR_PLANTED"], encoding="utf-8") as file:
        return line(n_samples) if file.read() is not None else None


# --- metrics ------------------------------------------------------------------------------------


def spread(data, embedding):
    return {"spread": float(np.std(embedding)), "count": len(embedding)}


def distance_from_data(data, embedding):
    return {"spread": float(np.abs(data.X[:, :2] - embedding).max()), "count": len(embedding)}


def doubled(data, embedding, *, scores=None):
    """Use the scores of spread, if they are there."""
    return {"doubled": 2 * scores["spread"] if scores else -1.0}


for _name, _act in {
    "raises": lambda data, embedding: throw(RuntimeError("this metric is broken")),
    "hangs": lambda data, embedding: time.sleep(600),
    "omits": lambda data, embedding: {"spread": 1.0},
    "dies": lambda data, embedding: os.abort(),
    "leaves": lambda data, embedding: sys.exit(3),
    "kills_its_parent": lambda data, embedding: kill_parent(),
    "has_no_number": lambda data, embedding: {"spread": np.nan, "count": None},
}.items():
    globals()[f"metric_{_name}"] = _act


# --- figures ------------------------------------------------------------------------------------


def figure_raises(results):
    raise RuntimeError("cannot draw this")
