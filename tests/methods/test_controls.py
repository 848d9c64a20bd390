import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kstest
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.controls import DamagedOracle, Oracle, RandomEmbedding

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 5))
Z = RNG.standard_normal((200, 3)) * [1.0, 5.0, 3.0] + 7


def test_random_embedding_is_standard_normal_and_blind_to_the_data():
    embedding = RandomEmbedding(3, random_state=1).fit_transform(X)
    assert embedding.shape == (200, 3)
    assert kstest(embedding.ravel(), "norm").pvalue > 0.01
    assert_array_equal(embedding, RandomEmbedding(3, random_state=1).fit_transform(X**2))


def test_random_embedding_follows_its_seed():
    one, other = (RandomEmbedding(random_state=seed).fit_transform(X) for seed in (1, 2))
    assert np.all(one != other)


@pytest.mark.parametrize("n_components", [None, 3])
def test_oracle_returns_a_copy_of_the_latent(n_components):
    embedding = Oracle(n_components).fit_transform(X, Z)
    assert_array_equal(embedding, Z)
    assert not np.shares_memory(embedding, Z)


def test_oracle_takes_a_latent_of_one_dimension_as_a_vector():
    assert_array_equal(Oracle(1).fit_transform(X, Z[:, 0]), Z[:, :1])


@pytest.mark.parametrize("n_components", [1, 2])
def test_oracle_of_fewer_components_keeps_most_of_the_variance(n_components):
    embedding = Oracle(n_components).fit_transform(X, Z)
    variances = np.linalg.eigvalsh(np.cov(Z.T))[::-1][:n_components]
    assert_allclose(np.cov(embedding.T).reshape(n_components, -1), np.diag(variances), atol=1e-10)
    linear = np.column_stack([Z, np.ones(200)])
    weights = np.linalg.lstsq(linear, embedding, rcond=None)[0]
    assert_allclose(linear @ weights, embedding, atol=1e-10)


def test_oracle_of_more_components_than_the_latent_has_is_an_error():
    with pytest.raises(ValueError, match="n_components=4, but the latent has 3"):
        Oracle(4).fit(X, Z)


def test_oracle_needs_the_latent():
    with pytest.raises(ValueError, match="requires y to be passed"):
        Oracle().fit(X, None)


def damaged(damage, amount):
    return DamagedOracle(damage=damage, amount=amount, random_state=0).fit_transform(X, Z)


@pytest.mark.parametrize("damage", ["noise", "shuffle", "squash"])
def test_no_damage_is_the_oracle(damage):
    assert_array_equal(damaged(damage, 0), Z)


def test_noise_is_in_standard_deviations_of_each_coordinate():
    noise = damaged("noise", 0.5) - Z
    assert_allclose(noise.std(axis=0) / Z.std(axis=0), 0.5, rtol=0.2)
    assert_allclose(damaged("noise", 1) - Z, 2 * noise)


def test_shuffle_exchanges_its_share_of_the_points():
    moved = (damaged("shuffle", 0.3) != Z).any(axis=1)
    assert moved.sum() == 60
    more = damaged("shuffle", 0.6)
    assert ((more != Z).any(axis=1) & moved).sum() == 60
    assert_array_equal(np.sort(more[:, 0]), np.sort(Z[:, 0]))


def test_squash_shrinks_the_last_coordinate_about_its_mean():
    embedding = damaged("squash", 0.75)
    assert_array_equal(embedding[:, :-1], Z[:, :-1])
    assert_allclose(embedding[:, -1].mean(), Z[:, -1].mean())
    assert_allclose(embedding[:, -1].std(), 0.25 * Z[:, -1].std())
    assert np.ptp(damaged("squash", 1)[:, -1]) < 1e-12


@parametrize_with_checks([RandomEmbedding(), Oracle(), Oracle(1), DamagedOracle(amount=0.5)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
