"""Environments of methods whose packages are heavy, or do not go with those of the project."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from nldr.engine.files.layout import STATE
from nldr.engine.files.store import digest_of

ENVIRONMENTS = "workflow/environments"  # a folder for each
COMMANDS = ("run.py", "run")
HOMES = Path(STATE) / "environments"
LOCK, READY = "requirements.lock", ".ready"


def version_of(folder: Path) -> str:
    """Return the name of an environment with a digest of its files, all of which decide results."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    return f"{folder.name}@{digest_of([[f.name, f.read_bytes().hex()] for f in files])[:12]}"


def is_installed(folder: Path) -> bool:
    """Return whether the environment of a folder is complete."""
    return (HOMES / version_of(folder) / READY).is_file()


def install(folder: Path, tell: Callable[[str], None]) -> None:
    """Make an environment from the files of its folder, and remove former versions of it.

    Raises OSError if its packages cannot be installed.
    """
    version = version_of(folder)
    home = HOMES.absolute() / version
    for former in HOMES.glob(f"{folder.name}@*"):
        shutil.rmtree(former)
    shutil.copytree(folder, home)
    lock = home / LOCK
    if lock.is_file():
        tell(f"installing the packages of {folder.name}, which may take minutes")
        _run([sys.executable, "-m", "venv", str(home)])
        pip = [str(home / "bin/python"), "-m", "pip", "install", "--quiet"]
        if lock.read_text(encoding="utf-8").strip():
            _run([*pip, "--disable-pip-version-check", "--require-hashes", "-r", str(lock)])
    (home / READY).touch()


def _run(command: list[str]) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise OSError(f"{command[0]}: {lines[-1]}")
