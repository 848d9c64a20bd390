"""Every figure explains itself in a note: marks, bars and bands, scale, points, trials, clock."""

import importlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import ROOT
from sheets import find_faults

from nldr.dataset import Dataset
from nldr.figures import style
from nldr.figures.results import NO_BREAK
from nldr.figures.style import add_note, find_note, note_size, save

# Parameters with which each figure function can draw the study below; True: of several datasets
CASES = {
    "adjacency.adjacency": (False, {}),
    "clusters.clusters": (True, {}),
    "comparison.comparison": (True, {}),
    "contact.sheet": (False, {}),
    "covariance.covariances": (False, {"length_scale": 0.5}),
    "curves.curves": (True, {"metrics": ["r2_affine", "seconds"]}),
    "damage.damage": (False, {}),
    "differences.differences": (True, {"parameter": "method.amount", "reference": 0}),
    "dots.dots": (True, {"metrics": ["r2_affine", "seconds"]}),
    "gallery.gallery": (True, {}),
    "grid.grid": (True, {"x": "method.amount", "metrics": ["r2_affine", "seconds"]}),
    "histories.histories": (True, {"x": "n", "x_label": "n", "labels": {"loss": "loss"}}),
    "ranking.comparison_matrix": (True, {}),
    "ranking.critical_difference": (True, {}),
    "recovery.recovery": (True, {}),
    "regret.regret": (
        True,
        {"truths": ["r2_affine"], "families": {"a": ["gp"], "b": ["roll"], "c": ["spheres"]}},
    ),
    "released.agreement": (True, {}),
    "released.own_neighbors": (True, {}),
    "scaling.scaling": (True, {"x": "method.amount", "metrics": ["r2_affine", "seconds"]}),
    "survey.survey": (True, {"metrics": ["r2_affine"]}),
    "table.score_table": (True, {}),
    "training.training": (True, {}),
}
# A dataset of points alone
PLAIN = {"sizes": (10,), "panel": lambda d, m: (Dataset(X=np.eye(3)), np.eye(3)[:, :2])}
WITH_BARS = ("curves.curves", "damage.damage", "dots.dots", "grid.grid")
BARS = ("bars", "interval", "s.d.")
UNPUBLISHED = "Nothing is published for these cells."


@pytest.fixture
def make_rich(make_study, rng):
    """Return a function that makes a study which every figure function can draw."""

    def make(several, trials=3, **changes):
        datasets = ("gp", "roll", "spheres") if several else ("gp",)
        study = make_study(datasets, {"pca": "PCA", "tsne": "t-SNE"}, (10,), trials, **changes)
        data = Dataset(
            X=rng.normal(size=(50, 12)),
            Z=rng.normal(size=(50, 3)),
            y=np.arange(50) % 4,
            image_shape=(4, 3),
        )
        # Two amounts of damage, numbers of neighbors and draws, each a cell of its own
        tables = []
        for i in (0, 1):
            cells = {"method.amount": i, "method.n_neighbors": 5 + i, "data.draw": i}
            table = study.table.assign(**cells)
            table["method_cell"] += f"@amount={i}"
            table["data_cell"] += f"@draw={i}" * several
            seconds = study.timings["seconds"]
            tables.append(
                table.assign(
                    seconds=seconds, cpu_seconds=seconds, exclusive=False, fitted_rows=50.0
                )
            )
        table = pd.concat(tables, ignore_index=True)
        costs = ["seconds", "cpu_seconds", "exclusive", "fitted_rows"]
        keys = ["dataset", "data_cell", "method", "method_cell", "trial", "ok", "status"]
        return replace(
            study,
            table=table.drop(columns=costs),
            timings=table[[*keys, *costs]],
            scale="smoke",
            panel=lambda d, m: (data, data.X[:, :2]),
            history=lambda d, m, name: np.array([3.0, 2.0, 1.0]),
        )

    return make


def function_of(name):
    module, _, function = name.partition(".")
    return getattr(importlib.import_module(f"nldr.figures.{module}"), function)


def test_all_figure_functions_are_tested_here():
    used = set()
    for path in (ROOT / "workflow/studies").glob("*.yaml"):
        study = yaml.safe_load(path.read_text())
        figures = [study.get("figure") or {}, *(study.get("figures") or {}).values()]
        used |= {figure["function"] for figure in figures if "function" in figure}
    assert {f"nldr.figures.{name}" for name in CASES} == used


@pytest.mark.parametrize(
    ("name", "trials"), [*((name, 3) for name in CASES), *((name, 1) for name in WITH_BARS)]
)
def test_each_figure_has_a_note_that_explains_its_bars(make_rich, name, trials):
    several, params = CASES[name]
    study = make_rich(several, trials)
    figure = function_of(name)(study, **params)
    note = find_note(figure)
    assert len(note) > 15
    assert note.strip()[-1] in ".?"
    assert (UNPUBLISHED in note) == (name == "comparison.comparison")  # which is about them
    assert "CPU seconds" in note or "seconds" not in params.get("metrics", ())
    check_facts(figure, study, trials)
    assert not find_faults(figure)
    # Bars are explained where there are any, and said to be missing where there are none
    bars = [
        artist
        for axes in figure.axes
        for artist in axes.get_children()
        if str(artist.get_gid()).startswith("bars:") and len(artist.get_paths())
    ]
    drawn = [
        path for artist in bars for path in artist.get_paths() if np.isfinite(path.vertices).all()
    ]
    assert ("single trial" in note) == (trials == 1)
    if drawn:
        assert trials > 1
        assert any(word in note for word in BARS)


