"""Faults of methods are found and named, and methods without any pass."""

import time

import pytest

from nldr.testing import findings
from nldr.testing.findings import FAILED, NOT_CHECKED, NOTE, OK, run_checks
from nldr.testing.method import MethodTrial

# Fault, title of the check that finds it, mark, and what is said
FAULTS = [
    ("raises", "it embeds a small set", FAILED, "ValueError: matmul"),
    ("not_a_number", "it embeds a small set", FAILED, "NaN or infinity in 1 of 150 rows"),
    ("not_converged", "it embeds a small set", NOTE, "does not converge: give it more time"),
    ("dies", "it embeds a small set", FAILED, "the process died (SIGKILL)"),
    ("always_two", "three dimensions are as good as two", FAILED, "shape (150, 2), not (150, 3)"),
    ("changes_the_data", "the data are left as they were", FAILED, "it changes X"),
    ("changes_a_parameter", "the data are left as they were", FAILED, "fit changes n_components"),
    ("random", "the same seed gives the same embedding", FAILED, "coordinates differ by up to"),
    ("uses_the_order", "the order of the rows does not matter", FAILED, "with shuffled ones"),
    ("none", "the catalog's attributes exist", FAILED, "missing_ does not"),
    ("needs_many_rows", "difficult data are embedded or refused", NOTE, "IndexError"),
]


@pytest.mark.parametrize(("fault", "title", "mark", "text"), FAULTS, ids=lambda v: str(v)[:12])
def test_fault_is_found(catalog, found, fault, title, mark, text):
    finding = found(MethodTrial(catalog, f"bad_{fault}").checks(), title)
    assert finding.mark == mark, finding
    assert text in finding.text
    assert finding.advice


def test_line_of_the_error_is_shown(catalog, found):
    finding = found(MethodTrial(catalog, "bad_raises").checks(), "it embeds a small set")
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


@pytest.mark.parametrize("name", ["mine", "pca", "projection"])
def test_good_methods_pass(catalog, name):
    results = [*run_checks(MethodTrial(catalog, name).checks(), 60.0)]
    assert len(results) == 10
    assert [f.lines() for f in results if f.mark == FAILED] == []
    # A method that validates nothing misses scikit-learn's checks, which the engine does not need.
    noted = [finding.text for finding in results if finding.mark == NOTE]
    assert bool(noted) == (name == "projection"), noted
    assert all("scikit-learn checks hold" in text for text in noted)
    assert results[0].mark == OK


def test_methods_that_need_the_latent_get_it(catalog, found):
    finding = found(MethodTrial(catalog, "oracle").checks(), "it embeds a small set")
    assert finding.mark == OK
