"""A figure is drawn from its study's tables, in every format, completely or not at all."""

from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from conftest import write_trials
from matplotlib.figure import Figure

from nldr.claims.jobs import PublishedJoin
from nldr.dataset import Dataset
from nldr.engine.files.store import file_entry, write_csv, write_manifest
from nldr.engine.jobs.report_specs import FigureJob
from nldr.engine.jobs.requests import Request
from nldr.engine.running.cells import run
from nldr.engine.stages.figure import draw_figure
from nldr.engine.stages.trials import read_table
from nldr.figures.results import NO_BREAK
from nldr.figures.svg import read_alt

METRIC = {"label": "R²", "title": "R²", "range": [0, 1], "direction": "higher", "source": "ours"}
KEYS = ["dataset", "data_cell", "method", "method_cell", "trial", "status"]
KINDS = ("pdf", "png", "svg")
LOOK = {"color": "#000000", "marker": "o", "variant": 0, "control": False}
CELLS = [("d", "pca"), ("d", "tsne")]
JOIN = PublishedJoin({"name": "method"}, {}, {"data.p": 1}, {"r2": ["mean"]}, {})


@pytest.fixture
def job(tmp_path, monkeypatch):
    """Return the job of a gallery of one dataset, one method that works and one that fails."""
    monkeypatch.chdir(tmp_path)
    Z = np.random.default_rng(0).normal(size=(30, 2))
    write_trials("data", [Dataset(X=Z, Z=Z).arrays()])
    write_trials("pca", [{"embedding": Z, "fit.loss": Z[:, 0]}])
    write_trials("tsne", ["timeout"])
    rows = [["d", "d", "pca", "pca", 0, "ok"], ["d", "d", "tsne", "tsne", 0, "timeout"]]
    write_csv(
        "table.csv",
        [*KEYS, "message", "data.p", "r2"],
        [[*rows[0], "", "NA", 0.5], [*rows[1], "too slow", "NA", None]],
    )
    write_csv("timings.csv", [*KEYS, "seconds"], [[*rows[0], 1.0], [*rows[1], None]])
    Path("published.csv").write_text("name,mean\nPCA,0.6\nt-SNE,0.7\nUMAP,0.8\n")
    return FigureJob(
        title="a study",
        function="nldr.figures.gallery.gallery",
        params={},
        cells=CELLS,
        panels=["d"],
        groups=[],
        tuned=True,
        methods={"pca": "PCA", "tsne": "t-SNE"},
        datasets={"d": "data"},
        roles={"pca": "method", "tsne": "method"},
        looks={"pca": LOOK, "tsne": LOOK | {"marker": "s"}},
        metrics={"r2": METRIC},
        published=JOIN,
        scale="smoke",
        code="",
    )


def draw(job):
    inputs = {
        "table": ["table.csv"],
        "timings": ["timings.csv"],
        "published": ["published.csv"],
        "panel_data": ["data/trials-1.json"],
        "panel_embeddings": [f"{method}/trials-1.json" for _, method in job.cells],
    }
    outputs = {kind: f"figure.{kind}" for kind in KINDS}
    draw_figure(job, inputs, outputs, lambda: None)


def results_of(job, monkeypatch):
    """Return what the figure function is given."""
    given = []

    def remember(results):
        given.append(results)
        return Figure()

    monkeypatch.setattr("nldr.engine.stages.figure.import_object", lambda path: remember)
    draw(job)
    return given[0]


def test_every_format_is_written_with_a_note_and_a_description(job):
    draw(job)
    assert Path("figure.pdf").read_bytes().startswith(b"%PDF")
    assert Path("figure.png").read_bytes().startswith(b"\x89PNG")
    svg = Path("figure.svg").read_text()
    assert svg.startswith("<svg")
    assert "Scale smoke; 1 trial." in svg.replace(NO_BREAK, " ")
    alt = read_alt(svg)
    assert alt.startswith("a study. The embeddings of each dataset's first trial under each")
    assert "Metrics: R². Methods: PCA; t-SNE. Datasets: data." in alt
    assert ' id="figure-alt"' in svg


