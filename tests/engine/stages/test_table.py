"""Tables hold what was measured, published numbers beside it, and no invented score."""

from dataclasses import replace
from statistics import fmean, stdev

import pandas as pd
import pytest

from nldr.claims.jobs import PublishedJoin
from nldr.engine.files.store import read_manifest, write_manifest
from nldr.engine.jobs.report_specs import TableJob
from nldr.engine.jobs.specs import Cell, MethodGroup
from nldr.engine.stages.table import make_tables
from nldr.engine.stages.trials import select_rows
from nldr.tables import read_csv

PUBLISHED = "dataset,method,n_features,r2_mean,r2_sd\ngp,t-SNE,10,0.7,0.05\ngp,Inverse,10,0.9,0.1\n"
SCORED = {"tsne": [0.6, 0.9, 0.8], "broken": [None, None, None], "ikd": [0.5, None, 0.7]}
STATUS = {"tsne": ["ok"] * 3, "broken": ["error"] * 3, "ikd": ["ok", "timeout", "not_converged"]}
NAMES = ("table", "summary", "timings", "failures", "costs")
JOIN = PublishedJoin(
    keys={"dataset": "dataset", "method": "method", "n_features": "data.n_features"},
    names={"Inverse": "ikd"},
    where={"data.n_samples": 1000},
    values={"r2": ["r2_mean", "r2_sd"]},
    titles={"dataset": {}, "method": {"tsne": "t-SNE"}},
)
JOB = TableJob(cells=[], metrics=["r2"], groups={}, published=JOIN, code="")


