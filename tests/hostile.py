"""Datasets and metrics that misbehave, each in its own way, with the status that is right."""

import os
import sys
import threading
import time

import numpy as np
from planted import throw, write_nonsense

from nldr.dataset import Dataset

X = np.arange(60.0).reshape(20, 3)


def _forks(value):
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
    return value


def _recurses(value):
    return _recurses(value) + 1


def _prints(value):
    for _ in range(100):
        print("x" * 10**5)
    return value


def _starts_a_thread(value):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    return value


def _closes_output(value):
    os.close(1)
    os.close(2)
    return value


# What happens to the process, by name: the status, and what a value becomes
ACTS = {
    "hangs": ("timeout", lambda value: time.sleep(600)),
    "exits": ("error", lambda value: os._exit(0)),
    "leaves": ("error", lambda value: sys.exit(3)),
    "aborts": ("error", lambda value: os.abort()),
    "asks": ("error", lambda value: input()),
    "recurses": ("error", _recurses),
    "interrupts": ("out_of_memory", lambda value: throw(KeyboardInterrupt())),
    "has_no_memory": ("out_of_memory", lambda value: np.ones(2**40)),
    "refuses": ("invalid_input", lambda value: throw(ValueError("no"))),
    "forks": ("ok", _forks),
    "starts_a_thread": ("ok", _starts_a_thread),
    "changes_folder": ("ok", lambda value: os.chdir("/") or value),
    "prints": ("ok", _prints),
    "closes_output": ("ok", _closes_output),
}
# What a dataset returns: the status, and the dataset
DATA = {
    "nan": ("invalid_input", lambda: Dataset(X=np.where(X == 5, np.nan, X))),
    "inf": ("invalid_input", lambda: Dataset(X=np.where(X == 5, np.inf, X))),
    "too_few_rows": ("invalid_input", lambda: Dataset(X=X[1:])),
    "labels_of_other_rows": ("invalid_input", lambda: Dataset(X=X, y=np.arange(19))),
    "one_dimension": ("invalid_input", lambda: Dataset(X=X[0])),
    "whole_numbers": ("ok", lambda: Dataset(X=X.astype(int))),
    "complex": ("error", lambda: Dataset(X=X + 1j)),
    "objects": ("error", lambda: Dataset(X=X.astype(object))),
    "text": ("error", lambda: Dataset(X=X.astype(str))),
    "list": ("error", lambda: Dataset(X=X.tolist())),
    "none": ("error", lambda: None),
    "array": ("error", lambda: X),
    **{name: (status, lambda act=act: act(Dataset(X=X))) for name, (status, act) in ACTS.items()},
    "replaces_library": ("error", lambda: setattr(np, "savez", write_nonsense) or Dataset(X=X)),
}
# What a metric returns: the status, and the scores
SCORES = {
    "nan": ("ok", lambda: {"spread": np.nan, "count": 1}),
    "inf": ("ok", lambda: {"spread": np.inf, "count": 1}),
    "array_of_one": ("ok", lambda: {"spread": np.ones(1)[0], "count": np.int64(3)}),
    "complex": ("error", lambda: {"spread": 1j, "count": 1}),
    "array": ("error", lambda: {"spread": X, "count": 1}),
    "text": ("error", lambda: {"spread": "high", "count": 1}),
    "none": ("error", lambda: None),
    "number": ("error", lambda: 1.0),
    "too_few": ("error", lambda: {"spread": 1.0}),
    **{
        name: (status, lambda act=act: act({"spread": 1.0, "count": 1}))
        for name, (status, act) in ACTS.items()
    },
}
for _name, (_, _make) in DATA.items():
    globals()[f"data_{_name}"] = lambda n_samples=20, make=_make: make()
for _name, (_, _make) in SCORES.items():
    globals()[f"score_{_name}"] = lambda data, embedding, make=_make: make()
