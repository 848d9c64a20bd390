"""Small maps of the report: which points stand for a method and for a dataset."""

import time

import numpy as np
import pytest
from conftest import write_trials

from nldr.dataset import Dataset
from nldr.report.data.jobs import CardSample, CloudSource, EmbeddingSource
from nldr.report.data.thumbnails import gather_thumbnails
from nldr.report.thumbnails import MOST, Thumbnail, draw_thumbnail

TITLES = {("method", "a"): "A", ("method", "b"): "B", ("dataset", "roll"): "Roll"}


def sleep(seconds):
    """Sleep, as a dataset that takes long."""
    time.sleep(seconds)


@pytest.fixture
def make_source(tmp_path, rng):
    """Return a function that writes a dataset with embeddings, of which some failed."""

    def make(name, methods, failed=(), n=500):
        data = Dataset(rng.normal(size=(n, 3)), y=np.arange(n) % 2)
        embeddings = []
        for method in methods:
            arrays = {"embedding": rng.normal(size=(n, 2))}
            trial = "error" if method in failed else arrays
            manifest = write_trials(tmp_path / name / method, [trial])
            embeddings.append(EmbeddingSource(method, method, method.upper(), manifest))
        manifest = write_trials(tmp_path / name / "data", [data.arrays()])
        return CloudSource(name, name, name.title(), manifest, embeddings)

    return make


def test_methods_are_shown_on_the_dataset_that_most_have(make_source):
    sources = [make_source("moons", ["a", "c"]), make_source("roll", ["a", "b", "c"], failed=["c"])]
    maps = gather_thumbnails(sources, [], {}, TITLES)
    assert maps["method", "a"].words == "A on Roll"
    assert maps["method", "b"].words == "B on Roll"
    assert maps["method", "c"].words == "C on Moons"
    assert maps["dataset", "moons"].words == "The first two principal components of Moons"
    for shown in maps.values():
        assert shown.points.shape == (MOST, 2)
        assert len(set(shown.colors)) == 2  # labels


def test_what_has_not_run_is_shown_by_the_record(make_source, tmp_path, rng):
    write_trials(tmp_path / "kept", [{"embedding": rng.normal(size=(30, 2))}])
    file = tmp_path / "kept/trial-0.npz"
    archived = {("roll@n=9", "b@k=3"): file, ("roll@n=9", "a"): file}
    maps = gather_thumbnails([make_source("moons", ["a"])], [], archived, TITLES)
    assert maps["method", "a"].words == "A on Moons"
    assert maps["method", "b"].words == maps["dataset", "roll"].words == "B on Roll"
    assert len(set(maps["method", "b"].colors)) == 1  # without their data


def test_datasets_that_no_study_made_are_made_here(make_source, tmp_path, rng, monkeypatch):
    write_trials(tmp_path / "kept", [{"embedding": rng.normal(size=(30, 2))}])
    archived = {("roll", "a"): tmp_path / "kept/trial-0.npz"}
    rolls = [
        "nldr.datasets.manifolds.swiss_roll",
        {"n_samples": 50, "height": 20.0, "noise": 0.0},
        True,
        "",
    ]
    samples = [
        CardSample("roll", *rolls),
        CardSample("moons", *rolls),
        CardSample("slow", f"{__name__}.sleep", {"seconds": 60}, False, ""),
        CardSample("absent", "nldr.datasets.absent", {}, False, ""),
    ]
    monkeypatch.setattr("nldr.report.data.thumbnails.SAMPLE_SECONDS", 0.2)
    maps = gather_thumbnails([make_source("moons", ["a"])], samples, archived, TITLES)
    assert maps["dataset", "roll"].words.endswith(" principal components of Roll, of 50 points")
    assert len(set(maps["dataset", "roll"].colors)) > 5
    assert maps["dataset", "moons"].words == "The first two principal components of Moons"
    assert {name for kind, name in maps if kind == "dataset"} == {"roll", "moons"}


def test_drawing_has_a_name_and_all_places_within():
    corners = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 4.0]])
    svg = draw_thumbnail(Thumbnail(corners, ["#000000", "#ff0000", "#ff0000"], 'A & "b"'))
    assert 'aria-label="A &amp; &#34;b&#34;"' in svg
    assert svg.count("h0") == 2
