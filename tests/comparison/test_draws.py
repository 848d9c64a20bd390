"""How long a comparison will take is told before it is too late."""

import re

import pytest

import nldr


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
