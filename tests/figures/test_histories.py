"""Lines of recorded quantities, and their names."""

from dataclasses import replace

import numpy as np
import pytest
from sheets import words

from nldr.figures.histories import histories
from nldr.figures.style import find_note

METHODS = {"tsne": "t-SNE", "umap": "UMAP", "pca": "PCA"}
RECORDED = {
    "tsne": {"n": [10.0, 20.0], "drift": [0.5, 0.25], "cost": [1.0, 100.0]},
    "umap": {"n": [10.0, 30.0], "drift": [0.0, 0.0], "cost": [2.0, 2.0]},
}
LABELS = {"drift": "drift ↓", "cost": "cost ↓"}


@pytest.fixture
def figure(make_study):
    def history(data, method, name):
        return np.array(RECORDED[method][name]) if method in RECORDED else None

    base = make_study(("gp", "swiss_roll"), methods=METHODS, sizes=(10,))
    study = replace(base, history=history)
    return histories(study, x="n", x_label="points", labels=LABELS, log=["cost"], note="A note.")


def test_each_panel_has_a_line_per_method_with_histories_named_in_the_last_column(figure):
    assert len(figure.axes) == 4
    for axes, name in zip(figure.axes, [*LABELS] * 2, strict=True):
        lines = {line.get_gid(): line for line in axes.lines}
        assert lines.keys() == {"ours:t-SNE", "ours:UMAP"}
        for method, recorded in RECORDED.items():
            line = lines[f"ours:{METHODS[method]}"]
            np.testing.assert_array_equal(line.get_xdata(), recorded["n"])
            np.testing.assert_array_equal(line.get_ydata(), recorded[name])
        assert axes.get_ylabel().replace("\n", " ") == LABELS[name]
        assert axes.get_xlabel() == "points"
        assert axes.get_yscale() == ("log" if name == "cost" else "linear")
    named = [set(words(axes)) for axes in figure.axes]
    assert named == [set(), {"t-SNE", "UMAP"}] * 2
    note = "Lines: first trial of each, no bars. A note. Left out (no history): PCA."
    assert find_note(figure) == note
