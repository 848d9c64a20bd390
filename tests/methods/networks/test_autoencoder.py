import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.networks._training import forward, load_weights
from nldr.methods.networks.autoencoder import VAE, Autoencoder, negative_bound

RNG = np.random.default_rng(0)
PLANE = RNG.standard_normal((120, 2)) * [3, 1] @ RNG.standard_normal((2, 6)) + RNG.normal(size=6)
NOISY = PLANE + 0.3 * RNG.standard_normal(PLANE.shape)
LINEAR = {"hidden": (), "n_epochs": 2000, "learning_rate": 0.02}
SMALL = {"hidden": (16,), "n_epochs": 5, "random_state": 0}


def test_linear_autoencoder_is_as_good_as_pca_and_no_better():
    model = Autoencoder(**LINEAR, validation_fraction=0, random_state=0).fit(NOISY)
    pca = PCA(2).fit(NOISY)
    best = np.mean((pca.inverse_transform(pca.transform(NOISY)) - NOISY) ** 2)
    ours = np.mean((model.inverse_transform(model.transform(NOISY)) - NOISY) ** 2)
    assert best <= ours < 1.01 * best


def test_loss_is_the_error_of_the_rows_given_back():
    model = Autoencoder(**SMALL, batch_size=120).fit(PLANE)
    assert (model.n_epochs_, model.n_steps_, len(model.validation_loss_)) == (5, 5, 5)
    errors = (model.inverse_transform(model.transform(PLANE)) - PLANE) / model.input_scale_
    assert model.loss_[-1] == pytest.approx(np.mean(errors**2), rel=0.2)
    assert model.loss_[-1] < model.loss_[0]


def test_new_rows_of_the_plane_are_given_back():
    train, test = PLANE[::2], PLANE[1::2]
    model = Autoencoder(hidden=(32,), batch_size=27, n_epochs=300, random_state=0).fit(train)
    error = np.mean((model.inverse_transform(model.transform(test)) - test) ** 2)
    assert error < 0.05 * np.mean((test - train.mean(axis=0)) ** 2)


def linear_codes(matrix, log_variance):
    return lambda rows: jnp.concatenate([rows @ matrix, jnp.full((len(rows), 2), log_variance)], 1)


@pytest.mark.parametrize("beta", [0.0, 1.0, 3.0])
def test_loss_of_linear_codes_is_the_negative_bound(beta):
    X = jnp.asarray(NOISY, jnp.float32)
    matrix, back = RNG.standard_normal((6, 2)) / 3, RNG.standard_normal((2, 6))
    variance = 0.7
    model = linear_codes(jnp.float32(matrix), np.log(variance)), lambda Z: Z @ jnp.float32(back)
    draws = RNG.standard_normal((4000, 120, 2)).astype(np.float32)
    losses = [negative_bound(model, X, (np.arange(120), d, beta)) for d in draws[:200]]
    mean = NOISY @ matrix
    misfit = np.sum((mean @ back - NOISY) ** 2) + 120 * variance * np.sum(back**2)
    divergence = np.sum(mean**2) + 120 * 2 * (variance - 1 - np.log(variance))
    assert np.mean(losses) == pytest.approx((misfit + beta * divergence) / 2 / NOISY.size, rel=0.01)


def test_linear_vae_is_probabilistic_pca():
    # Its optimum is known: the principal subspace, stretched by √(variance - 1) for noise of 1.
    basis = np.linalg.qr(RNG.standard_normal((6, 2)))[0]
    X = RNG.standard_normal((120, 2)) * [3, 2] @ basis.T + 0.3 * RNG.standard_normal((120, 6))
    X -= X.mean(axis=0)
    model = VAE(
        hidden=(), n_epochs=2000, learning_rate=0.01, input_scaling="none",
        validation_fraction=0, random_state=0,
    ).fit(X)  # fmt: skip
    decoder = np.asarray(model.decoder_.weights[0], np.float64)
    pca = PCA(2).fit(X)
    assert_allclose(
        np.linalg.svd(pca.components_ @ np.linalg.qr(decoder.T)[0], compute_uv=False), 1, atol=0.001
    )
    gains = np.linalg.svd(decoder, compute_uv=False) ** 2
    assert_allclose(gains, pca.explained_variance_ - 1, rtol=0.1)


def test_the_embedding_of_a_vae_is_the_mean_and_the_divergence_draws_it_in():
    model = VAE(3, **SMALL).fit(PLANE)
    assert model.transform(PLANE).shape == (120, 3)
    narrow = VAE(hidden=(16,), n_epochs=60, beta=100, random_state=0).fit_transform(PLANE)
    wide = VAE(hidden=(16,), n_epochs=60, beta=0, random_state=0).fit_transform(PLANE)
    assert narrow.std() < 0.4 * wide.std()


@pytest.mark.parametrize("estimator", [Autoencoder(**SMALL), VAE(**SMALL)])
def test_two_fits_of_one_seed_are_identical_and_weights_reload(estimator, tmp_path):
    one, same = estimator.fit_transform(PLANE), estimator.fit_transform(PLANE)
    assert_array_equal(one, same)
    estimator.save_weights(tmp_path / "weights.npz")
    scaled = (PLANE - estimator.input_center_) / estimator.input_scale_
    assert_array_equal(forward(load_weights(tmp_path / "weights.npz"), scaled), one)
    assert np.any(one != estimator.set_params(random_state=1).fit_transform(PLANE))


@parametrize_with_checks([Autoencoder(hidden=(8,), n_epochs=5), VAE(hidden=(8,), n_epochs=5)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
