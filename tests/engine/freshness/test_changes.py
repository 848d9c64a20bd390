"""A result that is out of date says which file, package or parameter has changed."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from nldr.engine.code.fingerprint import Closure
from nldr.engine.freshness.health import differences, parts_of, summarize

OLD = Closure({"nldr.kernels": "k" * 64, "nldr.methods.ikd.ikd": "i" * 64}, {"numpy": "2.4.5"})
EDITED = Closure(OLD.sources | {"nldr.methods.ikd.ikd": "j" * 64}, OLD.distributions)
UPGRADED = Closure(OLD.sources, {"numpy": "2.5.0"})
OTHER = Closure({"nldr.claims.counts": "c" * 64}, {})
CODE = {closure.fingerprint: closure for closure in (OLD, EDITED, UPGRADED, OTHER)}


@dataclass(frozen=True)
class Job:
    name: str = "ikd"
    params: dict[str, Any] = field(default_factory=lambda: {"n_components": 2})
    scorings: list[dict[str, Any]] = field(default_factory=list)
    code: str = OLD.fingerprint


def changes(old, new):
    return differences(parts_of(old, CODE), parts_of(new, CODE))


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        (Job(), []),
        (Job(params={"n_components": 3}), ["params.n_components"]),
        (Job(params={"n_components": 2, "tol": 1}), ["params.tol"]),
        (Job(params={"a": {"b": {"c": {"d": 1}}}}), ["params.a.b.c", "params.n_components"]),
        (Job(code=EDITED.fingerprint), ["nldr/methods/ikd/ikd.py"]),
        (Job(code=UPGRADED.fingerprint), ["numpy 2.4.5 to 2.5.0"]),
        (Job(name="x", code=UPGRADED.fingerprint), ["numpy 2.4.5 to 2.5.0", "name"]),
        # Digests of files that are no module
        (Job(code=OLD.fingerprint + "f" * 16), ["code"]),
    ],
)
def test_changes_are_named(job, expected):
    assert changes(Job(), job) == expected


def test_parts_of_lists_are_named():
    ranks, alignment = {"name": "ranks", "tol": 1}, {"name": "alignment", "tol": 1}
    old, new = Job(scorings=[ranks, alignment]), Job(scorings=[ranks, alignment | {"tol": 2}])
    assert changes(old, new) == ["scorings.alignment.tol"]


def test_fingerprints_that_are_joined_are_told_apart():
    old, new = (Job(code=c.fingerprint + OTHER.fingerprint) for c in (OLD, EDITED))
    assert changes(old, new) == ["nldr/methods/ikd/ikd.py"]


def test_an_entry_may_be_named_like_a_fingerprint():
    old, new = (Job(params={"barcode": [number], "code": 3}) for number in (1, 2))
    assert changes(old, new) == ["params.barcode"]


def test_python_is_a_part(monkeypatch):
    old = parts_of(Job(), CODE)
    monkeypatch.setattr("sys.version_info", (3, 99, 0))
    (change,) = differences(old, parts_of(Job(), CODE))
    assert change.endswith("to 3.99")


def test_no_more_than_three_changes_are_shown():
    assert summarize(["a", "b", "c"]) == "a, b, c"
    assert summarize(["a", "b", "c", "d"]) == "a, b, c and 1 more"
