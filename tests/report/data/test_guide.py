"""The guide tells what planted tables say: means, ranks, short lists, costs."""

import pytest
from conftest import write_rows

from nldr.report.aims import AIMS
from nldr.report.content import Card, StudyContent
from nldr.report.data.guide import SURVEYS, gather_guide

# Skill of each method; b is a little worse than a, on every dataset by another amount
SKILLS = {"a": 0.3, "b": 0.28, "c": 0.1, "random": -0.5}
OFFSETS = {"b": (0.004, -0.002, 0.001, -0.003), "c": (0.01, -0.02, 0.0, 0.01)}
DATASETS = ("roll", "roll@n=2", "roll@n=3", "tree")
FAMILIES = {"roll": "manifolds", "tree": "trees"}
METRICS = {aim.metric: {"range": [-1, 1], "direction": "higher"} for aim in AIMS}
LOCAL = AIMS[0].metric


def score(method, dataset):
    place = DATASETS.index(dataset)
    return 0.5 + 0.05 * place + SKILLS[method] + OFFSETS.get(method, (0,) * 4)[place]


def rows_of(metrics=(LOCAL,), datasets=DATASETS, failing=()):
    """Return two scored trials of each cell; ``c`` is tuned over two settings by a third trial."""
    rows = []
    for dataset in datasets:
        for method in SKILLS:
            cells = ["c@k=1", "c@k=2"] if method == "c" else [method]
            for cell in cells:
                for trial in range(3 if method == "c" else 2):
                    failed = (method, dataset) in failing
                    row = {
                        "dataset": dataset.partition("@")[0],
                        "data_cell": dataset,
                        "method": method,
                        "method_cell": cell,
                        "best_of": "c" if method == "c" else "",
                        "trial": trial,
                        "status": "error" if failed else "ok",
                        "selecting": int(trial == 2),
                        "cpu_seconds": 2.0 if cell == "c@k=2" else 1.0,
                        "peak_mb": 7.0,
                        "data.n_samples": 60,
                    }
                    if not failed:
                        row |= dict.fromkeys(metrics, score(method, dataset))
                    rows.append(row)
                    # The best setting has the seconds of the whole search
                    if cell == "c@k=1" and trial < 2:
                        rows.append(row | {"best_of": "", "cpu_seconds": 9.0})
    return rows


def gather(folder, tables):
    """Return the guide of studies with these rows."""
    files = {name: write_rows(folder / f"{name}.csv", rows) for name, rows in tables.items()}
    facts = {"New points": "embedded by transform", "Missing values": "not allowed: impute first"}
    cards = [
        Card("method", name, f"{name.upper()}, tuned", "", "", "", "", {}, facts, name != "random")
        for name in SKILLS
    ]
    cards += [Card("dataset", name, name.title(), "", "", "", "") for name in FAMILIES]
    study = StudyContent("", "", "", "", n_samples=[60, 90], metrics=METRICS)
    return gather_guide(dict.fromkeys(tables, study), files, files, cards, FAMILIES)


@pytest.fixture(scope="module")
def guide(tmp_path_factory):
    """Return the guide of a survey of all datasets."""
    return gather(tmp_path_factory.mktemp("guide"), {"survey": rows_of()})


def profile(guide, method):
    return next(p for p in guide.profiles if p.method == method)


def test_there_is_no_guide_without_a_survey(tmp_path):
    assert gather(tmp_path, {"other": rows_of()}) is None


def test_means_weigh_datasets_equally_and_intervals_are_paired(guide):
    assert (guide.n_datasets, guide.points) == (4, (60, 90))
    assert [p.method for p in guide.profiles] == ["a", "b", "c", "random"]
    assert profile(guide, "b").title == "B (tuned)"  # a comma would end it in a list
    estimate = profile(guide, "b").scores["local"]
    assert estimate.mean == pytest.approx(0.575 + 0.28)
    # Datasets differ by more than a tenth, methods by less than a hundredth
    assert estimate.low is not None
    assert 0 < estimate.mean - estimate.low < 0.01
    random = profile(guide, "random")
    assert random.control
    assert random.ranks == {}
    assert random.scores["local"].mean == pytest.approx(0.075)


def test_a_dataset_of_two_studies_counts_once_and_has_the_scores_of_both(tmp_path):
    labels = AIMS[2].metric
    tables = {"survey": rows_of(), "survey_groups": rows_of([LOCAL, labels], DATASETS[:2])}
    guide = gather(tmp_path, tables)
    assert guide.studies == [*SURVEYS]
    scores = profile(guide, "a").scores
    assert (scores["local"].n, scores["labels"].n) == (4, 2)
    assert profile(guide, "a").fits == 8


def test_a_method_that_fails_is_last_and_on_no_short_list(tmp_path):
    guide = gather(tmp_path, {"survey": rows_of(failing=[("a", "roll")])})
    best = profile(guide, "a")
    assert best.scores["local"].n == 3
    # Its level is that of the datasets of the others
    assert best.scores["local"].mean > profile(guide, "b").scores["local"].mean
    assert best.ranks["local"].mean == pytest.approx((3 + 1 + 1 + 1) / 4)
    assert (best.failed, best.fits) == (2, 8)
    contest = guide.families[0].contests["local"]
    assert (contest.best, contest.short_list) == ("b", ["b"])


def test_short_lists_have_those_that_are_not_told_to_be_worse(guide, tmp_path):
    rolls, trees = guide.families
    assert (rolls.name, rolls.n_datasets, rolls.datasets) == ("manifolds", 3, ["Roll"])
    # a is better than c by far, and than b by a small and steady amount
    assert rolls.contests["local"].short_list == ["a"]
    assert rolls.contests["local"].ties == []
    assert rolls.sentence == (
        "Best on manifolds (3 datasets): A (tuned) for local neighborhoods. "
        "On the short list of every aim: A (tuned)."
    )
    assert trees.name == "branching curves"
    assert trees.contests["local"].short_list == ["a", "b", "c"]
    assert trees.sentence.endswith("With one dataset, no method can be shown to be worse.")
    # b is the better one on a dataset
    rows = rows_of()
    for row in rows:
        if (row["method"], row["data_cell"]) == ("b", "roll"):
            row[LOCAL] += 0.05
    guide = gather(tmp_path, {"survey": rows})
    contest = guide.families[0].contests["local"]
    assert ({*contest.short_list}, contest.ties) == ({"a", "b"}, [])
    # b is behind by less than counts
    for row in (rows := rows_of()):
        if row["method"] == "b":
            row[LOCAL] += {"roll": 0.015, "roll@n=2": 0.02}.get(row["data_cell"], 0.018)
    contest = gather(tmp_path, {"survey": rows}).families[0].contests["local"]
    assert (len(contest.short_list), len(contest.ties)) == (2, 1)


def test_costs_are_those_of_single_fits_of_all_settings(guide):
    tuned = profile(guide, "c")
    assert (tuned.fits, tuned.cpu_seconds) == (4 * 2 * 3, 1.5)
    assert profile(guide, "a").cpu_seconds == 1.0
    assert (tuned.new_points, tuned.missing) == (True, False)
    assert tuned.times == {}


def test_times_by_size_appear_once_their_study_is_there(tmp_path):
    rows = [row | {"data.n_samples": n} for n in (1000, 5000, 10_000) for row in rows_of()]
    guide = gather(tmp_path, {"survey": rows_of(), "method_scaling": rows})
    assert profile(guide, "c").times == {"1000": 1.5, "10000": 1.5}
    assert profile(guide, "c").memory_mb == 7.0
