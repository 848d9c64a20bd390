"""PaCMAP and LocalMAP: the package's embedding, new rows, and equal results in two processes."""

import subprocess
import sys
from hashlib import sha256

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from nldr import methods
from nldr.methods import LocalMAP, PaCMAP
from nldr.methods._threads import one_numba_thread


@pytest.mark.parametrize("method", [PaCMAP, LocalMAP])
def test_equals_the_package(method, rng):
    X = rng.normal(size=(90, 5)) + 20 * np.eye(5)[np.repeat(np.arange(3), 30)]
    ours = method(random_state=0).fit(X)
    theirs = type(ours.pacmap_)(random_state=ours.pacmap_.random_state)
    with one_numba_thread():  # LocalMAP draws other points with more
        assert_array_equal(ours.embedding_, theirs.fit_transform(X))
    assert_array_equal(ours.transform(X[:2]), ours.embedding_[:2])  # training rows keep theirs


def test_more_than_a_hundred_features_and_few_samples(rng):
    X = rng.normal(size=(20, 120))
    model = PaCMAP(n_neighbors=4, random_state=0).fit(X)
    assert np.isfinite(model.transform(X + 0.01)).all()
    assert np.isfinite(PaCMAP(1, n_neighbors=1, random_state=0).fit_transform(X[:5])).all()


SCRIPT = """
import numpy as np
from hashlib import sha256
from nldr import methods
X = np.load({file!r})
for name, params in {estimators!r}:
    print(sha256(getattr(methods, name)(**params).fit_transform(X).tobytes()).hexdigest())
"""


def test_two_processes_get_the_same_bits(tmp_path, rng):
    seed = {"random_state": 0}
    estimators = [("PaCMAP", seed), ("LocalMAP", seed), ("DREAMS", {"n_iter": 50, **seed})]
    estimators += [(name, {}) for name in ("DiffusionMaps", "NonmetricMDS", "Sammon")]
    X = rng.normal(size=(150, 4))
    np.save(tmp_path / "X.npy", X)
    script = SCRIPT.format(file=str(tmp_path / "X.npy"), estimators=estimators)
    other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert other.returncode == 0, other.stderr
    embeddings = [getattr(methods, name)(**p).fit_transform(X) for name, p in estimators]
    assert other.stdout.split() == [sha256(Y.tobytes()).hexdigest() for Y in embeddings]
