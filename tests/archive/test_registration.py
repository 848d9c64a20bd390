"""Tests of claims are fixed: one that changes needs an amendment."""

import json

import numpy as np
import pytest
from conftest import our_plan

from nldr.archive.registration import check_registration, passes, register
from nldr.claims.findings import Effect, Finding, Setting, Statement
from nldr.statistics.location import locate

CLAIMS = "workflow/claims/ours.yaml"
PRINTED = """
title: Printed times
claims:
  print-01: &claim
    statement: PCA takes less than a third of Isomap's time.
    place: printed numbers
    as_published:
      study: ikd_fig1
      select: {datasets: [gp], methods: [pca, isomap], where: {data.n_features: 10}}
      tests: [compare: {first: pca, metric: seconds, scale: ratio, by: 3}]
    equal_tuning: "not applicable: one setting each"
  print-02:
    <<: *claim
    as_published:
      study: ikd_fig1
      tests:
        - compare:
            first: {methods: [pca], where: {data.n_features: 10}}
            second: {methods: [pca], where: {data.n_features: 20}}
            metric: seconds
            scale: ratio
            by: 0.5
"""
HEADER = "date,claim,basis,what,why,data_seen,first_verdict\n"


@pytest.fixture
def registered(project):
    """Return a project whose claims are registered."""
    register(project.plan("paper"))
    return project


@pytest.mark.recipe
def test_our_claims_are_registered_as_they_stand():
    """The tests at full size: settings, bounds, and whether the printed numbers pass them."""
    assert check_registration(our_plan("paper")) == []


def test_claims_are_registered_once(project):
    assert check_registration(project.plan("paper"))[0].endswith("is not registered: nldr register")
    assert register(project.plan("paper")) > 0
    assert check_registration(project.plan("paper")) == []
    assert register(project.plan("paper")) == 0


def test_changed_test_needs_an_amendment(registered):
    registered.edit(CLAIMS, "{first: oracle, metric: r2_affine}", "{first: ikd, metric: r2_affine}")
    with pytest.raises(ValueError, match=r"its test has changed: add a line to workflow/claims"):
        register(registered.plan("paper"))
    (problem,) = check_registration(registered.plan("paper"))
    claim, basis = problem.split(":")[0].split(", ")
    assert "add a line to workflow/claims/amendments.csv" in problem

    registered.write(
        "workflow/claims/amendments.csv",
        f"{HEADER}2026-01-01,{claim},{basis},one bound → another,a mistake,after,holds\n",
    )
    assert check_registration(registered.plan("paper")) == [
        f"{claim}, {basis}: its test has changed: nldr register"
    ]
    assert register(registered.plan("paper")) == 1
    assert check_registration(registered.plan("paper")) == []


def test_other_name_of_the_study_changes_no_test(registered):
    """Cells and tests are registered, wherever the cells stand."""
    studies = registered.path / "workflow/studies"
    (studies / "ikd_fig1.yaml").rename(studies / "renamed.yaml")
    registered.edit(CLAIMS, "study: ikd_fig1", "study: renamed")
    assert check_registration(registered.plan("paper")) == []
    registered.edit(CLAIMS, "methods: [pca, ikd, oracle]", "methods: [pca, oracle]")
    (problem, *_) = check_registration(registered.plan("paper"))
    assert "its test has changed" in problem


def test_claim_moved_by_its_study_is_reported(registered):
    """Settings are counted from the plan: a study that loses one is noticed."""
    file = registered.path / "workflow/claims/registered.json"
    entries = json.loads(file.read_text())
    name = next(iter(entries))
    entries[name]["as_published"]["settings"] += 1
    file.write_text(json.dumps(entries))
    (problem,) = check_registration(registered.plan("paper"))
    assert problem == f"{name}, as_published: settings or printed numbers changed: nldr register"


def test_print_is_counted_for_each_test_that_asks_for_a_number_of_settings():
    """As the verdict is: 7 of 15 and 13 of 15, not 20 of 30."""

    def finding(n_better, n, need):
        settings = [Setting("", (comparison(i < n_better),)) for i in range(n)]
        return Finding(
            settings=tuple(settings), words=Statement("it", "holds", "does not hold"), need=need
        )

    def comparison(is_better):
        estimate = locate(np.array([0.5 if is_better else -0.5]), exact=True)
        return Effect("", "", estimate, bound=0.0, above=True, delta=0.01)

    assert passes([finding(7, 15, 8), finding(13, 15, 12)]) == "7 of 15; 13 of 15"
    assert passes([finding(8, 15, 8), finding(13, 15, 12)]) == "yes"
    assert passes([finding(1, 3, None), finding(2, 3, None)]) == "3 of 6"
    assert passes([finding(0, 3, 2)]) == "no"


def test_print_is_compared_as_it_stands(project):
    """Times as well, numbers of methods without a key, and no number with itself."""
    study = "workflow/studies/ikd_fig1.yaml"
    project.write("workflow/published/printed.csv", "method,k,t\nPCA,,1.0\nIsomap,5,4.0\n")
    project.edit(study, "file: ikd_fig1.csv", "file: printed.csv")
    keys = "keys: {dataset: dataset, method: method, n_features: data.n_features}"
    project.edit(study, keys, "keys: {method: method, k: method.n_neighbors}")
    project.edit(study, "values: {r2_affine: [r2_mean, r2_sd]}", "values: {seconds: [t]}")
    project.write("workflow/claims/printed.yaml", PRINTED)
    register(project.plan("paper"))
    entries = json.loads((project.path / "workflow/claims/registered.json").read_text())
    passed = {name: e["as_published"]["print_passes"] for name, e in entries.items()}
    assert (passed["print-01"], passed["print-02"]) == ("yes", "not printed")
