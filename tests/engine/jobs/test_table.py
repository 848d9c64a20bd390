"""Tables hold what was measured, published numbers beside it, and no invented score."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest

from nldr.engine.jobs.table import make_tables
from nldr.engine.layout import EMBEDDING, SCORES
from nldr.engine.store import write_csv, write_npz

PUBLISHED = "dataset,method,n_features,r2_mean,r2_sd\ngp,t-SNE,10,0.7,0.05\ngp,Inverse,10,0.9,0.1\n"
SCORED = {"tsne": [0.6, 0.9, 0.8], "broken": [None, None, None], "ikd": [0.5, None, 0.7]}
STATUS = {"tsne": ["ok"] * 3, "broken": ["error"] * 3, "ikd": ["ok", "timeout", "not_converged"]}


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[dict[str, str]]]:
    """Return the tables of three methods on one dataset."""
    monkeypatch.chdir(tmp_path)
    pairs = []
    for method, values in SCORED.items():
        where = {"data": "gp@n_features=10", "method": method}
        rows = [[t, v] for t, v in enumerate(values)]
        write_csv(SCORES.format(**where, scorer="s", trials=3), ["trial", "r2"], rows)
        for trial, status in enumerate(STATUS[method]):
            meta = {
                "status": status, "message": "" if status == "ok" else f"it is {status}",
                "seconds": 1.5 if status == "ok" else None,
                "job": {"seconds": 600, "threads": 1, "exclusive": False},
                "fit": {"gap": trial / 4} if method == "tsne" else {},
            }  # fmt: skip
            write_npz(EMBEDDING.format(**where, trial=trial), {}, meta)
        pairs.append(
            {
                "data_cell": where["data"], "dataset": "gp", "method_cell": method,
                "method": method, "data_params": {"n_features": 10, "n_samples": 1000},
                "method_params": {"n_components": 2}, "trials": 3,
            }
        )  # fmt: skip
    Path("published.csv").write_text(PUBLISHED)
    published: dict[str, Any] = {
        "keys": {"dataset": "dataset", "method": "method", "n_features": "data.n_features"},
        "where": {"data.n_samples": 1000},
        "names": {"Inverse": "ikd"},
        "values": {"r2": ["r2_mean", "r2_sd"]},
    }
    best = {
        "methods": ["broken", "ikd", "tsne"], "one_setting": False,
        "metric": "r2", "direction": "higher",
    }  # fmt: skip
    job = {"pairs": pairs, "metrics": {"r2": "s"}, "published": published, "best_of": {}}
    paths = [Path(f"{name}.csv") for name in ("table", "summary", "timings")]
    make_tables(job, Path("published.csv"), *paths)
    tables = {path.stem: read(path) for path in paths}
    make_tables({**job, "best_of": {"any": best}}, Path("published.csv"), *paths)
    return tables | {f"best {path.stem}": read(path) for path in paths}


def test_a_row_a_trial(tables: dict) -> None:
    assert [(r["method"], r["trial"], r["status"], r["r2"]) for r in tables["table"]] == [
        ("tsne", "0", "ok", "0.6"), ("tsne", "1", "ok", "0.9"), ("tsne", "2", "ok", "0.8"),
        ("broken", "0", "error", ""), ("broken", "1", "error", ""), ("broken", "2", "error", ""),
        ("ikd", "0", "ok", "0.5"), ("ikd", "1", "timeout", ""),
        ("ikd", "2", "not_converged", "0.7"),
    ]  # fmt: skip
    assert tables["table"][3]["message"] == "it is error"
    assert tables["table"][0]["data.n_features"] == "10"


def test_clocks_stand_apart(tables: dict) -> None:
    assert "seconds" not in tables["table"][0]
    assert [r["seconds"] for r in tables["timings"]][:4] == ["1.5", "1.5", "1.5", ""]


def test_numbers_of_fits_stand_behind_the_metrics(tables: dict) -> None:
    assert list(tables["table"][0])[-2:] == ["r2", "fit.gap"]
    assert [r["fit.gap"] for r in tables["table"]] == ["0.0", "0.25", "0.5"] + [""] * 6
    assert [r["fit.gap_mean"] for r in tables["summary"]] == ["0.25", "", ""]


def test_summary_counts_only_what_went_well(tables: dict) -> None:
    tsne, broken, ikd = tables["summary"]
    assert (tsne["n_trials"], tsne["n_ok"]) == ("3", "3")
    assert float(tsne["r2_mean"]) == fmean([0.6, 0.9, 0.8])
    assert float(tsne["r2_sd"]) == stdev([0.6, 0.9, 0.8])
    assert (broken["n_ok"], broken["r2_mean"], broken["r2_sd"]) == ("0", "", "")
    assert (ikd["n_ok"], ikd["r2_mean"], ikd["r2_sd"]) == ("1", "0.5", "")


def test_published_values_stand_beside_ours(tables: dict) -> None:
    tsne, broken, ikd = tables["summary"]
    assert (tsne["r2_published"], tsne["r2_published_sd"]) == ("0.7", "0.05")
    expected = (fmean([0.6, 0.9, 0.8]) - 0.7) / 0.05
    assert float(tsne["r2_difference_sd"]) == pytest.approx(expected)
    assert broken["r2_published"] == broken["r2_difference_sd"] == ""
    assert float(ikd["r2_difference_sd"]) == pytest.approx(-4)


def test_best_of_several(tables: dict) -> None:
    rows = tables["best table"]
    members, best = rows[:9], rows[9:]
    assert {row["best_of"] for row in members} == {"any"}
    assert [(r["method"], r["method_cell"], r["best_of"], r["r2"]) for r in best] == [
        ("any", "tsne", "", "0.6"), ("any", "tsne", "", "0.9"), ("any", "tsne", "", "0.8"),
    ]  # fmt: skip
    assert [r["seconds"] for r in tables["best timings"][9:]] == ["3.0", "1.5", "1.5"]
    summary = tables["best summary"]
    assert [r["method"] for r in summary] == ["tsne", "broken", "ikd", "any"]
    assert float(summary[-1]["r2_mean"]) == fmean([0.6, 0.9, 0.8])
    assert "best_of" not in tables["table"][0]


@pytest.mark.parametrize(("direction", "winner"), [("higher", "even"), ("lower", "poor")])
def test_one_setting_for_all_data_sets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, direction: str, winner: str
) -> None:
    monkeypatch.chdir(tmp_path)
    means = {
        "even": {"a": 0.8, "b": 0.8}, "first": {"a": 0.9, "b": 0.6}, "poor": {"a": 0.2, "b": 0.7},
        "fails": {"a": 1.0, "b": None}, "absent": {"a": 1.0},
    }  # fmt: skip
    pairs = []
    for setting, scores in means.items():
        for data, mean in scores.items():
            where = {"data": data, "method": setting}
            pairs.append(_measured(where, [mean, mean and mean + 0.1], "m"))
    group = {"methods": ["m"], "one_setting": True, "metric": "r2", "direction": direction}
    job = {"pairs": pairs, "metrics": {"r2": "s"}, "published": None, "best_of": {"one": group}}
    make_tables(job, None, *(Path(f"{name}.csv") for name in ("table", "summary", "timings")))
    rows = [row for row in read(Path("table.csv")) if row["method"] == "one"]
    assert [(r["data_cell"], r["method_cell"], r["trial"]) for r in rows] == [
        (data, winner, trial) for data in "ab" for trial in "01"
    ]
    clocks = [row["seconds"] for row in read(Path("timings.csv")) if row["method"] == "one"]
    assert clocks == ["1.5"] * 4


def _measured(where: dict[str, str], values: list[float | None], method: str) -> dict[str, Any]:
    """Write scores and embeddings of one cell and return what the table's job has of it."""
    rows = [[t, v] for t, v in enumerate(values)]
    write_csv(SCORES.format(**where, scorer="s", trials=len(values)), ["trial", "r2"], rows)
    for trial, value in enumerate(values):
        meta = {
            "status": "error" if value is None else "ok", "message": "", "seconds": 1.5,
            "job": {"threads": 1, "exclusive": False},
        }  # fmt: skip
        write_npz(EMBEDDING.format(**where, trial=trial), {}, meta)
    return {
        "data_cell": where["data"], "dataset": where["data"], "method_cell": where["method"],
        "method": method, "data_params": {}, "method_params": {"n_components": 2},
        "trials": len(values),
    }  # fmt: skip
