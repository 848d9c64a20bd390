"""TriMap by its own package, which has no random state: NumPy's generators are seeded.

Each thread of compiled code has a generator of its own, so there is a single thread.
"""

import json
import sys
import time
from pathlib import Path

import numba
import numpy as np
from trimap import TRIMAP

folder = Path(sys.argv[1])
X = np.load(folder / "input.npz")["X"]
parameters = json.loads((folder / "parameters.json").read_text(encoding="utf-8"))
seed = parameters.pop("random_state")
n_dims = parameters.pop("n_components")


@numba.njit
def seed_compiled(seed):
    """Seed the generator of compiled functions, which is another one."""
    np.random.seed(seed)  # noqa: NPY002 - the one that compiled functions have


numba.set_num_threads(1)
np.random.seed(seed)  # noqa: NPY002 - the one that TriMap uses
seed_compiled(seed)
began = time.perf_counter()
embedding = TRIMAP(n_dims=n_dims, verbose=False, **parameters).fit_transform(X.astype(np.float32))
facts = {"fit_seconds": time.perf_counter() - began}
np.savez(folder / "output.npz", embedding=embedding)
(folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
