"""Fixtures: a warm parent, and small jobs that it runs."""

import pytest
from small import SOURCES, Small

from nldr.engine.running.workers import Workers


@pytest.fixture(scope="session")
def workers(tmp_path_factory):
    """Return workers that know the planted methods; all tests of this process share them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", SOURCES)
        workers = Workers("warm", tmp_path_factory.mktemp("workers") / "warm.log")
    yield workers
    workers.stop()


@pytest.fixture
def small(tmp_path, workers, monkeypatch):
    """Return small jobs in a folder in which the dataset is made."""
    monkeypatch.setenv("PYTHONPATH", SOURCES)
    small = Small(tmp_path, workers)
    assert small.data().error == ""
    return small


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Return small jobs with workers of their own, which the test may kill."""
    monkeypatch.setenv("PYTHONPATH", SOURCES)
    workers = Workers("warm", tmp_path / "warm.log")
    small = Small(tmp_path, workers)
    small.data()
    yield small
    workers.stop()
