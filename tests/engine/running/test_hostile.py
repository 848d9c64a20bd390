"""Whatever a dataset or metric does costs its own results, and has the status that is right."""

import hostile
import pytest

from nldr.engine.files.layout import DATA, SCORES
from nldr.engine.jobs.specs import Limits

SHORT = Limits(2, 2000)


@pytest.mark.parametrize("name", hostile.DATA)
def test_dataset(small, name):
    status, _ = hostile.DATA[name]
    reply = small.data(f"hostile.data_{name}", limits=SHORT)
    assert reply.error == ""
    (row,) = small.rows(DATA)
    assert row["status"] == status
    assert small.made(DATA).exists() or status != "ok"
    assert small.leftovers() == []


def test_metrics(small):
    small.embed("Fine")
    names = [f"hostile.score_{name}" for name in hostile.SCORES]
    assert small.score(*names, "spread", limits=SHORT).error == ""
    (row,) = small.rows(SCORES)
    failures = {failure["scorer"]: failure["status"] for failure in row["failures"]}
    assert "the scorer did not return count" in [f["message"] for f in row["failures"]]
    expected = {name: hostile.SCORES[name.removeprefix("hostile.score_")][0] for name in names}
    assert {name: failures.get(name, "ok") for name in names} == expected
    assert row["scores"]["count"] == 20
