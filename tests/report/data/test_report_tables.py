"""Tables of a study as the report shows them."""

import pytest
from conftest import write_rows

from nldr.report.content import StudyContent
from nldr.report.data.report_tables import FEW, result_table


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
