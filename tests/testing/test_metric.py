"""Faults of metrics are found and named, and metrics without any pass."""

import pytest

from nldr.testing.findings import FAILED, NOTE, run_checks
from nldr.testing.metric import MetricTrial

BEST = "a good embedding scores better than a random one"
TURNED = "how the embedding is turned does not matter"
FAULTS = [
    ("other_name", "it returns the metrics of the catalog", FAILED, "not 'bad_other_name'"),
    ("list", "it returns the metrics of the catalog", FAILED, "returns list"),
    ("text", "it returns the metrics of the catalog", FAILED, "is no number but 'good'"),
    ("range", "values are in range", FAILED, "the range [-1.0, 1.0]"),
    ("direction", BEST, FAILED, "higher is better: bad_direction is -"),
    ("random", "the same embedding has the same score", FAILED, "then"),
    ("order", "the order of the points does not matter", FAILED, "then"),
    ("scale", TURNED, NOTE, "a rotation of the embedding does not matter"),
    ("few", "degenerate embeddings have a score or none", NOTE, "4 points: raises IndexError"),
    ("threads", "it stays within its limits", FAILED, "needs a parameter n_jobs"),
]


@pytest.mark.parametrize(("fault", "title", "mark", "text"), FAULTS, ids=lambda v: str(v)[:20])
def test_fault_is_found(catalog, found, fault, title, mark, text):
    finding = found(MetricTrial(catalog, f"bad_metric_{fault}").checks(), title)
    assert finding.mark == mark, finding
    assert text in finding.text
    assert finding.advice


@pytest.mark.parametrize("name", ["mine", "ranks", "alignment", "neighbors", "distances"])
def test_good_metrics_pass(catalog, name):
    results = [*run_checks(MetricTrial(catalog, name).checks(), 60.0)]
    assert len(results) == 8
    assert [f.lines() for f in results if f.mark == FAILED] == []


def test_metric_that_is_undefined_on_the_data_is_noted(catalog, found):
    finding = found(MetricTrial(catalog, "rings").checks(), BEST)
    assert finding.mark == NOTE
    assert "rings_closed: NaN on swiss_roll" in finding.text
