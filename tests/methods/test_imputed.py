import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer

from nldr.methods.imputed import Imputed, complete


@pytest.fixture
def gaps(rng):
    data = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 12)) + 3
    return np.where(rng.random(data.shape) < 0.2, np.nan, data)


@pytest.mark.parametrize("imputer", ["knn", "low_rank", "mean", "zero"])
def test_observed_values_are_kept(imputer, gaps):
    completed = Imputed(imputer=imputer).fit(gaps).completed_
    known = ~np.isnan(gaps)
    assert_allclose(completed[known], gaps[known])
    assert np.isfinite(completed).all()


def test_embedding_is_that_of_the_completed_data(gaps):
    completed = SimpleImputer().fit_transform(gaps)
    assert_array_equal(complete(gaps, "mean"), completed)
    embedding = Imputed(imputer="mean").fit_transform(gaps)
    assert_allclose(np.abs(embedding), np.abs(PCA(2).fit_transform(completed)), atol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", ["bayesian_gplvm", "gplvm", "lolagp", "pca"])
def test_methods_embed(method, gaps):
    params = {} if method == "pca" else {"max_iter": 2}
    if method in ("bayesian_gplvm", "lolagp"):
        params["n_inducing"] = 5
    embedding = Imputed(method=method, params=params, random_state=0).fit_transform(gaps)
    assert embedding.shape == (30, 2)
    assert np.isfinite(embedding).all()