def check_facts(figure, study, trials):
    """Check that facts are added to the note, as one text below the figure whose lines fit."""
    before, size = find_note(figure), tuple(figure.get_size_inches())
    add_note(figure, study.facts())
    note = find_note(figure).replace(NO_BREAK, " ")
    assert note.startswith(before.replace(NO_BREAK, " "))
    plural = "s" * (trials > 1)
    assert note.endswith(f"Scale smoke; n = 50 fitted points; {trials} trial{plural}.")
    (artist,) = (text for text in figure.texts if text.get_gid() == style.NOTE)
    assert tuple(figure.get_size_inches()) == size
    box = artist.get_window_extent()
    assert box.x1 <= figure.bbox.x1
    assert box.y1 <= 0
    assert -box.y0 <= note_size(figure)[1] / 25.4 * figure.dpi


def test_a_saved_figure_is_higher_by_its_note(tmp_path):
    from PIL import Image

    figure, _ = style.titled_figure(50, 20, "Title", "Dots: means.")
    width, height = figure.get_size_inches() * 300
    save(figure, tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        assert image.width == pytest.approx(width, abs=2)
        assert image.height == pytest.approx(height + note_size(figure)[1] / 25.4 * 300, abs=2)
        # The note is in these pixels
        below = np.asarray(image.convert("L"))[int(height) :]
    assert below.min() < 200


def test_a_long_note_is_wider_than_a_narrow_figure(tmp_path):
    from PIL import Image

    figure, _ = style.titled_figure(40, 20, "Title", " ".join(["Dots: means."] * 15))
    (artist,) = (text for text in figure.texts if text.get_gid() == style.NOTE)
    assert artist.get_text().count("\n") < style.MOST_LINES
    width, _ = note_size(figure)
    assert 100 < width <= style.DOUBLE
    save(figure, tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        assert image.width == pytest.approx(width / 25.4 * 300, abs=2)


def test_line_breaks_of_a_note_are_kept():
    figure, _ = style.titled_figure(80, 20, "Title", "One.\nTwo.\n")
    add_note(figure, "Three.")
    assert find_note(figure) == "One.\nTwo.\nThree."
    (artist,) = (text for text in figure.texts if text.get_gid() == style.NOTE)
    assert artist.get_text() == "One.\nTwo.\nThree."


def test_what_is_left_out_is_named(make_rich):
    several = make_rich(True)
    failed = replace(several, history=lambda d, m, name: None)
    for name in ("histories.histories", "training.training"):
        figure = function_of(name)(failed, **CASES[name][1])
        assert "Left out (no history): PCA" in find_note(figure)
        assert "Left out" not in find_note(function_of(name)(several, **CASES[name][1]))
    study = make_rich(False)
    data, embedding = study.panel("", "")
    half = replace(study, panel=lambda d, m: (data, embedding if "pca" in m else None))
    note = find_note(function_of("adjacency.adjacency")(half))
    assert "Left out (failed): t-SNE" in note
    controls = replace(several, roles={"pca": "method", "tsne": "control"})
    ranked = find_note(function_of("ranking.critical_difference")(make_rich(True)))
    assert "controls" not in ranked
    assert "Nothing is compared" in find_note(function_of("ranking.comparison_matrix")(controls))


@pytest.mark.parametrize(
    ("name", "study", "params", "message"),
    [
        ("adjacency.adjacency", {"sizes": (10,)}, {}, "one dataset with labels"),
        ("clusters.clusters", {"metrics": {"stress": {}}}, {}, "needs two"),
        ("contact.sheet", {}, {}, "one dataset: leave the others out"),
        ("contact.sheet", PLAIN, {}, "has no image_shape: a contact sheet needs images"),
        ("covariance.covariances", {}, {"length_scale": 1.0}, "does not have three dimensions: "),
        ("curves.curves", {}, {"x": "data.s"}, r"'data\.s': no such column; .*data\.n_features"),
        ("curves.curves", {}, {"metrics": ["r3"]}, "'r3' is neither in the study nor a cost: r2_"),
        (
            "curves.curves",
            {"sizes": (10,)},
            {"x": "method"},
            "is not numeric on gp: leave the data",
        ),
        ("damage.damage", {}, {}, "one dataset: leave the others out"),
        (
            "differences.differences",
            {},
            {"parameter": "method.nothing", "reference": "none"},
            "parameter 'method.nothing' is not a column",
        ),
        (
            "differences.differences",
            {},
            {"parameter": "method", "reference": "other"},
            "method = 'other' has nothing to be compared with",
        ),
        ("dots.dots", {}, {"metrics": ["speed"]}, "'speed' is neither in the study nor a cost"),
        ("grid.grid", {}, {"x": "data.n_features", "columns": "method.k"}, r"'method\.k': no such"),
        ("recovery.recovery", PLAIN, {}, "has no known latent: leave it out"),
        ("table.score_table", {"sizes": (10,)}, {"blocks": "method"}, "blocks='method' is neither"),
    ],
)
def test_studies_and_parameters_that_do_not_suit_are_refused(
    make_study, name, study, params, message
):
    with pytest.raises(ValueError, match=message):
        function_of(name)(make_study(**study), **params)


@pytest.mark.parametrize("name", ["curves.curves", "dots.dots", "grid.grid", "table.score_table"])
def test_clocks_and_missing_published_numbers_are_said(make_rich, name):
    """Where they are the usual ones, test_each_figure_has_a_note checks the note."""
    several, params = CASES[name]
    study = make_rich(several)
    alone = replace(study, timings=study.timings.assign(exclusive=True), unpublished=True)
    note = find_note(function_of(name)(alone, **params))
    assert UNPUBLISHED in note
    assert ("wall clock, without other jobs" in note) == ("seconds" in params.get("metrics", ()))
