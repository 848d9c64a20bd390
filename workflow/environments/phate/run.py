"""PHATE by its own package."""

import json
import sys
import time
from pathlib import Path

import numpy as np
from phate import PHATE

folder = Path(sys.argv[1])
X = np.load(folder / "input.npz")["X"]
parameters = json.loads((folder / "parameters.json").read_text(encoding="utf-8"))
began = time.perf_counter()
embedding = PHATE(n_jobs=1, verbose=0, **parameters).fit_transform(X)
facts = {"fit_seconds": time.perf_counter() - began}
np.savez(folder / "output.npz", embedding=embedding)
(folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
