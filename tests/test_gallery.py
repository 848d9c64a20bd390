"""The gallery of the site: scripts with a picture each."""

import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT, load

DOCS = ROOT / "docs"
pictures = load(DOCS / "pictures.py")
SCRIPTS = pictures.scripts(*pictures.GROUPS)
MOST_BYTES = 5_000_000  # of all pictures
FAQ = (DOCS / "faq.md").read_text(encoding="utf-8")


def test_every_script_belongs_to_a_part_of_the_gallery_and_has_a_page_of_its_own():
    names = [pictures.name_of(script) for script in SCRIPTS]
    assert len(set(names)) == len(names) >= 24
    assert {*SCRIPTS, pictures.SHARED} == {*pictures.SCRIPTS.glob("*.py")}
    index = (pictures.SCRIPTS / "index.md").read_text(encoding="utf-8")
    assert set(re.findall(r"{gallery} (\w+)", index)) == set(pictures.GROUPS)


def test_a_script_runs_by_itself():
    environment = os.environ | {"MPLBACKEND": "Agg"}
    command = [sys.executable, pictures.SCRIPTS / "sorted.pitfall.py"]
    subprocess.run(command, env=environment, check=True, capture_output=True)


def test_a_picture_is_kept_until_its_script_changes(tmp_path, monkeypatch):
    script = tmp_path / "line.data.py"
    text = '"""A line."""\nimport matplotlib.pyplot as plt\n\nplt.plot([0, {}])\nplt.show()\n'
    monkeypatch.setattr(pictures, "PICTURES", tmp_path)
    script.write_text(text.format(1))
    first = pictures.drawn(script)
    written = first.stat().st_mtime_ns
    assert pictures.drawn(script).stat().st_mtime_ns == written
    script.write_text(text.format(2))
    second = pictures.drawn(script)
    assert second.is_file()
    assert not first.exists()


@pytest.mark.recipe
def test_pictures_are_drawn_and_small(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "PICTURES", tmp_path)
    sizes = [pictures.drawn(script).stat().st_size for script in SCRIPTS]
    assert min(sizes) > 10_000
    assert sum(sizes) <= MOST_BYTES


@pytest.mark.recipe
def test_commands_and_examples_of_the_questions_run(tmp_path):
    # In their order on the page, Python as one script.
    script = ""
    for language, code in re.findall(r"```(\w+)\n(.*?)```", FAQ, re.DOTALL):
        if language == "python":
            script += code
        if not (tmp_path / "wine.csv").exists():
            subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
        if language == "bash":
            command = [sys.executable, "-m", *code.split()]
            result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
            assert result.returncode == 0, result.stderr
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
