"""A result that is out of date says which file, package or parameter has changed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from nldr.engine.code.fingerprint import Closure
from nldr.engine.freshness.changes import History, parts_of, summarize

OLD = Closure({"nldr.kernels": "k" * 64, "nldr.methods.ikd.ikd": "i" * 64}, {"numpy": "2.4.5"})
EDITED = Closure(OLD.sources | {"nldr.methods.ikd.ikd": "j" * 64}, OLD.distributions)
UPGRADED = Closure(OLD.sources, {"numpy": "2.5.0"})
CODE = {closure.fingerprint: closure for closure in (OLD, EDITED, UPGRADED)}


@dataclass(frozen=True)
class Job:
    name: str = "ikd"
    params: dict[str, Any] = field(default_factory=lambda: {"n_components": 2})
    scorings: list[dict[str, Any]] = field(default_factory=list)
    code: str = OLD.fingerprint


@pytest.fixture
def history(tmp_path: Path) -> History:
    """Return a history in which one job was run."""
    history = History(tmp_path / "state/made.jsonl")
    history.add("trials-1.json", "key", Job(), CODE)
    return History(tmp_path / "state/made.jsonl")  # as the next run reads it


@pytest.mark.parametrize(
    ("job", "changes"),
    [
        (Job(), []),
        (Job(params={"n_components": 3}), ["params.n_components"]),
        (Job(params={"n_components": 2, "tol": 1}), ["params.tol"]),
        (Job(code=EDITED.fingerprint), ["nldr/methods/ikd/ikd.py"]),
        (Job(code=UPGRADED.fingerprint), ["numpy 2.4.5 to 2.5.0"]),
        (Job(code="f" * 16), ["code"]),
    ],
)
def test_changes_are_named(history: History, job: Job, changes: list[str]) -> None:
    assert history.explain("trials-1.json", "key", job, CODE) == changes


def test_parts_of_lists_are_named() -> None:
    scorings = [{"name": "ranks", "code": "a"}, {"name": "alignment", "code": "b"}]
    parts = parts_of(Job(scorings=scorings))
    assert parts["scorings.ranks.code"] == "a"
    other = parts_of(Job(scorings=[scorings[0], {"name": "alignment", "code": "c"}]))
    assert {k for k in parts if parts[k] != other[k]} == {"scorings.alignment.code"}


def test_fingerprints_that_are_joined_are_told_apart(tmp_path: Path) -> None:
    history = History(tmp_path / "made.jsonl")
    other = Closure({"nldr.claims.counts": "c" * 64}, {})
    code = CODE | {other.fingerprint: other}
    history.add("m", "key", replace(Job(), code=OLD.fingerprint + other.fingerprint), code)
    now = replace(Job(), code=EDITED.fingerprint + other.fingerprint)
    assert history.explain("m", "key", now, code) == ["nldr/methods/ikd/ikd.py"]


@pytest.mark.parametrize("where", [("other.json", "key"), ("trials-1.json", "another key")])
def test_what_another_run_made_is_not_explained(history: History, where: tuple[str, str]) -> None:
    assert history.explain(*where, Job(name="isomap"), CODE) == []


@pytest.mark.parametrize("content", [b"", b"{\n[1]\n7\n{}\n", b'{"manifest": "trials-1.json"'])
def test_damaged_history_is_skipped(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "made.jsonl").write_bytes(content)
    assert History(tmp_path / "made.jsonl").explain("trials-1.json", "key", Job(), {}) == []


def test_no_more_than_three_changes_are_shown() -> None:
    assert summarize(["a", "b", "c"]) == "a, b, c"
    assert summarize(["a", "b", "c", "d"]) == "a, b, c and 1 more"
