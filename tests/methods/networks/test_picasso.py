"""Picasso: maps in the shape of an elephant."""

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from nldr.methods.networks.picasso import Picasso, outline, shape_loss


def test_outline_is_evenly_spaced_and_scaled():
    points = outline(400)
    steps = np.linalg.norm(np.diff(points, axis=0, append=points[:1]), axis=1)
    assert steps.max() < 1.05 * np.median(steps)  # across a corner a step is shorter
    assert_allclose(points.mean(axis=0), 0, atol=1e-12)
    assert_allclose(np.mean(np.sum(points**2, axis=1)), 1)
    # The trunk points to the right, and up
    assert points[np.argmax(points[:, 0])] @ [0.5, 1.0] > 0.9


@pytest.mark.parametrize("fraction", [0.0, 0.3, 1.0])
def test_loss_is_that_of_the_best_match(rng, fraction):
    X, shape = rng.normal(size=(9, 4)), rng.normal(size=(9, 2))
    encode, decode = rng.normal(size=(4, 2)), rng.normal(size=(2, 4))
    numbers = np.array([5, 1, 7])
    model = lambda x: x @ encode, lambda z: z @ decode
    loss = shape_loss(model, (jnp.array(X), jnp.array(shape)), (numbers, fraction))
    codes = X[numbers] @ encode
    distances = cdist(codes, shape)
    matched = distances[linear_sum_assignment(distances)].sum()
    errors = np.linalg.norm(codes @ decode - X[numbers])
    assert_allclose(loss, fraction * matched + (1 - fraction) * errors, rtol=1e-5)


def test_codes_take_the_shape(rng):
    X = rng.normal(size=(100, 3)) * [3, 2, 1]
    model = Picasso(fraction=0.5, n_epochs=300, random_state=0).fit(X)
    gaps = cdist(model.embedding_, outline(100)).min(axis=1)
    assert np.median(gaps) < 0.1
    assert np.isfinite(model.transform(X[:5] + 0.1)).all()
    free = Picasso(fraction=0.0, n_epochs=300, random_state=0).fit_transform(X)
    assert np.median(cdist(free, outline(100)).min(axis=1)) > 0.1
