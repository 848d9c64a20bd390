import numpy as np
import pytest
import umap
from numpy.testing import assert_array_equal

from nldr.methods import UMAP, DensMAP


@pytest.fixture
def X(rng):
    return rng.standard_normal((120, 6))


@pytest.mark.parametrize("n_components", [1, 3])
def test_equals_umap_learn(n_components, X):
    ours = UMAP(n_components, min_dist=0.3, n_epochs=50, random_state=0).fit(X)
    theirs = umap.UMAP(
        n_components=n_components,
        min_dist=0.3,
        n_epochs=50,
        n_jobs=1,
        random_state=ours.umap_.random_state,
    )
    assert_array_equal(ours.embedding_, theirs.fit_transform(X))
    assert ours.n_connected_components_ == 1


@pytest.mark.filterwarnings("ignore::UserWarning")  # the clusters are separate
def test_densmap_equals_umap_learn(rng):
    # Two clusters, one ten times as wide as the other
    X = np.concatenate([rng.normal(size=(60, 4)), 50 + 10 * rng.normal(size=(60, 4))])
    ours = DensMAP(n_neighbors=25, random_state=0).fit(X)
    theirs = umap.UMAP(n_neighbors=25, densmap=True, n_jobs=1, random_state=ours.umap_.random_state)
    assert_array_equal(ours.embedding_, theirs.fit_transform(X))


def test_transform_equals_umap_learn(X):
    model = UMAP(n_epochs=30, random_state=0).fit(X[:100])
    new = X[100:]
    assert_array_equal(model.transform(new), model.umap_.transform(new.astype(np.float32)))
    # Training rows among the new ones do not matter
    mixed = np.vstack([X[:3], new])
    assert_array_equal(model.transform(mixed)[:3], model.embedding_[:3])
    assert_array_equal(model.transform(mixed)[3:], model.transform(new))


def test_a_single_epoch_places_new_rows_too(X):
    # umap-learn divides the number of epochs by three for new rows
    model = UMAP(n_epochs=1, random_state=0).fit(X[:100])
    assert np.isfinite(model.transform(X[100:])).all()