def test_results_hold_tables_looks_and_panels(job, monkeypatch):
    results = results_of(job, monkeypatch)
    assert results.table["r2"].tolist()[0] == 0.5
    assert np.isnan(results.table["r2"].tolist()[1])
    assert results.table["ok"].tolist() == results.timings["ok"].tolist() == [True, False]
    assert results.table["message"].tolist() == ["", "too slow"]
    assert results.table["data.p"].tolist() == ["NA", "NA"]
    assert [look.marker for look in results.looks.values()] == ["o", "s"]
    data, embedding = results.panel("d", "pca")
    np.testing.assert_array_equal(embedding, data.Z)
    np.testing.assert_array_equal(results.history("d", "pca", "loss"), data.Z[:, 0])
    assert results.panel("d", "tsne")[1] is None


def test_panel_of_a_dataset_that_failed_is_empty(job, monkeypatch):
    failed = [{"trial": 0, "status": "error", "message": "no file"}]
    for name in ("data", "pca"):
        write_manifest(f"{name}/trials-1.json", key="", trials=failed)
    draw(job)
    assert Path("figure.pdf").is_file()
    data, embedding = results_of(job, monkeypatch).panel("d", "pca")
    assert (data.n_samples, embedding) == (0, None)


def test_table_that_was_edited_is_not_drawn(job):
    write_manifest("tables.json", key="", files=[file_entry("table.csv")])
    Path("table.csv").write_text(Path("table.csv").read_text().replace("0.5", "0.9"))
    outputs = {"pdf": "figure.pdf", "manifest": "figure.json"}
    reply = run(Request(job, "", {"tables": ["tables.json"]}, outputs, "figure.log"), "cold")
    assert "table.csv was changed" in reply.error
    assert not Path("figure.pdf").exists()


def test_published_numbers_are_left_out_where_they_are_about_other_settings(job, monkeypatch):
    results = results_of(job, monkeypatch)
    assert (results.published, results.unpublished) == (None, True)
    join = replace(JOIN, where={"data.p": "NA"})
    results = results_of(replace(job, published=join), monkeypatch)
    assert not results.unpublished
    numbers = results.published
    assert numbers["method"].tolist() == ["PCA", "t-SNE", "UMAP"]
    assert numbers["method_cell"].tolist()[:2] == ["pca", "tsne"]
    assert numbers["value"].tolist() == [0.6, 0.7, 0.8]


def test_only_the_cells_of_the_figure_are_drawn(job, monkeypatch):
    results = results_of(replace(job, cells=CELLS[1:]), monkeypatch)
    assert results.table["method"].tolist() == results.timings["method"].tolist() == ["tsne"]


@pytest.mark.parametrize(("tuned", "drawn"), [(True, ["best"]), (False, ["pca"])])
def test_the_best_or_each_candidate_is_drawn(job, monkeypatch, tuned, drawn):
    keys = [*KEYS, "best_of"]
    rows = [["d", "d", "pca", "pca", 0, "ok", "best"], ["d", "d", "best", "pca", 0, "ok", ""]]
    write_csv("table.csv", [*keys, "message", "data.p", "r2"], [[*r, "", "NA", 0.5] for r in rows])
    write_csv("timings.csv", [*keys, "seconds"], [[*row, 1.0] for row in rows])
    job = replace(job, groups=["best"], tuned=tuned)
    results = results_of(job, monkeypatch)
    assert results.table["method"].tolist() == results.timings["method"].tolist() == drawn


def test_nothing_is_left_by_a_figure_that_fails(job):
    with pytest.raises(ImportError):
        draw(replace(job, function="nldr.figures.gallery.absent"))
    assert list(Path().glob("*figure*")) == []


def test_a_parameter_has_one_type_in_a_long_table():
    lines = ["0.05,0.5" + ",1" * 60, ",0.5" + ",1" * 60]
    names = ["data.noise", "r2", *(f"data.p{i}" for i in range(60))]
    table = "\n".join([",".join(names), *lines[:1] * 20_000, *lines])
    assert set(read_table(StringIO(table), ["r2"])["data.noise"]) == {"", "0.05"}
