"""How long a comparison will take is told before it is too late."""

import re
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import nldr
from nldr.comparison import draws
from nldr.comparison.draws import Fit, Runner
from nldr.comparison.methods import choose


def test_a_forecast_comes_first_and_nothing_is_compiled_in_vain(monkeypatch, capsys, rng):
    pytest.importorskip("umap")
    monkeypatch.setattr("nldr.comparison.draws.PILOT_ROWS", 20)
    X = rng.normal(size=(60, 3))
    result = nldr.compare(X, methods=["isomap", "umap"], minutes=0.5, verbose=True)
    assert "UMAP" not in result.table.index
    assert result.notes[0].startswith("UMAP is left out for lack of time")
    lines = capsys.readouterr().err.splitlines()
    forecast = next(i for i, line in enumerate(lines) if line.startswith("forecast"))
    assert re.fullmatch(r"forecast \d+ s, limit 30 s: PCA \d+ s, Isomap \d+ s", lines[forecast])
    # On a busy machine it may leave out Isomap, too
    assert any(line.startswith("PCA: no parameters to tune") for line in lines[forecast + 1 :])
    assert not any(line.startswith("PCA") for line in lines[:forecast])


@pytest.mark.parametrize(("minutes", "n_lines"), [(1e-4, 1), (9, 0)])
def test_a_forecast_of_few_rows_is_told_if_it_is_too_long(minutes, n_lines, rng, capsys):
    X = rng.normal(size=(40, 3))
    nldr.compare(X, methods=["isomap", "le"], minutes=minutes, verbose=True)
    lines = [line for line in capsys.readouterr().err.splitlines() if "by the fits so far" in line]
    assert len(lines) == n_lines


def test_once_the_time_is_up_only_fast_methods_go_on():
    chosen, _ = choose(100, ["pca", "le", "ltsa", "tsne"])
    runner = Runner(np.zeros((100, 3)), None, chosen, minutes=1, tell=lambda line: None)
    runner.start -= 100
    runner._drop({"pca": 0.1, "le": 1.0, "ltsa": 20.0, "tsne": 20.0})
    assert [method.key for method in runner.draws.methods] == ["pca", "le"]


class Clocked(Runner):
    """Tries settings by fits that do nothing but take a second on a busy processor."""

    def __init__(self, methods, minutes, waited, monkeypatch):
        self.now, self.fits = 0.0, Counter()
        clock = SimpleNamespace(monotonic=lambda: self.now)

        def fit(method, setting, points, rows, draw):
            self.now += waited
            self.fits[method.key] += 1
            Z = points[rows][:, :2]
            return Fit(method.key, setting, draw, rows, Z, seconds=1.0, waited=waited)

        monkeypatch.setattr(draws, "time", clock)
        monkeypatch.setattr(draws, "fit", fit)
        points = np.random.default_rng(0).normal(size=(40, 3))
        super().__init__(points, None, methods, minutes, tell=lambda line: None)
        self._choose_settings()


def test_time_is_checked_before_each_fit_of_the_first_draw(monkeypatch):
    chosen, _ = choose(32, ["pca", "isomap", "le", "tsne"])
    # Fits may take 51 s, of which the first five leave 1 s
    runner = Clocked(chosen, minutes=1, waited=10.0, monkeypatch=monkeypatch)
    assert runner.fits == {"pca": 1, "isomap": 3, "le": 1}
    assert [method.key for method in runner.draws.methods] == ["pca", "isomap"]
    assert {result.method for result in runner.draws.tried} == {"pca", "isomap"}
    first, second = runner.draws.dropped
    assert first.startswith(
        "Laplacian eigenmaps is left out for lack of time: it would take about 10 s, and all "
        "methods together have 1 of 60 s left"
    )
    assert second.startswith("t-SNE is left out")


@pytest.mark.parametrize(("minutes", "n_fits"), [(1, 0), (2, 3)])
def test_code_is_compiled_last_and_only_in_time(minutes, n_fits, monkeypatch):
    pca, tsne = choose(32, ["pca", "tsne"])[0]
    compiled = replace(tsne, key="umap", package="umap")
    # A busy processor is expected to need 51 s for what takes 15 s otherwise
    runner = Clocked([pca, compiled, tsne], minutes, waited=4.0, monkeypatch=monkeypatch)
    assert runner.fits["umap"] == n_fits
    assert [*runner.draws.settings][:2] == ["pca", "tsne"]


def test_a_fit_of_milliseconds_does_not_say_how_busy_the_processor_is():
    pca, tsne = choose(32, ["pca", "tsne"])[0]
    runner = Runner(np.zeros((40, 3)), None, [pca], minutes=1, tell=lambda line: None)
    runner.timed = [Fit("pca", 0, 0, np.arange(32), seconds=0.01, waited=0.25)]
    assert runner._expected(replace(tsne, package="umap")) < 2 * draws.COMPILING


def test_pca_remains_whatever_the_limit(rng):
    X = rng.normal(size=(40, 3))
    result = nldr.compare(X, methods=["isomap", "le"], minutes=1e-9)
    assert list(result.table.index) == ["PCA", "random coordinates"]
    assert len(result.notes) == 2
