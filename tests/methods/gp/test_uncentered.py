"""GPLVM as in GPy, against scipy's normal density and the print of a run of GPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from scipy.stats import multivariate_normal
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from nldr.methods.gp.uncentered import UncenteredGPLVM, _softplus


def test_densities_of_start_and_result_are_those_of_the_data_as_they_are(rng):
    X = 3 * rng.standard_normal((15, 6)) * np.arange(1, 7) + 10
    start = StandardScaler().fit_transform(PCA(2).fit_transform(StandardScaler().fit_transform(X)))
    # Squared exponential kernel and noise, both of variance 1, with a length scale of 1
    covariance = np.exp(-(cdist(start, start) ** 2) / 2) + np.eye(len(X))
    density = multivariate_normal(np.zeros(len(X)), covariance)
    gplvm = UncenteredGPLVM(max_iter=30).fit(X)
    assert_allclose(gplvm.history_[0], sum(density.logpdf(column) for column in X.T))
    assert np.all(np.diff(gplvm.history_) > 0)
    # And it reports the density of its result
    kernel, Z = gplvm.kernel_, gplvm.embedding_
    distances = cdist(Z, Z) / gplvm.length_scale_[0]
    signal = kernel.parts[0].variance * np.exp(-(distances**2) / 2)
    density = multivariate_normal(np.zeros(15), signal + gplvm.noise_variance_ * np.eye(15))
    assert_allclose(gplvm.log_likelihood_, sum(density.logpdf(column) for column in X.T))


def test_variances_stay_positive():
    roots = np.array([-1000.0, -30.0, 0.0, 1000.0])
    assert_allclose(_softplus(roots)[1:], [np.exp(-30), np.log(2), 1000])
    assert np.isfinite(np.log(_softplus(roots)[0]))


@pytest.mark.recipe
@pytest.mark.parametrize(
    ("n_components", "printed"), [(2, [0.86033, 0.86199, 0.8503]), (10, [0.94436, 0.9388, 0.931])]
)
def test_has_the_printed_accuracies_on_digits(n_components, printed):
    X, y = load_digits(return_X_y=True)
    Z = UncenteredGPLVM(n_components, max_iter=20).fit_transform(X)
    accuracies = [cross_val_score(KNeighborsClassifier(k), Z, y, cv=5).mean() for k in (5, 10, 20)]
    assert_allclose(accuracies, printed, atol=2e-3)
