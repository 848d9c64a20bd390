"""Methods that are run by commands."""

import shutil

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nldr.methods.external import External

R = """#!/usr/bin/env Rscript
folder <- commandArgs(trailingOnly = TRUE)[1]
X <- as.matrix(read.csv(file.path(folder, "X.csv"), header = FALSE))
parameters <- readLines(file.path(folder, "parameters.json"), warn = FALSE)
k <- as.integer(sub('.*"n_components": *([0-9]+).*', "\\\\1", parameters))
Z <- prcomp(X)$x[, 1:k]
write.table(Z, file.path(folder, "Z.csv"), sep = ",", row.names = FALSE, col.names = FALSE)
"""


@pytest.fixture
def command(tmp_path):
    """Return a function that writes a command and returns the method that runs it."""

    def write(text, **parameters):
        (tmp_path / "run").write_text(text)
        (tmp_path / "run").chmod(0o755)
        return External(str(tmp_path), **parameters)

    return write


def shell(text):
    return f'#!/bin/sh\ncd "$1"\n{text}\n'


def test_command_gets_points_and_parameters_to_the_last_digit(command):
    X = np.random.default_rng(0).normal(size=(5, 3)) * 1e10
    method = command(
        shell('cp X.csv Z.csv; echo "{\\"params\\": $(cat parameters.json)}" > facts.json'),
        n_components=3,
        random_state=7,
        k=[1, 2],
    )
    np.testing.assert_array_equal(method.fit_transform(X), X)
    assert method.params_ == {"n_components": 3, "random_state": 7, "k": [1, 2]}
    assert method.get_params()["k"] == [1, 2]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("echo 'ValueError: k is too high' >&2; exit 1", ValueError, "^k is too high$"),
        ("echo 'Traceback' >&2; echo 'KeyError: 3' >&2; exit 1", RuntimeError, "^KeyError: 3$"),
        ("exit 3", RuntimeError, "the command ended with 3"),
        ("true", RuntimeError, "neither output.npz nor Z.csv"),
    ],
)
def test_failures_of_a_command_have_its_message(command, text, error, message):
    with pytest.raises(error, match=message):
        command(shell(text)).fit_transform(np.eye(3))


def test_python_gets_and_returns_arrays(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").symlink_to(shutil.which("python3"))
    (tmp_path / "run.py").write_text(
        "import sys, zipfile\n"
        "with zipfile.ZipFile(sys.argv[1] + '/input.npz') as arrays:\n"
        "    content = arrays.read('X.npy')\n"
        "with zipfile.ZipFile(sys.argv[1] + '/output.npz', 'w') as arrays:\n"
        "    arrays.writestr('embedding.npy', content)\n"
    )
    X = np.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(External(str(tmp_path)).fit_transform(X), X)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_command_in_r_is_principal_component_analysis(command):
    X = np.random.default_rng(0).normal(size=(20, 4)) * [4, 3, 2, 1]
    Z = command(R, n_components=2).fit_transform(X)
    U, S, _ = np.linalg.svd(X - X.mean(axis=0))
    assert_allclose(np.abs(Z), np.abs(U[:, :2] * S[:2]), rtol=1e-9)
