"""Faults of datasets are found and named, and datasets without any pass."""

import pytest

from nldr.testing.data import DatasetTrial
from nldr.testing.findings import FAILED, NOTE, OK, run_checks

FAULTS = [
    ("bad_data_tuple", "it returns a Dataset", FAILED, "returns tuple"),
    ("bad_data_not_a_number", "it returns a Dataset", FAILED, "X contains NaN"),
    ("bad_data_narrow", "its sizes are those of the catalog", FAILED, "n_features is 2, not 3"),
    ("bad_data_no_labels", "its labels are those of the catalog", FAILED, "has no labels"),
    ("bad_data_text", "its labels are those of the catalog", FAILED, "they have type <U1"),
    ("bad_data_small_class", "its labels are those of the catalog", NOTE, "of 2 to 298 points"),
    ("bad_data_copies", "points differ", NOTE, "1 of 300 are copies"),
    ("bad_data_global", "the seed decides, and nothing else", FAILED, "two calls differ"),
    ("bad_data_fixed", "the seed decides, and nothing else", NOTE, "gives the same data"),
    ("without_rng", "the seed decides, and nothing else", FAILED, "two calls differ"),
    ("bad_data_sorted", "the order of the rows tells nothing", NOTE, "sorted by their label"),
    ("bad_data_mixed", "the latent belongs to the points", NOTE, "by chance it is 0.5"),
]


@pytest.mark.parametrize(("name", "title", "mark", "text"), FAULTS, ids=lambda v: str(v)[:20])
def test_fault_is_found(catalog, found, name, title, mark, text):
    finding = found(DatasetTrial(catalog, name).checks(), title)
    assert finding.mark == mark, finding
    assert text in finding.text
    assert finding.advice


@pytest.mark.parametrize("name", ["mine", "swiss_roll", "digits", "bad_data_none"])
def test_good_datasets_pass(catalog, name):
    results = [*run_checks(DatasetTrial(catalog, name).checks(), 60.0)]
    assert len(results) == 8
    assert {finding.mark for finding in results} == {OK}, [f.lines() for f in results]


def test_full_size_over_the_limits_is_found(catalog, found):
    trial = DatasetTrial(catalog, "swiss_roll")
    trial.entry = trial.entry.model_copy(update={"seconds": 1e-9})
    finding = found(trial.checks(), "full size is within the limits")
    assert finding.mark == FAILED
    assert "raise seconds or memory_mb" in finding.advice
