"""Faults of methods, datasets and metrics are found and named, and those without any pass."""

import time

import pytest

from nldr.testing import findings
from nldr.testing.data import DatasetTrial
from nldr.testing.findings import FAILED, NOT_CHECKED, NOTE, OK, run_checks
from nldr.testing.method import MethodTrial
from nldr.testing.metric import MetricTrial

SMALL = "it embeds a small set"
BEST = "a good embedding scores better than a random one"
TURNED = "rotation and scale of the embedding do not matter"
SEED = "only the seed determines the data"
SAME = "fit leaves data and parameters unchanged"
DEGENERATE = "degenerate embeddings have a score, NaN or a ValueError"
# Name, title of the check that finds its fault, mark, and what is said
DATA = [
    ("bad_data_tuple", "it returns a Dataset", FAILED, "returns tuple"),
    ("bad_data_not_a_number", "it returns a Dataset", FAILED, "X contains NaN"),
    ("bad_data_narrow", "its sizes are those of the catalog", FAILED, "n_features is 2, not 3"),
    ("bad_data_no_labels", "its labels are those of the catalog", FAILED, "has no labels"),
    ("bad_data_text", "its labels are those of the catalog", FAILED, "they have type <U1"),
    ("bad_data_small_class", "its labels are those of the catalog", NOTE, "of 2 to 298 points"),
    ("bad_data_copies", "points differ", NOTE, "1 of 300 points are copies"),
    ("bad_data_global", SEED, FAILED, "two calls differ"),
    ("bad_data_fixed", SEED, NOTE, "gives the same data"),
    ("without_rng", SEED, FAILED, "two calls differ"),
    ("bad_data_sorted", "rows are not sorted by label or latent", NOTE, "sorted by their label"),
    ("bad_data_mixed", "the rows of the latent belong to those of X", NOTE, "by chance it is 0.5"),
]
METHODS = [
    ("raises", SMALL, FAILED, "ValueError: matmul"),
    ("not_a_number", SMALL, FAILED, "NaN or infinity in 1 of 150 rows"),
    ("not_converged", SMALL, NOTE, "does not converge: give it more time"),
    ("dies", SMALL, FAILED, "the process died (SIGKILL)"),
    (
        "always_two",
        "n_components sets the number of dimensions",
        FAILED,
        "shape (150, 2), not (150, 3)",
    ),
    ("changes_the_data", SAME, FAILED, "it changes X"),
    ("changes_a_parameter", SAME, FAILED, "changes the parameter n_components"),
    ("random", "the same seed gives the same embedding", FAILED, "coordinates differ by up to"),
    ("uses_the_order", "the order of the rows does not matter", FAILED, "with shuffled ones"),
    ("none", "attributes of the catalog exist", FAILED, "the attribute missing_"),
    ("needs_many_rows", "difficult data are embedded or refused", NOTE, "IndexError"),
]
METRICS = [
    ("other_name", "it returns the metrics of the catalog", FAILED, "metric 'bad_other_name'"),
    ("list", "it returns the metrics of the catalog", FAILED, "returns list"),
    ("text", "it returns the metrics of the catalog", FAILED, "is not a number but 'good'"),
    ("range", "values are in range", FAILED, "the range [-1.0, 1.0]"),
    ("direction", BEST, FAILED, "higher is better: bad_direction is -"),
    ("random", "the same embedding has the same score", FAILED, "then"),
    ("order", "the order of the points does not matter", FAILED, "then"),
    ("scale", TURNED, NOTE, "a rotation of the embedding changes the score"),
    ("few", DEGENERATE, NOTE, "4 points: raises IndexError"),
    ("threads", "it stays within its limits", FAILED, "needs a parameter n_jobs"),
]
GOOD = ("mine", "ranks", "alignment", "neighbors", "distances")
FAULTS = [
    *((DatasetTrial, *fault) for fault in DATA),
    *((MethodTrial, f"bad_{name}", *fault) for name, *fault in METHODS),
    *((MetricTrial, f"bad_metric_{name}", *fault) for name, *fault in METRICS),
]


@pytest.mark.parametrize(
    ("trial", "name", "title", "mark", "text"), FAULTS, ids=[fault[1] for fault in FAULTS]
)
def test_fault_is_found(catalog, found, trial, name, title, mark, text):
    finding = found(trial(catalog, name).checks(), title)
    assert finding.mark == mark, finding
    assert text in finding.text
    assert finding.advice


@pytest.mark.parametrize(
    ("trial", "n_checks", "name"),
    [
        *((DatasetTrial, 8, name) for name in ("mine", "swiss_roll", "digits", "bad_data_none")),
        *((MethodTrial, 10, name) for name in ("mine", "pca", "projection")),
        *((MetricTrial, 8, name) for name in GOOD),
    ],
)
def test_good_ones_pass(catalog, trial, n_checks, name):
    results = [*run_checks(trial(catalog, name).checks(), 60.0)]
    assert len(results) == n_checks
    assert results[0].mark == OK
    assert [f.lines() for f in results if f.mark == FAILED] == []
    noted = [finding.text for finding in results if finding.mark == NOTE]
    if trial is DatasetTrial:
        assert {finding.mark for finding in results} == {OK}
    elif trial is MethodTrial:
        # What validates nothing misses scikit-learn's checks, which the engine does not need
        assert bool(noted) == (name == "projection"), noted
        assert all("scikit-learn checks hold" in text for text in noted)
        advice = [finding.advice for finding in results if finding.mark == NOTE]
        assert all(text.endswith((".", " …")) for text in advice), "cut within a word"


def test_full_size_over_the_limits_is_found(catalog, found):
    trial = DatasetTrial(catalog, "swiss_roll")
    trial.entry = trial.entry.model_copy(update={"seconds": 1e-9})
    finding = found(trial.checks(), "full size is within the limits")
    assert finding.mark == FAILED
    assert "raise seconds or memory_mb" in finding.advice


def test_line_of_the_error_is_shown(catalog, found):
    finding = found(MethodTrial(catalog, "bad_raises").checks(), SMALL)
    assert "planted.py, line" in finding.advice
    assert "return X @ X" in finding.advice


def test_method_that_hangs_is_ended(catalog, monkeypatch):
    monkeypatch.setattr(findings, "CHECK_SECONDS", 0.25)
    checks = MethodTrial(catalog, "bad_hangs").checks()
    begin = time.monotonic()
    first, second = run_checks(checks[:2], 10.0)
    assert time.monotonic() - begin < 8
    assert first.mark == second.mark == FAILED
    assert "did not end in 0.25 CPU s" in first.text


def test_nothing_runs_after_the_deadline(catalog):
    late = [*run_checks(MethodTrial(catalog, "pca").checks()[:1], 0.0)]
    assert [finding.mark for finding in late] == [NOT_CHECKED]
    assert "--seconds" in late[0].advice


def test_methods_that_need_the_latent_get_it(catalog, found):
    finding = found(MethodTrial(catalog, "oracle").checks(), SMALL)
    assert finding.mark == OK


def test_metric_that_is_undefined_on_the_data_is_noted(catalog, found):
    finding = found(MetricTrial(catalog, "rings").checks(), BEST)
    assert finding.mark == NOTE
    assert "rings_closed: NaN on swiss_roll" in finding.text