class Measured:
    """Cells with the files of their scores and embeddings, in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.cells = []
        self.scores = []
        self.embeddings = []

    def add(self, cell, values, rows, failures=None):
        folder = self.folder / str(len(self.cells))
        self.cells.append(cell)
        scored = [
            {"trial": t, "scores": {} if v is None else {"r2": v}, "failures": failures or []}
            for t, v in enumerate(values)
        ]
        embedded = [
            {"trial": t, "message": "", "circumstances": {"threads": 1, "exclusive": False}, **row}
            for t, row in enumerate(rows)
        ]
        for name, trials in (("scores", scored), ("embeddings", embedded)):
            file = str(folder / f"{name}.json")
            getattr(self, name).append(file)
            write_manifest(file, key="", trials=trials)

    def tables(self, job):
        """Make the tables and return them by name."""
        job = replace(job, cells=self.cells)
        published = self.folder / "published.csv"
        published.write_text(PUBLISHED)
        inputs = {"scores": self.scores, "embeddings": self.embeddings}
        inputs["published"] = [str(published)]
        paths = {name: str(self.folder / f"{name}.csv") for name in NAMES}
        make_tables(job, inputs, paths, lambda: None)
        return {name: read_csv(path) for name, path in paths.items()}


@pytest.fixture
def measured(tmp_path):
    """Return three methods on one dataset."""
    measured = Measured(tmp_path)
    for method, values in SCORED.items():
        metas = [
            {
                "status": status,
                "message": "" if status == "ok" else f"it is {status}",
                "seconds": 1.5 if status == "ok" else None,
                "fit": {"gap": trial / 4} if method == "tsne" else {},
            }
            for trial, status in enumerate(STATUS[method])
        ]
        params = {"n_features": 10, "n_samples": 1000}, {"n_components": 2}
        cell = Cell("gp", "gp@n_features=10", method, method, *params, 3, 3)
        measured.add(cell, values, metas)
    return measured


def test_one_row_per_trial(measured):
    table = measured.tables(JOB)["table"]
    assert [(r["method"], r["trial"], r["status"], r["r2"]) for r in table] == [
        (method, str(trial), STATUS[method][trial], "" if score is None else str(score))
        for method, scores in SCORED.items()
        for trial, score in enumerate(scores)
    ]
    assert table[3]["message"] == "it is error"
    assert table[0]["data.n_features"] == "10"


def test_numbers_of_fits_follow_the_metrics(measured):
    tables = measured.tables(JOB)
    assert list(tables["table"][0])[-2:] == ["r2", "fit.gap"]
    assert [r["fit.gap"] for r in tables["table"]] == ["0.0", "0.25", "0.5"] + [""] * 6
    assert [r["fit.gap_mean"] for r in tables["summary"]] == ["0.25", "", ""]


def test_summary_counts_only_trials_that_are_ok(measured):
    tsne, broken, ikd = measured.tables(JOB)["summary"]
    assert (tsne["n_trials"], tsne["n_ok"]) == ("3", "3")
    assert float(tsne["r2_mean"]) == fmean([0.6, 0.9, 0.8])
    assert float(tsne["r2_sd"]) == stdev([0.6, 0.9, 0.8])
    assert (broken["n_ok"], broken["r2_mean"], broken["r2_sd"]) == ("0", "", "")
    assert (ikd["n_ok"], ikd["r2_mean"], ikd["r2_sd"]) == ("1", "0.5", "")


def test_infinite_scores_have_no_spread_and_perhaps_no_mean(tmp_path):
    measured = Measured(tmp_path)
    cell = Cell("gp", "gp", "tsne", "a", {}, {}, 2, 2)
    trials = [{"status": "ok", "seconds": 1.0}] * 2
    measured.add(cell, [float("inf")] * 2, trials)
    measured.add(replace(cell, method_cell="b"), [float("inf"), float("-inf")], trials)
    rows = measured.tables(JOB)["summary"]
    assert [(row["r2_mean"], row["r2_sd"]) for row in rows] == [("inf", ""), ("", "")]
    # One that has no mean is never the best
    groups = {"tsne": MethodGroup(["tsne"], "r2", "lower", one_setting=False)}
    best = measured.tables(replace(JOB, groups=groups))["summary"][-1]
    assert (best["method_cell"], best["r2_mean"]) == ("a", "inf")


def test_first_trials_may_be_left_out(measured):
    measured.cells[0] = replace(measured.cells[0], first=1)
    tables = measured.tables(JOB)
    assert [row["trial"] for row in tables["table"][:2]] == ["1", "2"]
    assert tables["summary"][0]["n_trials"] == "2"
    assert float(tables["summary"][0]["r2_mean"]) == fmean([0.9, 0.8])


def test_published_values_are_beside_ours(measured):
    tsne, broken, ikd = measured.tables(JOB)["summary"]
    assert (tsne["r2_published"], tsne["r2_published_sd"]) == ("0.7", "0.05")
    expected = (fmean([0.6, 0.9, 0.8]) - 0.7) / 0.05
    assert float(tsne["r2_difference_sd"]) == pytest.approx(expected)
    assert broken["r2_published"] == broken["r2_difference_sd"] == ""
    assert float(ikd["r2_difference_sd"]) == pytest.approx(-4)


@pytest.mark.parametrize("missing", ["scores", "embeddings"])
def test_files_that_do_not_match_the_cells_raise(measured, missing):
    files = getattr(measured, missing)
    last = files.pop()
    with pytest.raises(ValueError, match="is shorter than"):
        measured.tables(JOB)
    files += [last, last]
    with pytest.raises(ValueError, match="is longer than"):
        measured.tables(JOB)


def test_best_of_several_methods(measured):
    group = MethodGroup(["broken", "ikd", "tsne"], "r2", "higher", one_setting=False)
    tables = measured.tables(replace(JOB, groups={"any": group}))
    candidates, best = tables["table"][:9], tables["table"][9:]
    assert {row["best_of"] for row in candidates} == {"any"}
    assert {(r["method"], r["method_cell"], r["best_of"]) for r in best} == {("any", "tsne", "")}
    assert [r["r2"] for r in best] == ["0.6", "0.9", "0.8"]
    assert [r["seconds"] for r in tables["timings"][9:]] == ["3.0", "1.5", "1.5"]
    assert [r["method"] for r in tables["summary"]] == ["tsne", "broken", "ikd", "any"]
    assert float(tables["summary"][-1]["r2_mean"]) == fmean([0.6, 0.9, 0.8])
    assert "best_of" not in measured.tables(JOB)["table"][0]


def test_tuned_method_keeps_its_name(tmp_path):
    measured = Measured(tmp_path)
    for cell, score in (("isomap@k=4", 0.5), ("isomap@k=8", 0.75)):
        settings = {"n_components": 2}
        measured.add(
            Cell("gp", "gp", "isomap", cell, {}, settings, 1, 1), [score], [{"status": "ok"}]
        )
    group = MethodGroup(["isomap"], "r2", "higher", one_setting=False)
    tables = measured.tables(replace(JOB, groups={"isomap": group}, published=None))
    assert [(r["method"], r["method_cell"], r["best_of"]) for r in tables["summary"]] == [
        ("isomap", "isomap@k=4", "isomap"),
        ("isomap", "isomap@k=8", "isomap"),
        ("isomap", "isomap@k=8", ""),
    ]


@pytest.mark.parametrize(("direction", "winner"), [("higher", "even"), ("lower", "poor")])
def test_one_setting_for_all_datasets(tmp_path, direction, winner):
    means = {
        "even": {"a": 0.8, "b": 0.8},
        "first": {"a": 0.9, "b": 0.6},
        "poor": {"a": 0.2, "b": 0.7},
        "fails": {"a": 1.0, "b": None},
        "absent": {"a": 1.0},
    }
    measured = Measured(tmp_path)
    for setting, scores in means.items():
        for data, mean in scores.items():
            meta = {"status": "error" if mean is None else "ok", "seconds": 1.5}
            cell = Cell(data, data, "m", setting, {}, {"n_components": 2}, 2, 2)
            measured.add(cell, [mean, mean and mean + 0.1], [meta, meta])
    group = MethodGroup(["m"], "r2", direction, one_setting=True)
    tables = measured.tables(replace(JOB, groups={"one": group}, published=None))
    rows = [row for row in tables["table"] if row["method"] == "one"]
    assert [(r["data_cell"], r["method_cell"], r["trial"]) for r in rows] == [
        (data, winner, trial) for data in "ab" for trial in "01"
    ]
    clocks = [row["seconds"] for row in tables["timings"] if row["method"] == "one"]
    assert clocks == ["1.5"] * 4


def test_setting_selected_on_other_trials(tmp_path):
    # "lucky" is better on the scored trials 0 and 1, "good" on the selecting trials 2 and 3.
    measured = Measured(tmp_path)
    for setting, scores in {"lucky": [0.9, 0.8, 0.1, 0.2], "good": [0.5, 0.6, 0.7, None]}.items():
        rows = [
            {"status": "error" if score is None else "ok", "seconds": 10.0**trial}
            for trial, score in enumerate(scores)
        ]
        measured.add(Cell("gp", "gp", "m", setting, {}, {"n_components": 2}, 4, 2), scores, rows)
    group = MethodGroup(["m"], "r2", "higher", one_setting=False, selected_on="trials")
    tables = measured.tables(replace(JOB, groups={"m": group}, published=None))
    best = [row for row in tables["table"] if not row["best_of"]]
    expected = [("good", "0", "0.5", "0"), ("good", "1", "0.6", "0")]
    assert [(r["method_cell"], r["trial"], r["r2"], r["selecting"]) for r in best] == expected
    # The search took the selecting trials of both settings, and then the scored fit.
    clocks = [row["seconds"] for row in tables["timings"] if not row["best_of"]]
    assert clocks == [str(1.0 + 2 * 1100), str(10.0 + 2 * 1100)]
    # Means are those of the scored trials.
    means = {r["method_cell"]: (r["n_trials"], float(r["r2_mean"])) for r in tables["summary"]}
    assert means == {"lucky": ("2", fmean([0.9, 0.8])), "good": ("2", fmean([0.5, 0.6]))}


def test_setting_selected_on_other_rows(tmp_path):
    measured = Measured(tmp_path)
    for setting, score, selecting in (("lucky", 0.9, 0.1), ("good", 0.5, 0.7)):
        cell = Cell("gp", "gp", "m", setting, {}, {"n_components": 2}, 1, 1)
        measured.add(cell, [score], [{"status": "ok", "seconds": 2.0}])
        trials = read_manifest(measured.scores[-1])["trials"]
        trials[0]["scores"]["selecting.r2"] = selecting
        write_manifest(measured.scores[-1], key="", trials=trials)
    group = MethodGroup(["m"], "r2", "higher", one_setting=False, selected_on="rows")
    tables = measured.tables(replace(JOB, groups={"m": group}, published=None))
    best = tables["table"][-1]
    assert (best["method_cell"], best["r2"], best["selecting.r2"]) == ("good", "0.5", "0.7")
    assert tables["timings"][-1]["seconds"] == "4.0"
    assert "selecting" not in best


def test_failures_of_all_stages_are_listed(tmp_path):
    measured = Measured(tmp_path)
    cell = Cell("gp", "gp@n=5", "pca", "pca@m=2", {}, {"n_components": 2}, 2, 2)
    rows = [
        {"status": "error", "message": "dataset: no file", "stage": "data"},
        {"status": "not_converged", "message": "stopped early"},
    ]
    failed = {"scorer": "ranks", "status": "timeout", "message": "too slow"}
    measured.add(replace(cell, trials=1), [0.5], [{"status": "ok"}], [failed])
    measured.add(cell, [None, 0.5], rows)
    tables = measured.tables(replace(JOB, published=None))
    assert [list(row.values()) for row in tables["failures"]] == [
        ["score", "gp@n=5", "pca@m=2", "ranks", "0", "timeout", "too slow"],
        ["data", "gp@n=5", "pca@m=2", "", "0", "error", "dataset: no file"],
        ["embed", "gp@n=5", "pca@m=2", "", "1", "not_converged", "stopped early"],
    ]
    assert "stage of failure" not in tables["table"][0]
    assert [row["r2"] for row in tables["table"]] == ["0.5", "", "0.5"]


def test_table_of_no_failures_has_a_header(tmp_path):
    measured = Measured(tmp_path)
    measured.add(Cell("gp", "gp", "pca", "pca", {}, {}, 1, 1), [0.5], [{"status": "ok"}])
    assert measured.tables(replace(JOB, published=None))["failures"] == []
    header = (tmp_path / "failures.csv").read_text()
    assert header == "stage,data_cell,method_cell,scorer,trial,status,message\n"


def test_trials_that_select_are_not_shown():
    rows = pd.DataFrame({"trial": [0, 1], "selecting": [0, 1], "status": ["ok", "error"]})
    rows = rows.assign(data_cell="d", method_cell="m")
    for selecting, trials in ((rows["selecting"], [0]), (0, [0, 1])):
        shown = select_rows(rows.assign(selecting=selecting), [("d", "m"), ("e", "m")], False)
        assert shown["trial"].tolist() == trials
    assert shown["ok"].tolist() == [True, False]
    assert select_rows(rows, [("e", "m")], False).empty


def test_timings_say_under_which_circumstances(tmp_path):
    measured = Measured(tmp_path)
    row = {"seconds": 1.5, "compile_seconds": 0.5, "start": "warm", "cpu": "a CPU", "run": "a run"}
    circumstances = {"threads": 2, "exclusive": True, "cores": 4}
    row |= {"status": "ok", "circumstances": circumstances}
    measured.add(Cell("gp", "gp", "pca", "pca", {}, {}, 1, 1), [0.5], [row])
    (result,) = measured.tables(replace(JOB, published=None))["timings"]
    expected = row | circumstances
    del expected["status"], expected["circumstances"]
    assert {name: result[name] for name in expected} == {k: str(v) for k, v in expected.items()}
