"""Panels, marks, numbers, colors and keys of a gallery."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sheets import words

from nldr.dataset import Dataset
from nldr.figures.colors import label_colors
from nldr.figures.gallery import LANDSCAPE, MAX_COLUMNS, MOST_COLUMNS, gallery
from nldr.figures.style import find_note


def panels(figure):
    """Return the framed axes; those of keys have no frame."""
    return [axes for axes in figure.axes if axes.axison]


def found(axes, gid):
    return [artist for artist in axes.get_children() if artist.get_gid() == gid]


def with_embedding(study, embedding):
    data = Dataset(X=np.zeros((len(embedding), 5)), y=np.arange(len(embedding)) % 3)
    return replace(study, panel=lambda d, m: (data, embedding))


def test_each_dataset_and_method_has_a_panel_with_its_points(make_study):
    study = make_study(("gp", "swiss_roll"), sizes=(10,))
    axes = panels(gallery(study))
    assert len(axes) == 8
    for method, panel in zip([*study.methods] * 2, axes, strict=True):
        (points,) = found(panel, "embedding")
        expected = study.panel("", method)[1]
        assert sorted(map(tuple, points.get_offsets())) == sorted(map(tuple, expected))
        assert points.get_rasterized()
        assert not found(panel, "failed")


def test_aspect_ratio_is_one_and_all_points_are_inside(make_study, rng):
    embedding = rng.normal(size=(40, 2)) * [10, 1] + [5, -3]
    for axes in panels(gallery(with_embedding(make_study(sizes=(10,)), embedding))):
        (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
        box = axes.get_window_extent()
        assert box.width / (x1 - x0) == pytest.approx(box.height / (y1 - y0))
        assert (embedding > [x0, y0]).all()
        assert (embedding < [x1, y1]).all()


def test_failures_have_a_cross_and_the_status(make_study):
    study = make_study(sizes=(10,), status=lambda m, n, t: "out_of_memory" if m == "ikd" else "ok")
    axes = dict(zip(study.methods, panels(gallery(study)), strict=True))
    assert found(axes["ikd"], "failed")
    assert words(axes["ikd"]) == ["out of memory", ""]
    assert not found(axes["ikd"], "embedding")
    assert [m for m in study.methods if found(axes[m], "failed")] == ["ikd"]


def test_unconverged_embeddings_are_drawn_and_marked(make_study):
    study = make_study(sizes=(10,), status=lambda m, n, t: "not_converged" if m == "ikd" else "ok")
    figure = gallery(study)
    axes = dict(zip(study.methods, panels(figure), strict=True))
    assert [method for method in axes if found(axes[method], "unfinished")] == ["ikd"]
    assert found(axes["ikd"], "embedding")
    assert "✕ not converged" in words(axes["ikd"])
    assert "✕: failed or not converged" in find_note(figure)


def test_a_method_that_does_not_apply_to_a_dataset_is_not_a_failure(make_study):
    study = make_study(("gp", "swiss_roll"), sizes=(10,))
    kept = (study.table["dataset"] == "gp") | (study.table["method"] != "random")
    axes = panels(gallery(replace(study, table=study.table[kept])))
    assert words(axes[-1]) == ["not applicable"]
    assert not found(axes[-1], "failed")


def test_numbers_are_those_of_the_first_trial_and_a_missing_one_is_a_dash(make_study):
    study = make_study(sizes=(10,))
    row = study.table[(study.table["method"] == "pca") & (study.table["trial"] == 0)].iloc[0]
    figure = gallery(study)
    expected = [f"{row['r2_affine']:.3f}", f"{row['stress']:.3g}"]
    assert words(panels(figure)[0], "number") == expected
    assert any("left to right: R² after alignment; stress; the best" in w for w in words(figure))
    blank = replace(study, table=study.table.assign(stress=np.nan))
    assert words(panels(gallery(blank))[0], "number")[1] == "–"


def test_the_best_number_of_a_row_is_bold(make_study):
    study = make_study(sizes=(10,))
    table = study.table.copy()
    first = table["trial"] == 0
    table.loc[first, "r2_affine"] = np.linspace(0.2, 0.9, first.sum())
    table.loc[first, "stress"] = np.linspace(1.0, 5.0, first.sum())
    rivals = [study.roles.get(method) != "control" for method in table.loc[first, "method"]]
    expected = {
        f"{table.loc[first, 'r2_affine'][rivals].max():.3f}",
        f"{table.loc[first, 'stress'][rivals].min():.3g}",
    }
    figure = gallery(replace(study, table=table), remark="And so on.")
    numbers = [text for axes in panels(figure) for text in found(axes, "number")]
    assert {text.get_text() for text in numbers if text.get_weight() == "bold"} == expected
    assert any(text.get_text().endswith("And so on.") for text in figure.texts)


def test_one_dimension_is_a_strip_without_jitter(make_study):
    embedding = np.linspace(-1, 1, 30)[:, None]
    (points,) = found(panels(gallery(with_embedding(make_study(), embedding)))[0], "embedding")
    offsets = points.get_offsets()
    assert (offsets[:, 1] == 0).all()
    assert np.array_equal(np.sort(offsets[:, 0]), embedding[:, 0])


def test_more_than_two_dimensions_are_projected_onto_principal_axes(make_study, rng):
    flat = rng.normal(size=(60, 2)) * [5, 1]
    rotation, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    embedding = np.pad(flat - flat.mean(axis=0), ((0, 0), (0, 2))) @ rotation
    axes = panels(gallery(with_embedding(make_study(), embedding)))[0]
    shown = found(axes, "embedding")[0].get_offsets()
    spread = np.linalg.svd(np.asarray(shown), compute_uv=False)
    assert spread == pytest.approx(np.linalg.svd(embedding, compute_uv=False)[:2])
    assert np.abs(np.cov(shown.T)[0, 1]) < 1e-9
    assert "principal axes 1, 2" in words(axes)


def test_colors_follow_their_points(make_study):
    study = make_study(sizes=(10,))
    embedding = np.arange(9.0)[:, None] * [1, 1]
    (points,) = found(panels(gallery(with_embedding(study, embedding)))[0], "embedding")
    index = points.get_offsets()[:, 0].astype(int)
    colors = points.get_facecolors()[np.argsort(index)]
    assert len(np.unique(colors, axis=0)) == 3
    assert np.array_equal(colors[:3], colors[3:6])


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"y": np.arange(40) % 4}, ["label", "0", "1", "2", "3"]),
        ({"Z": np.random.default_rng(0).normal(size=(40, 3))}, ["latent", "z₂", "z₁"]),
        ({"Z": np.arange(40.0)[:, None]}, ["latent", "z", ""]),
        ({}, []),
    ],
)
def test_a_key_explains_the_colors(make_study, known, expected):
    data = Dataset(X=np.zeros((40, 2)), **known)
    study = replace(make_study(sizes=(10,)), panel=lambda d, m: (data, np.zeros((40, 2))))
    (key,) = [axes for axes in gallery(study).axes if not axes.axison]
    assert words(key) == expected


def draw_key(make_study, n_labels, n_methods):
    data = Dataset(X=np.zeros((40, 2)), y=np.arange(40) % n_labels)
    methods = {f"m{i}": f"M{i}" for i in range(n_methods)}
    study = make_study(methods=methods, sizes=(10,))
    figure = gallery(replace(study, panel=lambda d, m: (data, np.zeros((40, 2)))))
    (key,) = [axes for axes in figure.axes if not axes.axison]
    return figure, key


@pytest.mark.parametrize(
    ("n_labels", "n_methods"), [(20, 2), (10, MAX_COLUMNS), (20, MAX_COLUMNS), (3, MOST_COLUMNS)]
)
def test_a_key_drops_no_label_and_none_overlap(make_study, n_labels, n_methods):
    figure, key = draw_key(make_study, n_labels, n_methods)
    assert words(key) == ["label", *map(str, range(n_labels))]
    assert len(key.collections[0].get_offsets()) == n_labels
    boxes = [text.get_window_extent() for text in key.texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert max(box.x1 for box in boxes) <= figure.bbox.x1


def test_more_labels_than_colors_are_a_scale_from_first_to_last(make_study):
    _, key = draw_key(make_study, 40, 2)
    assert words(key) == ["label", "0", "39"]
    (scale,) = key.images
    np.testing.assert_allclose(scale.get_array()[:, 0], label_colors(40))


def test_many_methods_are_in_landscape_and_more_in_blocks(make_study):
    for extra, blocks in ((MAX_COLUMNS, 1), (MOST_COLUMNS, 1), (MOST_COLUMNS + 1, 2)):
        methods = {f"m{i}": f"M{i}" for i in range(extra)}
        figure = gallery(make_study(methods=methods, sizes=(10,)))
        axes = panels(figure)
        assert len(axes) == extra
        assert len({round(a.get_position().y0, 6) for a in axes}) == blocks
        width = figure.get_size_inches()[0] * 25.4
        assert width <= (183.001 if extra <= MAX_COLUMNS else LANDSCAPE)
        assert min(a.get_position().width * width for a in axes) > 14


def test_the_reason_of_a_failure_is_in_the_panel(make_study):
    study = make_study(sizes=(10,), status=lambda m, n, t: "error" if m == "ikd" else "ok")
    study.table["message"] = "ValueError: the graph of 9 points has 2 parts (of 5, 4): no way"
    axes = dict(zip(study.methods, panels(gallery(study)), strict=True))
    assert " ".join(words(axes["ikd"])[1].split()) == "graph of 9 points has 2 parts"
    long = replace(study, table=study.table.assign(message=200 * "long "))
    axes = dict(zip(study.methods, panels(gallery(long)), strict=True))
    assert words(axes["ikd"])[1].endswith("…")


def test_parameter_settings_of_a_method_have_separate_columns(make_study):
    study = make_study(sizes=(10,), trials=1)
    ikd = study.table["method"] == "ikd"
    table = study.table.assign(**{"method.kernel": np.where(ikd, "se", "")})
    table = pd.concat([table, table[ikd].assign(**{"method.kernel": "rq"})], ignore_index=True)
    figure = gallery(replace(study, table=table))
    assert len(panels(figure)) == 5
    text = words(figure)
    assert text.index("IKD, kernel = se") + 1 == text.index("IKD, kernel = rq")
