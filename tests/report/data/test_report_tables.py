"""Tables of a study as the report shows them."""

import csv
from pathlib import Path

import pytest

from nldr.report.content import Study
from nldr.report.data.report_tables import FEW, result_table


@pytest.mark.parametrize("n_metrics", [FEW, FEW + 1])
def test_tables_of_many_metrics_leave_out_standard_deviations(
    tmp_path: Path, n_metrics: int
) -> None:
    names = [f"m{number}" for number in range(n_metrics)]
    metrics = {name: {"label": name, "title": name, "direction": "higher"} for name in names}
    row = {"data_cell": "roll", "method_cell": "pca", "n_ok": "2"}
    row |= {f"{name}{end}": "0.5" for name in names for end in ("_mean", "_sd")}
    with (tmp_path / "summary.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow(row)
    study = Study("s", "A study", "", "s.yaml", metrics=metrics)
    table = result_table(study, str(tmp_path / "summary.csv"), [("Roll", "PCA")], [])
    keys = [column.key for column in table.columns if column.metric == "m0"]
    assert keys == (["m0_mean", "m0_sd"] if n_metrics == FEW else ["m0_mean"])
