"""Published numbers are joined to ours by numeric value and by name or title."""

from dataclasses import replace

import pytest

from nldr.claims.jobs import PublishedJoin
from nldr.claims.published.join import PublishedNumbers, normal_form

JOIN = PublishedJoin(
    keys={"data": "dataset", "name": "method", "n": "data.n"},
    names={"Inverse": "ikd"},
    where={"data.size": 1000},
    values={"r2": ["mean", "sd"], "seconds": ["time"]},
    titles={"dataset": {"gp": "Gaussian process"}, "method": {"ikd": "IKD", "tsne": "t-SNE"}},
)
TEXT = """data,name,n,mean,sd,time
Gaussian process,t-SNE,10.0,0.7,0.05,3
gp,Inverse,100,0.9,,
gp,Another,1,0.5,0.1,1
"""


def row(method, n, **more):
    cells = {"dataset": "gp", "data_cell": f"gp@n={n}", "method_cell": method}
    return {**cells, "method": method, "data.n": n, "data.size": 1000, **more}


@pytest.fixture
def joined(tmp_path):
    """Return a function that joins published numbers, with changes of how."""

    def make(text=TEXT, join=JOIN, **changes):
        (tmp_path / "published.csv").write_text(text)
        return PublishedNumbers(replace(join, **changes), tmp_path / "published.csv")

    return make


@pytest.fixture
def numbers(joined):
    return joined()


def test_numbers_agree_by_value_and_names_by_letters_and_digits():
    assert normal_form(1.0) != normal_form(10)
    assert normal_form(None) == normal_form("") != normal_form("None")
    assert normal_form(100) == normal_form("100.0") == normal_form(1e2)
    assert normal_form(0.1) != normal_form(1)
    assert normal_form("[256, 128]") == normal_form([256, 128]) != normal_form([2561, 28])
    assert normal_form("t-SNE") == normal_form("tsne") == normal_form("t_SNE")
    assert normal_form("ikd") != normal_form("ikd2")


def test_names_titles_and_translations_are_found(numbers):
    for ours, expected in (
        (row("tsne", 10), {"r2": (0.7, 0.05), "seconds": (3.0, None)}),
        (row("ikd", "100"), {"r2": (0.9, None)}),
    ):
        assert {metric: (v.value, v.sd) for metric, v in numbers.of(ours).items()} == expected


@pytest.mark.parametrize(
    "other",
    [row("tsne", 1), row("tsne", 100), row("pca", 10), row("tsne", 10, **{"data.size": 50})],
)
def test_other_settings_have_no_published_value(numbers, other):
    assert numbers.of(other) == {}


def test_records_name_our_cells_where_there_are_any(numbers):
    records = numbers.records([row("tsne", 10), row("tsne", 10), row("pca", 10)])
    columns = ("method", "data.n", "metric", "value", "method_cell")
    assert [tuple(r[column] for column in columns) for r in records] == [
        ("tsne", "10.0", "r2", 0.7, "tsne"),
        ("tsne", "10.0", "seconds", 3.0, "tsne"),
        ("ikd", "100", "r2", 0.9, None),
        ("Another", "1", "r2", 0.5, None),
        ("Another", "1", "seconds", 1.0, None),
    ]
    assert {r["dataset"] for r in records} == {"gp"}


def test_several_cells_of_one_setting_share_its_number(numbers):
    rows = [row("tsne", 10), row("tsne", 10, method_cell="tsne@perplexity=5")]
    cells = [r["method_cell"] for r in numbers.records(rows) if r["metric"] == "r2"]
    assert cells[:2] == ["tsne", "tsne@perplexity=5"]


def test_the_only_dataset_is_implied(joined):
    join = PublishedJoin({"n": "data.n"}, {}, {}, {"r2": ["mean"]}, {})
    records = joined("n,mean\n10,0.5\n20,0.6\n", join).records([row("tsne", 10)])
    expected = [("gp", "tsne", "gp@n=10"), ("gp", "tsne", None)]
    assert [(r["dataset"], r["method"], r["data_cell"]) for r in records] == expected


def test_a_published_name_may_stand_for_several_of_ours(joined):
    numbers = joined(names={"Inverse": ["ikd", "ikd_full"]})
    rows = [row("ikd", 100), row("ikd_full", 100), row("tsne", 10)]
    assert [numbers.of(r)["r2"].value for r in rows] == [0.9, 0.9, 0.7]
    values = [(r["method"], r["value"]) for r in numbers.records(rows) if r["metric"] == "r2"]
    assert sorted(values) == [("Another", 0.5), ("ikd", 0.9), ("ikd_full", 0.9), ("tsne", 0.7)]


def test_a_published_name_may_be_left_out(joined):
    numbers = joined(names={"Inverse": []})
    assert numbers.of(row("ikd", 100)) == {}
    values = [number["method"] for number in numbers.records([row("ikd", 100), row("tsne", 10)])]
    assert sorted(set(values)) == ["Another", "tsne"]


def test_two_rows_for_the_same_cells_are_refused(joined):
    message = "'data gp, name IKD, n 100' would be compared with the cell"
    with pytest.raises(ValueError, match=message):
        joined(TEXT + "gp,IKD,100,0.8,,\n")
