"""The output of a job goes to its log, its time to the records, its error to the terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nldr.engine.layout import RECORDS
from nldr.engine.logs import job_log
from nldr.engine.progress import read_records


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with results/."""
    monkeypatch.chdir(tmp_path)
    Path(RECORDS).parent.mkdir()
    return tmp_path


def test_output_and_time(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with job_log("logs/a/b.log", RECORDS, "data", "gp@n_features=3"):
        sys.stdout.write("made\n")
        sys.stderr.write("a warning\n")
    assert Path("logs/a/b.log").read_text() == "made\na warning\n"
    assert capsys.readouterr() == ("", "")
    assert read_records(Path(RECORDS))["data", "gp@n_features=3"] > 0


def test_error(folder: Path) -> None:
    expected = pytest.raises(SystemExit, match=r"^data gp: ValueError: too small$")
    with expected, job_log("l", RECORDS, "data", "gp"):
        raise ValueError("too small")
    assert "Traceback" in Path("l").read_text()
    assert read_records(Path(RECORDS)) == {}
