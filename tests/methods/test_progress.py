"""Progress is told of fits of many steps, and changes none of their numbers."""

import re

import numpy as np
import pytest

import nldr.methods
from nldr.methods import _progress
from nldr.methods._progress import StepProgress

FITS = {
    "TSNE": {"perplexity": 5, "n_iter": 50},
    "DREAMS": {"perplexity": 5, "n_iter": 50},
    "UMAP": {"n_epochs": 20},
    "DensMAP": {"n_epochs": 20},
    "IKD": {"polish": True},
    "Autoencoder": {"hidden": (8,), "n_epochs": 3},  # for all networks, which inherit its fit
}


@pytest.fixture
def always(monkeypatch):
    """Print a line after each step."""
    monkeypatch.setattr(_progress, "INTERVAL", 0.0)


@pytest.mark.parametrize("name", FITS)
def test_told_fits_have_the_same_numbers(name, rng, always, capsys):
    X = rng.normal(size=(60, 25))
    make = getattr(nldr.methods, name)
    silent = make(**FITS[name], random_state=0).fit_transform(X)
    assert capsys.readouterr() == ("", "")
    told = make(**FITS[name], random_state=0, verbose=True).fit_transform(X)
    np.testing.assert_array_equal(told, silent)
    lines = "".join(capsys.readouterr())
    pattern = r"\w+: (epoch|iteration) \d+ of \d+, .*\S+ left"
    assert re.search(pattern, lines.replace("t-SNE", "tSNE")), lines


def test_a_line_says_what_converges_and_how_long_it_takes_at_most(always, capsys, monkeypatch):
    clock = iter([0.0, 500.0, 520.0, 535.0])
    monkeypatch.setattr(_progress.time, "monotonic", lambda: next(clock))
    progress = StepProgress("Name", "step", "loss", 100)
    progress.advance(10, 0.5)
    progress.advance(10, 0.25)
    progress.advance(70, 0.125)
    assert capsys.readouterr().out.splitlines() == [
        "Name: step 10 of 100, loss 0.5",
        "Name: step 20 of 100, loss 0.25, at most 3 min left",
        "Name: step 90 of 100, loss 0.125, at most 4 s left",
    ]


def test_nothing_is_printed_within_the_interval(capsys):
    StepProgress("Name", "step", "loss", 100).advance(1, 0.5)
    assert capsys.readouterr().out == ""
