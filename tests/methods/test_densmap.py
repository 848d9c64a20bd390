import numpy as np
import pytest
import umap
from numpy.testing import assert_array_equal

from nldr.methods import DensMAP


@pytest.mark.filterwarnings("ignore::UserWarning")  # the clusters are separate
def test_equals_umap_learn(rng):
    # Two clusters, one ten times as wide as the other
    X = np.concatenate([rng.normal(size=(60, 4)), 50 + 10 * rng.normal(size=(60, 4))])
    ours = DensMAP(n_neighbors=25, random_state=0).fit(X)
    theirs = umap.UMAP(n_neighbors=25, densmap=True, n_jobs=1, random_state=ours.umap_.random_state)
    assert_array_equal(ours.embedding_, theirs.fit_transform(X))
