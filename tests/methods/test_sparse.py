"""Sparse rows are embedded as dense ones, without becoming dense."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_array, csr_array, csr_matrix

from nldr.methods import Isomap, LaplacianEigenmaps


@pytest.fixture
def X(rng):
    """Return two groups of rows, mostly zeros, without equal distances."""
    values = rng.poisson(0.4, (160, 50)) * rng.gamma(5, size=(160, 50))
    values[:80, 0] += 100
    return values


@pytest.mark.parametrize("sparse", [coo_array, csr_array, csr_matrix])
@pytest.mark.parametrize("disconnected", ["warn", "bridges"])
@pytest.mark.filterwarnings("ignore:the neighborhood graph", "ignore:Graph is not fully")
@pytest.mark.parametrize("method", [Isomap, LaplacianEigenmaps])
def test_sparse_rows_have_the_embedding_of_dense_ones(method, disconnected, sparse, X, monkeypatch):
    dense = method(n_neighbors=8, disconnected=disconnected).fit(X)
    assert dense.n_connected_components_ == 2
    for name in ("toarray", "todense"):  # of the rows: graphs have as many columns as rows
        monkeypatch.setattr(csr_array, name, refuse_rows(getattr(csr_array, name)))
        monkeypatch.setattr(csr_matrix, name, refuse_rows(getattr(csr_matrix, name)))
    fitted = method(n_neighbors=8, disconnected=disconnected).fit(sparse(X))
    assert_array_equal(fitted.added_edges_, dense.added_edges_)
    if method is Isomap:
        assert_allclose(fitted.dist_matrix_, dense.dist_matrix_, rtol=1e-9, atol=1e-9)
        scale = np.ptp(dense.embedding_)
        assert_allclose(fitted.embedding_, dense.embedding_, atol=1e-8 * scale)
        assert_allclose(
            fitted.transform(sparse(X[:9] * 1.01)),
            dense.transform(X[:9] * 1.01),
            atol=1e-8 * scale,
        )
    else:  # only its graph depends on the rows
        assert_array_equal(fitted.embedding_, dense.embedding_)


def refuse_rows(convert):
    """Return a conversion to dense that fails for the rows of the data."""

    def checked(matrix, *args, **kwargs):
        assert matrix.shape[1] != 50, "the rows were made dense"
        return convert(matrix, *args, **kwargs)

    return checked


@pytest.mark.parametrize("method", [Isomap, LaplacianEigenmaps])
@pytest.mark.parametrize("remedy", ["enhanced", "more_neighbors"])
def test_remedies_that_need_dense_rows_say_so(method, remedy, X):
    with pytest.raises(ValueError, match=f"disconnected='{remedy}' needs dense rows"):
        method(disconnected=remedy).fit(csr_array(X))
