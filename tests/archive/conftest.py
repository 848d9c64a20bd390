"""Fixtures: the archive of a build, and copies of it."""

import shutil

import pytest
from conftest import copy_project, remember_code

from nldr.archive import ARCHIVE
from nldr.cli import main


@pytest.fixture(scope="session")
def archived(built, tmp_path_factory):
    """Return a copy with nothing in its results but the archive of a build."""
    copy = copy_project(built.path, tmp_path_factory.mktemp("archive") / "copy")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(copy.path)
        assert main(["archive", "--scale", "smoke"]) == 0
    kept = copy.path / ARCHIVE
    kept.rename(copy.path / "kept")
    shutil.rmtree(copy.path / "results")
    shutil.rmtree(copy.path / ".snakemake")
    remember_code(copy.path)
    (copy.path / "results").mkdir()
    (copy.path / "kept").rename(kept)
    return copy


@pytest.fixture
def archive_alone(archived, tmp_path, monkeypatch):
    copied = copy_project(archived.path, tmp_path / "copy")
    monkeypatch.chdir(copied.path)
    return copied
