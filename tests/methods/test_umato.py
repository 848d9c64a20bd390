"""UMATO, which compiles for a minute and is tested with the recipes: `make test-recipes`."""

import subprocess
import sys
from hashlib import sha256

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods import UMATO
from nldr.methods._threads import one_numba_thread

pytestmark = [pytest.mark.recipe, pytest.mark.filterwarnings("ignore::UserWarning")]

CENTERS = 6 * np.eye(5)[:3]
CLUSTERS = np.random.default_rng(0).normal(size=(120, 5)) + np.repeat(CENTERS, 40, axis=0)


@parametrize_with_checks([UMATO(n_neighbors=4)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_equals_the_package_in_two_processes(tmp_path):
    import umato

    ours = UMATO(n_neighbors=30, n_hubs=60, random_state=0)
    embedding = ours.fit_transform(CLUSTERS)
    assert_array_equal(ours.fit_transform(CLUSTERS), embedding)
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    with one_numba_thread():
        theirs = umato.UMATO(n_neighbors=30, hub_num=60, random_state=seed)
        assert_array_equal(theirs.fit_transform(CLUSTERS), embedding)

    np.save(tmp_path / "X.npy", CLUSTERS)
    script = (
        "import numpy as np; from hashlib import sha256; from nldr.methods import UMATO; "
        f"X = np.load({str(tmp_path / 'X.npy')!r}); "
        "Y = UMATO(n_neighbors=30, n_hubs=60, random_state=0).fit_transform(X); "
        "print(sha256(Y.tobytes()).hexdigest())"
    )
    other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert other.stdout.split() == [sha256(embedding.tobytes()).hexdigest()], other.stderr


def test_many_hubs_are_reduced_with_a_warning_to_the_caller():
    with pytest.warns(UserWarning, match="n_hubs=300 is too high for 120 samples: 60") as record:
        assert UMATO(n_neighbors=10, random_state=0).fit(CLUSTERS).n_hubs_ == 60
    assert record[0].filename == __file__
