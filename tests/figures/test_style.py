"""Looks of methods, sizes of text, and files that are equal byte for byte."""

import ast
import os
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import matplotlib
import pytest
from conftest import ROOT, SIGNATURES
from sheets import color_difference

import nldr.figures
from nldr.engine.planning.catalog import Catalog
from nldr.figures import style

SAVE = """
import sys
import pandas as pd
from nldr.figures.curves import curves
from nldr.figures.gallery import gallery
from nldr.figures.results import StudyResults
from nldr.figures.style import look, save
table = pd.DataFrame({"dataset": "a", "data_cell": ["a", "b"], "method": "foo", "trial": 0,
    "method_cell": "foo", "ok": [True, False], "data.n": [1, 20], "seconds": [1.0, 2.0]})
results = StudyResults(title="t", methods={"foo": "Foo"}, roles={}, looks={"foo": look("k", "o")},
    datasets={"a": "A"}, metrics={}, table=table, timings=table, published=None, panel=None)
figure = curves(results, x="data.n", metrics=["seconds"])
for extension in ("pdf", "png", "svg"):
    save(figure, f"{sys.argv[1]}/a.{extension}")
print("matplotlib.pyplot" in sys.modules)
"""


@pytest.fixture(scope="module")
def catalog():
    return Catalog(ROOT, SIGNATURES)


def looks_of(catalog, role):
    looks = {}
    for name, method in catalog.methods.items():
        if method.role == role:
            family = catalog.families[method.family]
            control = role == "control"
            looks[name] = style.look(family.color, family.marker, method.variant, control)
    return looks


def test_looks_of_catalog_methods_are_distinct(catalog):
    looks = looks_of(catalog, "method")
    assert len(looks) > 50
    for (one, a), (other, b) in combinations(looks.items(), 2):
        assert a != b, (one, other)
    assert all(look.color != style.GRAY and look.marker for look in looks.values())


def test_variants_share_color_and_marker_of_their_family_of_which_one_has_no_number(catalog):
    plain = [m.family for m in catalog.methods.values() if m.variant == 0]
    assert sorted(plain) == sorted(catalog.families)
    looks = looks_of(catalog, "method")
    for name, look in looks.items():
        method = catalog.methods[name]
        family = catalog.families[method.family]
        assert look.marker == family.marker
        # After eight variants the color becomes lighter.
        assert (look.color == family.color) == (method.variant < 8)


def test_variants_that_are_set_apart_differ_for_all_readers(catalog):
    looks = looks_of(catalog, "method")
    names = ["pca", "isomap", "tsne", "umap", "ikd_full", "ikd_blockwise", "ikd_geodesic", "ikd"]
    apart = style.set_apart({name: looks[name] for name in names})
    assert apart["ikd"] == looks["ikd"]
    for one, other in combinations([apart[name] for name in names[4:]], 2):
        assert one.marker != other.marker
        assert color_difference(one.color, other.color) > 15


def test_families_with_the_same_marker_have_clearly_different_colors(catalog):
    used = {m.family for m in catalog.methods.values() if m.role == "method"}
    for one, other in combinations([catalog.families[name] for name in used], 2):
        if one.marker == other.marker:
            assert color_difference(one.color, other.color) > 20, (one, other)


def test_figures_name_no_method_and_no_dataset(catalog):
    names = {*catalog.methods, *catalog.datasets}
    for path in Path(nldr.figures.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                quoted = re.findall(r'"(\w+)"', node.value)
                assert not names & {node.value, *quoted}, (path.name, node.lineno)


def test_user_settings_are_ignored_and_restored():
    with matplotlib.rc_context({"font.size": 20, "lines.linewidth": 9}):
        with style.journal():
            assert matplotlib.rcParams["font.size"] == style.TEXT
            default = matplotlib.rcParamsDefault["lines.linewidth"]
            assert matplotlib.rcParams["lines.linewidth"] == default
        assert matplotlib.rcParams["font.size"] == 20


def test_wrapped_lines_fit_and_keep_all_words():
    text = "Gaussian-process map of an AR latent"
    lines = style.wrap(text, 7.0, 25.0).split("\n")
    assert len(lines) > 1
    assert " ".join(lines) == text
    assert all(style.text_width(line, 7.0) <= 25 for line in lines)


def test_text_width_is_that_of_drawn_text():
    figure, _ = style.titled_figure(100, 20, "", "")
    with style.journal():
        figure.set_dpi(600)
        drawn = figure.text(0, 0, "t-SNE, n = 5", size=7).get_window_extent().width / 600 * 25.4
    assert style.text_width("t-SNE, n = 5", 7) == pytest.approx(drawn, rel=0.03)


def test_two_processes_save_equal_bytes_without_date_version_and_pyplot(tmp_path, monkeypatch):
    other, here = tmp_path / "1", tmp_path / "2"
    other.mkdir(), here.mkdir()
    environment = os.environ | {"PYTHONHASHSEED": "1", "SOURCE_DATE_EPOCH": "1"}
    ran = subprocess.check_output([sys.executable, "-c", SAVE, other], env=environment)
    assert ran == b"False\n"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "2")
    monkeypatch.setattr(sys, "argv", ["", here])
    exec(SAVE, {})
    for extension in ("pdf", "png", "svg"):
        first, second = ((folder / f"a.{extension}").read_bytes() for folder in (other, here))
        assert first == second
        version = rb"CreationDate|dc:date|" + re.escape(matplotlib.__version__).encode()
        assert not re.search(version, first)


def test_unknown_file_extension_raises(tmp_path):
    figure, _ = style.titled_figure(20, 10, "", "")
    with pytest.raises(ValueError, match=r"figure\.bmp': the file extensions are \.pdf, \.png"):
        style.save(figure, tmp_path / "figure.bmp")
