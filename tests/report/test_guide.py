"""The page of methods has dots with intervals among levels, short lists, and ranks for cards."""

from dataclasses import replace

import pytest
from reports import Page

from nldr.report.aims import Contest, Estimate, Family, Guide, Profile
from nldr.report.content import Card, Report, StudyContent
from nldr.report.guide import pages, profile_table, ranks_of, short_list
from nldr.report.tables import Links
from nldr.report.templating import environment

RANKS = {"local": Estimate(1.24, 1.0, 1.8, 4)}


def entry(method, mean, **changes):
    scores = {"local": Estimate(mean, mean - 0.02, mean + 0.02, 4)}
    profile = Profile(method, method.upper(), False, scores, RANKS, True, False, 0.5, 1, 8)
    return replace(profile, **changes)


@pytest.fixture
def guide():
    contests = {"local": Contest("tsne", 0.9, ["tsne", "pca"], [], 4)}
    profiles = [entry("tsne", 0.9), entry("pca", 0.8), entry("random", 0.2, control=True, ranks={})]
    families = [Family("rolls", ["Roll <b>"], 4, contests, "Best on rolls: TSNE.")]
    return Guide(["survey"], 4, profiles, families, (60, 90))


def html_of(guide):
    cards = [Card("method", p.method, p.title, "", "", "", "") for p in guide.profiles]
    study = StudyContent("survey", "The survey", "", "survey.yaml")
    report = Report("1", "quick", "today", {}, [], [study], cards, guide=guide)
    return dict(pages(report, environment()))


def test_page_has_methods_dots_levels_and_short_lists(guide):
    page = Page(html_of(guide)["guide"])
    text = " ".join(page.text.split())
    assert "Best on rolls: TSNE." in text
    assert "Roll <b>" in text
    assert "None of the methods takes missing values" in text
    dots = [svg["aria-label"] for svg in page.all("svg") if "aria-label" in svg]
    assert dots[0] == "0.900 (0.880 to 0.920)"
    levels = {line["class"] for line in page.all("line") if line["class"].startswith("level")}
    assert levels == {"level level-pca", "level level-random"}
    # Only aims that were measured have a column
    assert "Global distances" not in text
    assert "#/method/tsne" in page.values("href")
    # There is no page without a survey
    assert list(pages(Report("1", "quick", "today", {}, [], [], []), environment())) == []


def test_dots_are_ordered_as_the_means(guide):
    view = profile_table(guide, ["random"], Links())
    marks = [row[1].dots for row in view.rows]
    assert marks[0].low < marks[0].at < marks[0].high
    assert marks[0].at > marks[1].at > marks[2].at
    assert marks[0].levels == [("random", marks[2].at)]
    # A control beyond all methods is at the end of the scale
    assert marks[2].low == marks[2].high == marks[1].low == 5.0
    assert [row[1].value for row in view.rows] == ["0.9000", "0.8000", "0.2000"]
    assert [cell.text for cell in view.rows[0][2:4]] == ["0.8800", "0.9200"]


def test_columns_of_what_was_not_measured_are_left_out(guide):
    titles = [column.title for column in profile_table(guide, [], Links()).columns]
    assert titles[-3:] == ["New points", "CPU s", "Failed %"]
    scaled = entry("umap", 0.7, missing=True, times={"10000": 3.0}, memory_mb=80.0)
    view = profile_table(replace(guide, profiles=[*guide.profiles, scaled]), [], Links())
    titles = [column.title for column in view.columns]
    assert titles[-5:] == ["Missing values", "CPU s", "CPU s, 10\u202f000", "MB", "Failed %"]
    texts = [[cell.text for cell in row[-6:]] for row in view.rows]
    assert texts[3] == ["yes", "yes", "0.5", "3", "80", "12"]
    assert texts[2] == [""] * 6  # a control


def test_long_short_lists_are_counted(guide):
    names = [f"m{i}" for i in range(9)]
    many = replace(guide, profiles=[entry(name, 0.5) for name in names])
    contest = Contest("m0", 0.5, names, ["m2"], 4)
    assert short_list(contest, many) == "tie: M2; unclear: M1, M3, M4, M5, M6 and 2 more"
    assert short_list(replace(contest, n_datasets=1), many) == "not decided by one dataset"


def test_a_card_has_ranks_with_the_best_on_the_right(guide):
    ((title, rank),) = ranks_of(guide, "pca").items()
    assert title == "Local neighborhoods"
    assert rank.text == "1.2 (1.0 to 1.8) of 2, over 4 datasets"
    assert rank.dots.low < rank.dots.at < rank.dots.high == 95.0
    assert ranks_of(guide, "random") == ranks_of(None, "pca") == {}
