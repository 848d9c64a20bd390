import numpy as np
import pytest
from numpy.testing import assert_allclose

from nldr.datasets.manifolds import swiss_roll
from nldr.methods.mvu import certificate
from nldr.methods.mvu.certificate import certify, violation
from nldr.methods.mvu.mvu import MVU

CONSTRAINTS = pytest.mark.parametrize("constraint", ["equal", "shrink"])


@pytest.fixture
def X(rng):
    return swiss_roll(n_samples=80, height=20.0, noise=0.0, rng=rng).X


@CONSTRAINTS
def test_certificate_confirms_the_fit_by_dense_and_by_sparse_matrices(constraint, X, monkeypatch):
    mvu = MVU(n_neighbors=6, constraint=constraint, disconnected="bridges").fit(X)
    proof = mvu.certificate(X)
    assert proof.trace == pytest.approx(mvu.trace_)
    assert proof.bound == pytest.approx(mvu.dual_bound_, rel=1e-5)
    assert proof.gap == pytest.approx(mvu.duality_gap_, abs=1e-5)
    assert proof.violation == pytest.approx(mvu.max_violation_, abs=1e-9)
    monkeypatch.setattr(certificate, "DENSE", 10)
    assert mvu.certificate(X).bound == pytest.approx(proof.bound, rel=1e-3)
    mvu.multipliers_ = -mvu.multipliers_
    assert mvu.certificate(X).bound == np.inf


def test_negative_multipliers_prove_nothing_if_edges_may_shrink():
    edges, line = np.array([[0, 1], [1, 2], [0, 2]]), np.array([[-1.0], [0.0], [1.0]])
    w = np.array([1.5, 1.5, -0.25])
    squared = np.array([1.0, 1.0, 4.0])
    assert certify(squared, edges, w, line).bound == pytest.approx(2.0, rel=0.2)
    assert certify(squared, edges, w, line, shrink=True).bound == np.inf


def test_false_dependencies_raise():
    edges, line = np.array([[0, 1], [1, 2], [0, 2]]), np.array([[-1.0], [0.0], [1.0]])
    squared = np.array([1.0, 1.0, 4.0])
    true, false = np.array([[1.0], [-2.0], [1.0]]), np.array([[1.0], [-1.5], [0.5]])
    assert certify(squared, edges, np.ones(3), line, dependencies=true).gap < np.inf
    with pytest.raises(ValueError, match="no affine dependency of joined points"):
        certify(squared, edges, np.ones(3), line, dependencies=false)
    # Points 0 and 2 are not joined, so that their distance is not fixed
    with pytest.raises(ValueError, match="no affine dependency of joined points"):
        certify(squared[:2], edges[:2], np.ones(2), line, dependencies=true)


def test_violation_counts_only_excess_if_edges_may_shrink():
    edges, line = np.array([[0, 1], [1, 2]]), np.array([[0.0], [0.5], [1.5]])
    assert violation(np.ones(2), edges, line) == pytest.approx(0.75)
    assert violation(np.ones(2), edges, line, shrink=True) == 0


@pytest.mark.parametrize("jitter", [1e-2, 1e-6, 0.0])
@pytest.mark.parametrize(
    ("constraint", "solver"), [("equal", "auto"), ("shrink", "auto"), ("shrink", "low_rank")]
)
def test_nearly_repeated_points_do_no_harm(constraint, solver, jitter, rng):
    X = swiss_roll(n_samples=80, height=30.0, noise=0.0, rng=rng).X
    X = np.concatenate([X, X[:20] + jitter * rng.standard_normal((20, 3))])
    options = {"constraint": constraint, "solver": solver, "disconnected": "bridges"}
    mvu = MVU(n_neighbors=5, **options).fit(X)
    assert abs(mvu.duality_gap_) <= 1e-2
    assert mvu.max_violation_ <= 3e-5
    # Squared lengths are exact to 3e-5 of their mean, which is about 10
    assert_allclose(mvu.embedding_[:20], mvu.embedding_[80:], atol=5 * jitter + 3e-2)
    assert mvu.certificate(X).bound == pytest.approx(mvu.dual_bound_, rel=1e-4)


@CONSTRAINTS
def test_distances_give_the_same_as_points(constraint, X):
    params = {"n_neighbors": 7, "constraint": constraint, "disconnected": "bridges", "tol": 1e-4}
    distances = np.linalg.norm(X[:, np.newaxis] - X, axis=2)
    points = MVU(**params).fit(X)
    other = MVU(metric="precomputed", **params).fit(distances)
    assert other.trace_ == pytest.approx(points.trace_, rel=1e-3)
    assert other.certificate(distances).gap == pytest.approx(other.duality_gap_, abs=1e-5)


def test_given_graph_is_used(X):
    X, path = X[:40], np.diag(np.ones(39), 1)
    mvu = MVU(1, graph=path, tol=1e-4).fit(X)
    assert len(mvu.edges_) == 39
    steps = np.append(0, np.cumsum(np.linalg.norm(np.diff(X, axis=0), axis=1)))
    assert mvu.trace_ == pytest.approx(np.square(steps - steps.mean()).sum(), rel=1e-3)
    # All its components are joined if asked to
    joined = MVU(graph=np.zeros((40, 40)), disconnected="bridges").fit(X)
    assert len(joined.edges_) == len(joined.added_edges_) == 39
