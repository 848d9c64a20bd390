"""Tests of subspace iteration."""  # CHANGE: name the method

# Copy this file to tests/methods/test_mine.py. CHANGE marks each line that your method replaces.
# Three kinds of tests are most useful: the method agrees with an independent result in a case where
# one exists, two forms of input agree, and bad input raises an error that says what to do.

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods._base import fix_signs
from nldr.methods.mine import Mine  # CHANGE


@parametrize_with_checks([Mine(random_state=0)])  # CHANGE
def test_scikit_learn_checks(estimator: BaseEstimator, check) -> None:
    check(estimator)


def test_equals_pca(rng: np.random.Generator) -> None:  # CHANGE: something independent
    X = rng.normal(size=(60, 4)) * [4.0, 2.0, 1.0, 0.5]
    expected = PCA(2).fit(X)
    mine = Mine(2, tol=1e-12, random_state=0).fit(X)  # CHANGE
    np.testing.assert_allclose(mine.components_, fix_signs(expected.components_.T), atol=1e-6)


def test_transform_of_training_rows_is_their_embedding(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 3)) * [3.0, 1.0, 0.3]
    mine = Mine(random_state=0).fit(X)  # CHANGE
    np.testing.assert_allclose(mine.transform(X), mine.embedding_)


def test_too_few_iterations_warn(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 3))
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        Mine(max_iter=1, random_state=0).fit(X)  # CHANGE


def test_too_many_components_raise(rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match="n_components = 4 exceeds the smaller of 9 rows and 3"):
        Mine(4).fit(rng.normal(size=(9, 3)))  # CHANGE
