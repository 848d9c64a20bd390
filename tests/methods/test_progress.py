"""Progress is told of fits of many steps, and changes none of their numbers."""

import re
from itertools import count

import numpy as np
import pytest

import nldr.methods
from nldr.methods import _progress
from nldr.methods._printed import printed_progress
from nldr.methods._progress import StepProgress

FITS = {
    "TSNE": {"perplexity": 5, "n_iter": 50},
    "DREAMS": {"perplexity": 5, "n_iter": 50},
    "UMAP": {"n_epochs": 20},
    "DensMAP": {"n_epochs": 20},
    "IKD": {"polish": True},
    "Autoencoder": {"hidden": (8,), "n_epochs": 3},  # for all networks, which inherit its fit
    "LocalMAP": {"n_neighbors": 5},
    "MetricMDS": {"max_iter": 40},
    "NonmetricMDS": {"max_iter": 40},
    "PaCMAP": {"n_neighbors": 5},
    "Sammon": {"max_iter": 40},
}


@pytest.fixture
def always(monkeypatch):
    """Print a line after each step."""
    monkeypatch.setattr(_progress, "INTERVAL", 0.0)


@pytest.mark.filterwarnings("ignore:the stress did not converge")
@pytest.mark.parametrize("name", FITS)
def test_told_fits_have_the_same_numbers(name, rng, always, capsys):
    X = rng.normal(size=(60, 25))
    method = getattr(nldr.methods, name)(**FITS[name])
    if "random_state" in method.get_params():
        method.set_params(random_state=0)
    silent = method.fit_transform(X)
    assert capsys.readouterr() == ("", "")
    told = method.set_params(verbose=True).fit_transform(X)
    np.testing.assert_array_equal(told, silent)
    lines = "".join(capsys.readouterr())
    pattern = r"[\w -]+: (epoch|iteration) \d+ of \d+, .*\S+ left"
    assert re.search(pattern, lines), lines
    assert "Iteration" not in lines  # of the libraries


def test_disjoint_mvu_tells_components_and_their_gaps(rng, monkeypatch, capsys):
    X = rng.normal(size=(60, 3)) + np.repeat([0, 50], [20, 40])[:, np.newaxis]
    monkeypatch.setattr("nldr.methods.mvu._progress.time.monotonic", count(0, 100).__next__)
    silent = nldr.methods.DisjointMVU().fit_transform(X)
    assert capsys.readouterr().out == ""
    told = nldr.methods.DisjointMVU(verbose=True).fit_transform(X)
    np.testing.assert_array_equal(told, silent)
    lines = capsys.readouterr().out.splitlines()
    assert "Disjoint MVU: component 2 of 2, 40 points" in lines
    assert re.search(r"^MVU: iteration \d+, gap .*about .* left", "\n".join(lines), re.MULTILINE)


def test_steps_that_a_library_prints_are_counted(always, capsys):
    with printed_progress("MDS", "loss", 30, 10):
        print("Initial Loss: 9.0")
        print("Iteration:   10, Loss: 0.5")
        print("Iteration:   20, Loss: 0.25")
    print("after it")
    first, second, last = capsys.readouterr().out.splitlines()
    assert first == "MDS: iteration 10 of 30, loss 0.5"
    assert re.fullmatch("MDS: iteration 20 of 30, loss 0.25, at most .* left", second)
    assert last == "after it"


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
