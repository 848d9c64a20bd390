"""The recipe of the container: what can be checked without a registry."""

import json
import re
import subprocess

from conftest import PARTS, ROOT
from packaging.specifiers import SpecifierSet

TEXT = (ROOT / "envs/Containerfile").read_text(encoding="utf-8")
# Python of Debian's releases.
DEBIAN_PYTHONS = {"bookworm": "3.11", "trixie": "3.13"}


def instructions(name):
    """Return the arguments of all instructions of a name, each as one line."""
    code = re.sub(r"^#.*\n", "", TEXT, flags=re.MULTILINE).replace("\\\n", " ")
    return re.findall(rf"^{name} +(.*)", code, re.MULTILINE)


def copied():
    """Return the files and folders that the recipe copies, without their target."""
    return [source for line in instructions("COPY") for source in line.split()[:-1]]


def test_what_is_copied_is_in_git_all_parts_after_the_lock_file_and_the_build_context():
    assert copied()[0] == "envs/requirements.lock"
    assert {*PARTS, "pyproject.toml", "README.md", "LICENSE"} <= set(copied())
    assert all((ROOT / source).exists() for source in copied())
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "--error-unmatch", *copied()]
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    kept = {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert "*" in lines
    assert kept == {source.partition("/")[0] for source in copied()}


def test_packages_are_installed_from_the_lock_file_with_hashes():
    (packages,) = (line for line in instructions("RUN") if "requirements.lock" in line)
    installs = re.findall(r"pip install [^&]*", packages)
    assert len(installs) == 2
    assert all("--require-hashes" in i and "--no-deps" in i for i in installs)
    assert installs[1].split()[-1] == "/opt/nldr/envs/requirements.lock"
    # The project itself brings no package that is not locked.
    (project,) = (line for line in instructions("RUN") if "--editable" in line)
    assert {"--no-deps", "--no-build-isolation"} <= set(project.split())


def test_debian_has_a_supported_python():
    (base,) = instructions("FROM")
    release = re.fullmatch(r"docker\.io/library/debian:(\w+)-slim", base)
    project = (ROOT / "pyproject.toml").read_text()
    (supported,) = re.findall(r'requires-python = "(.*)"', project)
    assert DEBIAN_PYTHONS[release[1]] in SpecifierSet(supported)


def test_the_container_runs_this_workflow():
    (entry,) = instructions("ENTRYPOINT")
    command = json.loads(entry)
    assert command[0] == "snakemake"
    for option, file in (("--snakefile", "Snakefile"), ("--configfile", "config.yaml")):
        assert command[command.index(option) + 1] == f"/opt/nldr/{file}"
    # --configfile takes all values that follow, also targets.
    assert command[-2] == "--snakefile"
    assert all(line.split()[-1].startswith("/opt/nldr/") for line in instructions("COPY"))


def test_the_makefile_and_the_container_install_setuptools_first():
    makefile = (ROOT / "Makefile").read_text().replace("$$", "$")
    for text, tools in ((makefile, "(setuptools|uv)"), (TEXT, "setuptools")):
        first = text.index(rf"awk '/^{tools}==/,/[^\\]$/'")
        assert first < text.index("--no-build-isolation", first)
