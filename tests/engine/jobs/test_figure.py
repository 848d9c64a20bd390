"""A study's figure is drawn from its tables, in every format, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nldr.dataset import Dataset
from nldr.engine.jobs.figure import draw_figure
from nldr.engine.layout import DATA, EMBEDDING
from nldr.engine.store import write_csv, write_npz

METRIC = {
    "label": "R²", "title": "R²", "range": [0, 1], "direction": "higher", "source": "ours",
}  # fmt: skip


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the job of a gallery of one dataset, one method that works and one that fails."""
    monkeypatch.chdir(tmp_path)
    Z = np.random.default_rng(0).normal(size=(30, 2))
    write_npz(DATA.format(data="d", trial=0), Dataset(X=Z, Z=Z).arrays(), {})
    write_npz(EMBEDDING.format(data="d", method="pca", trial=0), {"embedding": Z}, {})
    write_npz(EMBEDDING.format(data="d", method="tsne", trial=0), {}, {})
    keys = ["dataset", "data_cell", "method", "method_cell", "trial", "status"]
    rows = [["d", "d", "pca", "pca", 0, "ok"], ["d", "d", "tsne", "tsne", 0, "timeout"]]
    write_csv("table.csv", [*keys, "message", "data.p", "r2"],
              [[*rows[0], "", "NA", 0.5], [*rows[1], "too slow", "NA", None]])  # fmt: skip
    write_csv("timings.csv", [*keys, "seconds"], [[*rows[0], 1.0], [*rows[1], None]])
    return {
        "title": "a study", "function": "nldr.figures.gallery.gallery", "params": {},
        "methods": {"pca": "PCA", "tsne": "t-SNE"}, "roles": {"pca": "method", "tsne": "method"},
        "datasets": {"d": "data"}, "metrics": {"r2": METRIC},
        "published": {"keys": {}, "values": {}, "names": {}, "where": {"data.p": 1}},
    }  # fmt: skip


def draw(job: dict[str, Any]) -> None:
    outputs = [Path("figure.pdf"), Path("figure.png")]
    draw_figure(job, Path("table.csv"), Path("timings.csv"), Path("timings.csv"), outputs)


def test_every_format_is_written_and_the_same_each_time(job: dict[str, Any]) -> None:
    draw(job)
    first = [Path(f"figure.{kind}").read_bytes() for kind in ("pdf", "png")]
    assert first[0].startswith(b"%PDF")
    assert first[1].startswith(b"\x89PNG")
    draw(job)
    assert [Path(f"figure.{kind}").read_bytes() for kind in ("pdf", "png")] == first


def test_what_a_figure_function_is_given(job: dict[str, Any], monkeypatch: Any) -> None:
    given = []
    monkeypatch.setattr(
        "nldr.engine.jobs.figure.import_object", lambda path: lambda results: given.append(results)
    )
    monkeypatch.setattr("nldr.engine.jobs.figure.save", lambda figure, path: path.write_text(""))
    draw(job)
    results = given[0]
    assert results.table["r2"].tolist()[0] == 0.5
    assert np.isnan(results.table["r2"].tolist()[1])
    assert results.table["message"].tolist() == ["", "too slow"]
    assert results.table["data.p"].tolist() == ["NA", "NA"]
    data, embedding = results.panel("d", "pca")
    np.testing.assert_array_equal(embedding, data.Z)
    assert results.panel("d", "tsne")[1] is None
    assert results.published is None
    draw({**job, "published": {"keys": {}, "values": {}, "names": {}, "where": {"data.p": "NA"}}})
    assert given[1].published is not None


def test_what_another_name_stands_for_is_not_drawn(job: dict[str, Any], monkeypatch: Any) -> None:
    keys = ["dataset", "data_cell", "method", "method_cell", "best_of", "trial", "status"]
    rows = [["d", "d", "pca", "pca", "best", 0, "ok"], ["d", "d", "best", "pca", "", 0, "ok"]]
    write_csv("table.csv", [*keys, "message", "data.p", "r2"], [[*r, "", "NA", 0.5] for r in rows])
    write_csv("timings.csv", [*keys, "seconds"], [[*row, 1.0] for row in rows])
    given = []
    monkeypatch.setattr(
        "nldr.engine.jobs.figure.import_object", lambda path: lambda results: given.append(results)
    )
    monkeypatch.setattr("nldr.engine.jobs.figure.save", lambda figure, path: path.write_text(""))
    draw(job)
    assert given[0].table["method"].tolist() == given[0].timings["method"].tolist() == ["best"]


def test_nothing_is_left_by_a_figure_that_fails(job: dict[str, Any]) -> None:
    with pytest.raises(ImportError):
        draw({**job, "function": "nldr.figures.gallery.absent"})
    assert list(Path().glob("*figure*")) == []
