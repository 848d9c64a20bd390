"""The rules of the released runs, against scikit-learn's methods where they are the same."""

import numpy as np
import pytest
from scipy.linalg import eigh
from sklearn.manifold import Isomap, LocallyLinearEmbedding

from nldr.methods.spectral.released import ReleasedIsomap, ReleasedLE, ReleasedLLE
from nldr.methods.spectral.rounded import RoundedLE, RoundedLLE
from nldr.methods.spectral.selected import SelectedLLE

N_NEIGHBORS = 10


@pytest.fixture
def sheet(rng):
    """Return points of a bent sheet."""
    u, v = rng.uniform(size=(2, 300))
    return np.column_stack([np.cos(2 * u), np.sin(2 * u), 2 * v])


@pytest.mark.parametrize("solver", ["inverse", "system"])
def test_lle_on_a_ring_is_that_of_scikit_learn(solver):
    # On a ring, all local Gram matrices have the same trace, and a ridge relative to it is constant
    angle = 2 * np.pi * np.arange(100) / 100
    X = 5 * np.column_stack([np.cos(angle), np.sin(angle)])
    differences = X[[98, 99, 1, 2]] - X[0]
    Z = ReleasedLLE(2, n_neighbors=4, solver=solver).fit_transform(X)
    reg = 0.001 / np.sum(differences**2)
    other = LocallyLinearEmbedding(n_neighbors=4, reg=reg, eigen_solver="dense").fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, other @ other.T, atol=1e-6)  # turned: equal eigenvalues


def test_isomap_is_scikit_learn_times_the_roots_of_eigenvalues(sheet):
    Z = ReleasedIsomap(2, n_neighbors=N_NEIGHBORS).fit_transform(sheet)
    other = Isomap(n_neighbors=N_NEIGHBORS, n_components=2)
    roots = np.sqrt(other.fit(sheet).kernel_pca_.eigenvalues_)
    np.testing.assert_allclose(np.abs(Z), np.abs(other.embedding_ * roots), rtol=1e-6, atol=1e-6)


def test_le_solves_the_generalized_eigenproblem(sheet):
    method = ReleasedLE(2, n_neighbors=N_NEIGHBORS)
    Z = method.fit_transform(sheet)
    graph = method._distances(sheet, directed=False)
    squares = (graph + graph.T) ** 2
    width = np.std(squares[squares > 0])
    W = np.where(squares > 0, np.exp(-squares / (2 * width**2)), 0)
    D = np.diag(W.sum(axis=1))
    values = eigh(D - W, D, eigvals_only=True)[1:3]
    np.testing.assert_allclose((D - W) @ Z, D @ Z * values, atol=1e-9)


# Rounded methods: the same maps, with rounding errors of their own
@pytest.mark.parametrize(("rounded", "plain"), [(RoundedLE, ReleasedLE), (RoundedLLE, ReleasedLLE)])
def test_trials_differ_in_rounding_errors_alone(rounded, plain, sheet):
    first, second = (
        rounded(2, n_neighbors=8, random_state=seed).fit_transform(10 * sheet) for seed in (0, 1)
    )
    assert not np.array_equal(first, second)
    np.testing.assert_allclose(first, second, atol=1e-5)
    np.testing.assert_allclose(first, plain(2, n_neighbors=8).fit_transform(10 * sheet), atol=1e-5)


def test_unit_is_a_factor_of_the_data(rng):
    X = rng.standard_normal((80, 20))
    expected = ReleasedLLE(2, n_neighbors=8).fit_transform(0.05 * X)
    Z = RoundedLLE(2, n_neighbors=8, unit=0.05, random_state=0).fit_transform(X)
    np.testing.assert_allclose(Z, expected, atol=1e-5)


# On two components: two kinds of results, whatever the order of rows
@pytest.fixture
def pair(sheet, rng):
    """Return two sheets far from each other, with rows in random order, and which sheet each is."""
    which = rng.permutation(np.repeat([0, 1], 150))
    return sheet + 50 * which[:, np.newaxis], which


@pytest.mark.parametrize("seed", range(3))
def test_component_is_exactly_at_the_origin_or_nearly_a_point_beside_a_line(seed, pair):
    X, which = pair
    Z = SelectedLLE(2, n_neighbors=8, random_state=seed).fit_transform(X)
    at_origin = [not np.any(Z[which == sheet]) for sheet in (0, 1)]
    assert sum(at_origin) == 1
    other = Z[which == at_origin.index(False)]
    assert np.ptp(other[:, 0]) < 1e-3 < np.ptp(other[:, 1])
    # Elsewhere
    Z = SelectedLLE(2, n_neighbors=8, random_state=seed, point="elsewhere").fit_transform(X)
    line = int(np.ptp(Z[which == 1, 1]) > np.ptp(Z[which == 0, 1]))
    assert np.any(Z[which != line, 0])
    assert not np.any(Z[which == line, 0])
    assert not np.any(Z[which != line, 1])


def test_no_component_is_at_the_origin_if_there_is_one(sheet):
    with pytest.raises(ValueError, match=r"no result of 50 .* at the origin: use data whose"):
        SelectedLLE(2, n_neighbors=8, random_state=0).fit_transform(sheet[:60])
