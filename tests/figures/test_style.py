from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import combinations

import matplotlib
import pytest

from nldr.figures import style

SAVE = """
import sys
import pandas as pd
from nldr.figures.curves import curves
from nldr.figures.results import StudyResults
from nldr.figures.style import save
table = pd.DataFrame({"dataset": "a", "data_cell": ["a", "b"], "method": "foo", "trial": 0,
    "method_cell": "foo", "status": ["ok", "error"], "data.n": [1, 20], "seconds": [1.0, 2.0]})
figure = curves(StudyResults("t", {"foo": "Foo"}, {}, {"a": "A"}, {}, table, table, None, None),
                x="data.n", metrics=["seconds"])
for ending in ("pdf", "png", "svg"):
    save(figure, f"{sys.argv[1]}/a.{ending}")
"""


def test_known_methods_look_the_same_in_every_figure_and_never_alike():
    names = [name for row in style.KNOWN for name in row]
    together = style.method_styles(names)
    for name in names:
        assert style.method_styles([name])[name] == together[name]
    for one, other in combinations(names, 2):
        a, b = together[one], together[other]
        assert (a.color, a.linestyle) != (b.color, b.linestyle), (one, other)


def test_spelling_of_a_known_method_does_not_matter():
    styles = style.method_styles(["tsne", "t-SNE", "parametric_tsne"])
    assert styles["tsne"] == styles["t-SNE"] != styles["parametric_tsne"]


def test_unknown_methods_keep_their_style_whatever_the_order():
    names = ["alpha", "beta", "gamma", "ikd"]
    assert style.method_styles(names) == style.method_styles(names[::-1])
    assert style.method_styles(["alpha"])["alpha"] == style.method_styles(["alpha", "x"])["alpha"]


def test_unknown_methods_take_a_free_color_as_long_as_there_is_one():
    names = [f"method {i}" for i in range(len(style.COLORS) - 2)]
    styles = style.method_styles(["ikd", "pca", *names])
    assert len({look.color for look in styles.values()}) == len(style.COLORS)


def test_many_unknown_methods_differ_in_color_or_marker():
    styles = style.method_styles([f"method {i}" for i in range(60)])
    assert len({(look.color, look.marker) for look in styles.values()}) == 60


def test_controls_are_gray_and_without_markers():
    styles = style.method_styles(
        ["oracle", "random", "ikd"], dict.fromkeys(["oracle", "random"], "control")
    )
    assert {styles[name].color for name in ("oracle", "random")} == {style.GRAY}
    assert styles["oracle"].linestyle != styles["random"].linestyle
    assert not styles["random"].marker
    assert not styles["ikd"].control


def test_the_users_settings_do_not_enter_and_are_left_alone():
    with matplotlib.rc_context({"font.size": 20, "lines.linewidth": 9}):
        with style.journal():
            assert matplotlib.rcParams["font.size"] == style.TEXT
            assert (
                matplotlib.rcParams["lines.linewidth"]
                == matplotlib.rcParamsDefault["lines.linewidth"]
            )
        assert matplotlib.rcParams["font.size"] == 20


def test_wrapped_lines_fit_and_no_word_is_lost():
    text = "Gaussian-process map of an AR latent"
    lines = style.wrap(text, 7.0, 25.0).split("\n")
    assert len(lines) > 1
    assert " ".join(lines) == text
    assert all(style.text_width(line, 7.0) <= 25 for line in lines)


def test_a_width_is_that_of_the_drawn_text():
    figure, _ = style.titled_figure(100, 20, "")
    with style.journal():
        figure.set_dpi(600)
        drawn = figure.text(0, 0, "t-SNE, n = 5", size=7).get_window_extent().width / 600 * 25.4
    assert style.text_width("t-SNE, n = 5", 7) == pytest.approx(drawn, rel=0.03)


def test_two_processes_save_the_same_bytes_without_date_or_version(tmp_path):
    for folder in ("1", "2"):
        (tmp_path / folder).mkdir()
        environment = os.environ | {"PYTHONHASHSEED": folder, "SOURCE_DATE_EPOCH": folder}
        subprocess.run([sys.executable, "-c", SAVE, tmp_path / folder], env=environment, check=True)
    for ending in ("pdf", "png", "svg"):
        first, second = ((tmp_path / folder / f"a.{ending}").read_bytes() for folder in "12")
        assert first == second
        told = rb"CreationDate|dc:date|" + re.escape(matplotlib.__version__).encode()
        assert not re.search(told, first)


def test_an_unknown_ending_is_refused(tmp_path):
    figure, _ = style.titled_figure(20, 10, "")
    with pytest.raises(ValueError, match=r"figure\.bmp': the endings are \.pdf, \.png, \.svg"):
        style.save(figure, tmp_path / "figure.bmp")


def test_drawing_leaves_pyplot_out():
    code = "import sys, nldr.figures.curves, nldr.figures.gallery; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "matplotlib.figure" in ran.stdout
    assert "matplotlib.pyplot" not in ran.stdout
