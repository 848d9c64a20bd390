"""Lists and cards of methods, datasets and metrics show what they are given, and nothing raw."""

import re
from dataclasses import replace

import pytest
from reports import Page

from nldr.report.aims import Estimate, Guide, Profile
from nldr.report.cards import link_studies, pages
from nldr.report.clouds import Cloud, Embedding
from nldr.report.content import Card, Failure, Look, Report, StudyContent
from nldr.report.failures import group_failures
from nldr.report.swatch import POLYGONS, draw_swatch, marker_shape
from nldr.report.templating import environment

METHOD = Card(
    *("method", "mine", "Mine & <yours>", "family", "mine.Mine", "Doe, A work, 2020"),
    *("10.1000/a<b", {"k": [1, 2]}, {"Complexity": "O(n) time"}),
    summary="Embeds. In full.",
    place="src/mine.py:3",
    defaults={"rate": None},
    look=Look("#D55E00", "o", True, "2 2"),
    studies=["study", "gone"],
    wins=["Best of 3 methods in `study` (R²): .9 on ROLL (next: B .8)."],
)
DATASET = replace(METHOD, kind="dataset", name="roll", title="Roll", look=None, doi="", studies=[])
FACTS = {"Definition": "1 − a / b", "Direction": "higher is better"}
METRIC = replace(METHOD, kind="metric", name="r2", title="R²", look=None, wins=[], facts=FACTS)


def render(*cards, clouds=(), guide=None):
    """Return all pages by route."""
    content = ([], [StudyContent("study", "The study", "", "study.yaml")], [*cards], [*clouds])
    report = Report("1.0", "quick", "today", {}, *content, guide=guide)
    return dict(pages(report, environment()))


def test_text_is_escaped_doi_is_a_link_and_parameters_tell_who_sets_them():
    page = render(METHOD)["method/mine"]
    assert "Mine &amp; &lt;yours&gt;" in page
    assert "<yours>" not in page
    assert 'href="https://doi.org/10.1000/a&lt;b"' in page
    pattern = r"<tr><th scope=\"row\"><code>(\w+)</code></th><td>(.*?)</td><td>(.*?)</td>"
    rows = re.findall(pattern, page)
    assert rows == [("k", "1, 2", "the catalog"), ("rate", "none", "the code")]


def test_card_says_why_it_has_no_results():
    empty = replace(METHOD, wins=[])
    assert (
        render(empty)["method/mine"].count("It is in no comparison of three or more methods") == 2
    )
    control = replace(empty, facts={"Role": "control"})
    assert render(control)["method/mine"].count("A control does not compete.") == 2
    unused = replace(empty, studies=[])
    assert render(unused)["method/mine"].count("No study uses it at scale quick.") == 2


def test_card_shows_ranks_of_what_it_keeps():
    rank = Estimate(2.0, 1.5, 2.5, 7)
    profile = Profile("mine", "Mine", False, {}, {"local": rank}, True, False, None, 0, 0)
    guide = Guide(["survey"], 7, [profile], [], (60, 60))
    page = render(METHOD, DATASET, guide=guide)
    assert "2.0 (1.5 to 2.5) of 1, over 7 datasets" in page["method/mine"]
    assert "What it preserves" not in page["dataset/roll"]
    assert "What it preserves" not in render(METHOD)["method/mine"]


def test_metrics_have_no_standing_but_a_definition_in_the_list():
    rendered = render(METRIC)
    assert "How this is decided" not in rendered["metric/r2"]
    assert "1 − a / b" in rendered["metrics"]
    assert "higher is better" in rendered["metrics"]


def test_list_groups_by_family_and_marks_what_is_not_used():
    other = replace(METHOD, name="other", title="Other", family="second", studies=[])
    page = render(METHOD, other)["methods"]
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["family", "second"]
    assert re.findall(r'data-use="(.*?)"', page) == ["used", "not used"]
    assert "1 not used" in page
    assert "not used" not in render(METHOD)["methods"]


def test_siblings_are_linked_unless_there_are_too_many():
    family = [replace(METHOD, name=f"m{i}", title=f"M{i}") for i in range(18)]
    assert 'href="#/method/m1"' in render(*family[:3])["method/m0"]
    assert "Same family" not in render(*family)["method/m0"]


def test_failures_that_differ_in_numbers_are_one_group():
    message = "ValueError: the graph of {} points has {} components (of {} points): more neighbors"
    failures = [
        Failure("embed", "roll/a", "invalid_input", message.format(500, 2, "499, 1"), [0, 1]),
        Failure("embed", "roll/b", "invalid_input", message.format(120, 3, "60, 58, 2"), [0]),
        Failure("embed", "roll/a", "timeout", "ended at its limit of 3 s", [2]),
    ]
    groups = group_failures(failures)
    expected = [("invalid_input", 3, ["roll/a", "roll/b"]), ("timeout", 1, ["roll/a"])]
    assert [(g.status, g.n_trials, g.cells) for g in groups] == expected
    page = render(replace(METHOD, failures=failures))["method/mine"]
    assert "4 trials. Messages" in page
    assert page.count('<li class="failure"') == 2


def test_points_and_embeddings_are_linked_to_the_explorer():
    cells = [Embedding("mine", f"mine@k={k}", "Mine", 0, "ok", "", None, {}) for k in (1, 2)]
    known = {"name": "roll", "n_points": 9, "n_features": 3}
    known |= dict.fromkeys(("X", "latent", "labels", "images"))
    clouds = [
        Cloud(cell=f"roll@n={n}", title=f"Roll, {n}", trial=trial, embeddings=cells, **known)
        for n in (5, 6)
        for trial in (0, 1)
    ]
    rendered = render(METHOD, DATASET, METRIC, clouds=clouds)
    links = {
        name: [link for link in Page(page).values("href") if "explorer" in link]
        for name, page in rendered.items()
    }
    assert links["dataset/roll"] == [f"#/explorer?data=roll%40n%3D{n}" for n in (5, 6)]
    assert links["method/mine"] == ["#/explorer?data=roll%40n%3D5&methods=mine%40k%3D1"]
    assert links["metric/r2"] == []


def test_only_studies_of_the_report_become_links():
    text = link_studies("Worst in `study` and `gone` <b>", {"study": "T"})
    assert text.startswith("<strong>Worst</strong> in <a ")
    assert "<code>gone</code> &lt;b&gt;" in text


@pytest.mark.parametrize("marker", ["o", "P", "X", "*", "d", *POLYGONS])
def test_every_marker_of_the_catalog_has_a_shape_inside_its_box(marker):
    shape = marker_shape(marker)
    numbers = [float(x) for x in re.findall(r"-?\d+\.?\d*", shape.partition(" ")[2])]
    assert numbers
    assert all(0 <= number <= 44 for number in numbers)


def test_swatch_has_color_dashes_and_fill_of_the_look():
    filled = draw_swatch(Look("#D55E00", "s", True, ""))
    hollow = draw_swatch(Look("#D55E00", "s", False, "4 2"))
    assert 'fill="#D55E00"' in filled
    assert "dasharray" not in filled
    assert 'fill="#fff" stroke="#D55E00"' in hollow
    assert 'stroke-dasharray="4 2"' in hollow
    # Controls have no marker.
    assert "polygon" not in draw_swatch(Look("#767676", "", True, "2 2"))
