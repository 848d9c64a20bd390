import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kstest

from nldr.methods.controls import DamagedOracle, Oracle, RandomEmbedding, TwoPoints


@pytest.fixture
def X(rng):
    return rng.standard_normal((200, 5))


@pytest.fixture
def Z(rng):
    """Latent with standard deviations 1, 5 and 3 and a mean of 7."""
    return rng.standard_normal((200, 3)) * [1.0, 5.0, 3.0] + 7


def damaged(Z, damage, amount):
    """Return a latent with damage of some amount."""
    return DamagedOracle(damage=damage, amount=amount, random_state=0).fit_transform(Z, Z)


def test_random_embedding_is_standard_normal_and_independent_of_data(X):
    # The seed is fixed: a test at level 0.01 would reject one draw in a hundred.
    embedding = RandomEmbedding(3, random_state=1).fit_transform(X)
    assert kstest(embedding.ravel(), "norm").pvalue > 0.01
    assert_array_equal(embedding, RandomEmbedding(3, random_state=1).fit_transform(X**2))


def test_two_points_are_random_halves_independent_of_data(X):
    embedding = TwoPoints(3, random_state=1).fit_transform(X)
    assert_array_equal(np.unique(embedding, axis=0), [[0, 0, 0], [1, 0, 0]])
    assert embedding.sum() == 100
    assert_array_equal(embedding, TwoPoints(3, random_state=1).fit_transform(X**2))


@pytest.mark.parametrize("n_components", [None, 3])
def test_oracle_returns_copy_of_latent(n_components, X, Z):
    embedding = Oracle(n_components).fit_transform(X, Z)
    assert_array_equal(embedding, Z)
    assert not np.shares_memory(embedding, Z)
    assert_array_equal(Oracle(1).fit_transform(X, Z[:, 0]), Z[:, :1])


@pytest.mark.parametrize("n_components", [1, 2])
def test_oracle_with_fewer_components_returns_principal_components(n_components, X, Z):
    embedding = Oracle(n_components).fit_transform(X, Z)
    variances = np.linalg.eigvalsh(np.cov(Z.T))[::-1][:n_components]
    covariance = np.cov(embedding.T).reshape(n_components, -1)
    assert_allclose(covariance, np.diag(variances), atol=1e-10)
    affine = np.column_stack([Z, np.ones(200)])
    weights = np.linalg.lstsq(affine, embedding, rcond=None)[0]
    assert_allclose(affine @ weights, embedding, atol=1e-10)


@pytest.mark.parametrize("function", ["fit", "fit_transform"])
def test_oracle_without_latent_raises(function, X):
    with pytest.raises(ValueError, match="requires y to be passed"):
        getattr(Oracle(), function)(X, None)


def test_noise_is_proportional_to_standard_deviations(Z):
    noise = damaged(Z, "noise", 0.5) - Z
    # Standard error of a standard deviation of 200 values: 5 %
    assert_allclose(noise.std(axis=0) / Z.std(axis=0), 0.5, rtol=0.2)
    assert_allclose(damaged(Z, "noise", 1) - Z, 2 * noise)


def test_shuffle_permutes_fraction_of_points(Z):
    moved = (damaged(Z, "shuffle", 0.3) != Z).any(axis=1)
    assert moved.sum() == 60
    more = damaged(Z, "shuffle", 0.6)
    assert ((more != Z).any(axis=1) & moved).sum() == 60
    assert_array_equal(np.sort(more[:, 0]), np.sort(Z[:, 0]))


def test_squash_shrinks_last_coordinate_toward_its_mean(Z):
    embedding = damaged(Z, "squash", 0.75)
    assert_array_equal(embedding[:, :-1], Z[:, :-1])
    assert_allclose(embedding[:, -1].mean(), Z[:, -1].mean())
    assert_allclose(embedding[:, -1].std(), 0.25 * Z[:, -1].std())
    assert np.ptp(damaged(Z, "squash", 1)[:, -1]) < 1e-12
