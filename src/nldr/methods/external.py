"""Methods in environments of their own, run by commands that read and write files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

HOMES = "NLDR_ENVIRONMENTS"  # environment variable: the folder that has the environments


class External:
    r"""Method that is run by a command, in any language and with any packages.

    A folder holds the command: ``run.py``, run by the folder's own ``bin/python``, or an executable
    file ``run``. It is called with the path of a temporary folder. There, ``parameters.json`` has
    the parameters, and the points are ``X`` in ``input.npz`` for ``run.py`` and the lines of
    ``X.csv`` for ``run``. The command writes the array ``embedding`` to ``output.npz``, or its
    lines to ``Z.csv``, and may write numbers about the fit to ``facts.json``. It fails by an exit
    status other than 0; the last line of its error output is the message.

    Parameters
    ----------
    environment : str
        Folder of the command, from the folder that the environment variable ``NLDR_ENVIRONMENTS``
        names.
    n_components : int, default=2
        Dimension of the embedding.
    random_state : int or None, default=None
        Seed.
    **settings
        Further parameters of the method, as JSON can hold them.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the rows.

    Notes
    -----
    Each number in ``facts.json`` becomes an attribute, ``fit_seconds`` for instance
    ``fit_seconds_``.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> command = folder / "run"
    >>> _ = command.write_text("#!/bin/sh\ncut -d, -f1,2 $1/X.csv > $1/Z.csv\n")
    >>> command.chmod(0o755)
    >>> External(str(folder)).fit_transform([[1, 2, 3], [4, 5, 6]])
    array([[1., 2.],
           [4., 5.]])
    """

    def __init__(
        self,
        environment: str,
        n_components: int = 2,
        random_state: int | None = None,
        **settings: Any,
    ) -> None:
        self.environment = environment
        self.n_components = n_components
        self.random_state = random_state
        self.settings = settings

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters by name."""
        names = ("environment", "n_components", "random_state")
        return {name: getattr(self, name) for name in names} | self.settings

    def fit_transform(self, X: ArrayLike, y: None = None) -> NDArray:
        """Run the command and return its embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_components)

        Raises
        ------
        FileNotFoundError
            If the folder has no command.
        ValueError
            If X is not numeric, or the last line of the command's error output says ``ValueError``.
        RuntimeError
            If the command fails otherwise, or writes no embedding.
        """
        X = check_array(X, dtype=float)
        home = Path(os.environ.get(HOMES, ""), self.environment)
        with TemporaryDirectory(prefix="nldr-") as name:
            folder = Path(name)
            parameters = self.get_params()
            del parameters["environment"]
            (folder / "parameters.json").write_text(json.dumps(parameters), encoding="utf-8")
            if (home / "run.py").is_file():
                np.savez(folder / "input.npz", X=X)
                _run([str(home / "bin/python"), str(home / "run.py")], folder)
            else:
                np.savetxt(folder / "X.csv", X, fmt="%.17g", delimiter=",")
                _run([str(home / "run")], folder)
            self.embedding_ = _read_embedding(folder)
            facts = folder / "facts.json"
            numbers = json.loads(facts.read_text(encoding="utf-8")) if facts.is_file() else {}
        for fact, number in numbers.items():
            setattr(self, f"{fact}_", number)
        return self.embedding_


def _run(command: list[str], folder: Path) -> None:
    """Run a command, show what it prints, and raise if it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [*command, str(folder)],
        env=environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    print(done.stderr, end="", file=sys.stderr)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"the command ended with {done.returncode}"]
        if lines[-1].startswith("ValueError: "):
            raise ValueError(lines[-1].removeprefix("ValueError: "))
        raise RuntimeError(lines[-1])


def _read_embedding(folder: Path) -> NDArray:
    """Return what the command wrote."""
    if (folder / "output.npz").is_file():
        with np.load(folder / "output.npz") as arrays:
            return arrays["embedding"]
    if not (folder / "Z.csv").is_file():
        raise RuntimeError("the command wrote neither output.npz nor Z.csv")
    return np.loadtxt(folder / "Z.csv", delimiter=",", ndmin=2)
