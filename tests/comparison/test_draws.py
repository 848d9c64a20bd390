"""How long a comparison will take is told before it is too late."""

import re

import numpy as np
import pytest

import nldr
from nldr.comparison.draws import Runner
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
    assert lines[forecast + 1].startswith("PCA: no parameters to tune")


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
