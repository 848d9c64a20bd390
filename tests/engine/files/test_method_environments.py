"""Environments of methods."""

import pytest

from nldr.engine.files.method_environments import HOMES, install, is_installed, version_of


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return an environment without packages; the current folder is that of the project."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "workflow/environments/dummy"
    folder.mkdir(parents=True)
    (folder / "run.py").write_text("print('ran')")
    (folder / "requirements.lock").write_text("")
    return folder


def test_version_follows_names_and_contents_of_files(folder):
    version = version_of(folder)
    assert version.startswith("dummy@")
    (folder / "__pycache__").mkdir()
    assert version_of(folder) == version
    (folder / "run.py").write_text("print('runs')")
    assert version_of(folder) != version


def test_environment_has_an_interpreter_and_replaces_its_former_version(folder):
    told = []
    install(folder, told.append)
    assert told == ["installing the packages of dummy, which may take minutes"]
    assert is_installed(folder)
    former = HOMES / version_of(folder)
    assert (former / "bin/python").exists()
    assert (former / "run.py").read_text() == "print('ran')"
    (folder / "requirements.lock").unlink()
    (folder / "run.py").rename(folder / "run")
    assert not is_installed(folder)
    install(folder, told.append)  # nothing to install
    assert [path.name for path in HOMES.iterdir()] == [version_of(folder)]
    assert len(told) == 1


def test_packages_that_cannot_be_installed_leave_no_environment(folder):
    (folder / "requirements.lock").write_text("no-hash==1.0\n")
    with pytest.raises(OSError, match=r"python: .*hash"):
        install(folder, print)
    assert not is_installed(folder)
