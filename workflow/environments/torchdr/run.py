"""Methods of TorchDR, on the GPU if PyTorch has one: ``method`` is the name of the class."""

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
import torchdr

folder = Path(sys.argv[1])
X = np.load(folder / "input.npz")["X"].astype(np.float32)
parameters = json.loads((folder / "parameters.json").read_text(encoding="utf-8"))
method = getattr(torchdr, parameters.pop("method"))
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.set_num_threads(1)
began = time.perf_counter()
embedding = method(device=device, backend=None, **parameters).fit_transform(X)
facts = {"fit_seconds": time.perf_counter() - began}
np.savez(folder / "output.npz", embedding=np.asarray(embedding))
(folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
