import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA

from nldr.methods.networks.autoencoder import VAE, Autoencoder, negative_bound


def plane_data(rng):
    """Return 120 points of a plane in six dimensions."""
    return rng.standard_normal((120, 2)) * [3, 1] @ rng.standard_normal((2, 6)) + rng.normal(size=6)


def mean_squared_error(model, X):
    return np.mean((model.inverse_transform(model.transform(X)) - X) ** 2)


LINEAR = {
    "hidden": (),
    "n_epochs": 800,
    "learning_rate": 0.02,
    "batch_size": 500,
    "validation_fraction": 0,
    "random_state": 0,
}


def noisy_plane_data(rng):
    """Return 250 centered points near a plane in six dimensions."""
    basis = np.linalg.qr(rng.standard_normal((6, 2)))[0]
    X = rng.standard_normal((250, 2)) * [3, 2] @ basis.T + 0.3 * rng.standard_normal((250, 6))
    return X - X.mean(axis=0)


def test_linear_autoencoder_reconstructs_as_well_as_pca(rng):
    X = noisy_plane_data(rng)
    best = mean_squared_error(PCA(2).fit(X), X)
    assert best <= mean_squared_error(Autoencoder(**LINEAR).fit(X), X) < 1.02 * best


def test_loss_is_the_reconstruction_error_of_scaled_rows(rng):
    X = plane_data(rng)
    slow = {"hidden": (16,), "n_epochs": 5, "learning_rate": 1e-6, "optimizer": "sgd"}
    model = Autoencoder(**LINEAR | slow).fit(X)
    assert (model.n_epochs_, model.n_steps_, len(model.validation_loss_)) == (5, 5, 0)
    # The step size is so small that the loss does not change
    scaled_error = mean_squared_error(model, X) / model.input_scale_[0] ** 2
    assert_allclose(model.loss_, scaled_error, rtol=1e-4)


@pytest.mark.parametrize("beta", [0.0, 3.0])
def test_vae_loss_is_the_negative_evidence_lower_bound(beta, rng):
    X, variance = rng.standard_normal((120, 6)), 0.7
    encode, decode = rng.standard_normal((6, 2)) / 3, rng.standard_normal((2, 6))

    def encoder(rows):
        log_variance = jnp.full((len(rows), 2), np.log(variance))
        return jnp.concatenate([rows @ jnp.float32(encode), log_variance], axis=1)

    def decoder(codes):
        return codes @ jnp.float32(decode)

    # The loss is quadratic in the draws: four sigma points give its exact expectation
    draws = np.sqrt(2) * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    batches = [(np.arange(120), np.tile(np.float32(draw), (120, 1)), beta) for draw in draws]
    losses = [negative_bound((encoder, decoder), jnp.float32(X), batch) for batch in batches]
    mean = X @ encode
    misfit = np.sum((mean @ decode - X) ** 2) + 120 * variance * np.sum(decode**2)
    divergence = np.sum(mean**2) + 120 * 2 * (variance - 1 - np.log(variance))
    assert np.mean(losses) == pytest.approx((misfit + beta * divergence) / 2 / X.size, rel=1e-5)


def test_linear_vae_reaches_the_likelihood_of_probabilistic_pca(rng):
    X = noisy_plane_data(rng)
    model = VAE(**LINEAR, input_scaling="none").fit(X)
    # The decoder spans the principal subspace
    decoder = np.asarray(model.decoder_.weights[0], np.float64)
    components = PCA(2).fit(X).components_
    cosines = np.linalg.svd(components @ np.linalg.qr(decoder.T)[0], compute_uv=False)
    assert_allclose(cosines, 1, atol=0.001)
    # Minimum of the negative log-likelihood with unit noise (Tipping and Bishop, 1999)
    variances = np.linalg.eigvalsh(X.T @ X / len(X))[::-1]
    best = (2 + np.log(variances[:2]).sum() + variances[2:].sum()) / 2 / 6
    # The rotation within the subspace converges slowly; the loss is averaged over its draws
    assert 0.99 * best < np.mean(model.loss_[-200:]) < 1.05 * best


def test_embedding_of_a_vae_is_the_mean_and_shrinks_with_beta(rng):
    X = plane_data(rng)

    def embedding(beta):
        return VAE(3, hidden=(16,), n_epochs=60, beta=beta, random_state=0).fit_transform(X)

    wide, narrow = embedding(0), embedding(100)
    assert wide.shape == narrow.shape == (120, 3)
    assert narrow.std() < 0.6 * wide.std()
