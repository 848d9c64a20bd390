"""Tables of a study as the report shows them."""

import pytest
from conftest import write_rows

from nldr.report.content import StudyContent
from nldr.report.data.report_tables import FEW, published_table, result_table


@pytest.mark.parametrize("n_metrics", [FEW, FEW + 1])
def test_tables_of_many_metrics_leave_out_standard_deviations(tmp_path, n_metrics):
    names = [f"m{number}" for number in range(n_metrics)]
    metrics = {name: {"label": name, "title": name, "direction": "higher"} for name in names}
    row = {"data_cell": "roll", "method_cell": "pca", "n_ok": "2"}
    row |= {f"{name}{end}": "0.5" for name in names for end in ("_mean", "_sd")}
    summary = write_rows(tmp_path / "summary.csv", [row])
    study = StudyContent("s", "A study", "", "s.yaml", metrics=metrics)
    table = result_table(study, summary, [("Roll", "PCA")], [])
    keys = [column.key for column in table.columns if column.metric == "m0"]
    assert keys == (["m0_mean", "m0_sd"] if n_metrics == FEW else ["m0_mean"])


def test_metrics_of_the_same_label_are_told_apart_by_name(tmp_path):
    labels = {"kl_1": "KL", "kl_2": "KL", "r": "r"}
    metrics = {k: {"label": v, "title": "", "direction": "lower"} for k, v in labels.items()}
    row = {"data_cell": "roll", "method_cell": "pca", "n_ok": "2"}
    summary = write_rows(tmp_path / "summary.csv", [row | {f"{name}_mean": "1" for name in labels}])
    study = StudyContent("s", "A study", "", "s.yaml", metrics=metrics)
    results = result_table(study, summary, [("Roll", "PCA")], [])
    means = [column.title for column in results.columns if column.key.endswith("_mean")]
    assert means == ["kl_1", "kl_2", "r"]
    numbers = ("ours", "published", "difference", "low", "high", "margin", "trials")
    decided = dict.fromkeys(numbers, "1") | {"setting": "", "verdict": "differs", "cell": ""}
    published = published_table(study, [decided | {"metric": name} for name in labels], "")
    assert [row["metric"] for row in published.rows] == ["kl_1", "kl_2", "r"]
