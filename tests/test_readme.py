"""README and documentation: recipes work as written, tables are current."""

import csv
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("found", ROOT / "docs/found.py")
found = importlib.util.module_from_spec(spec)
spec.loader.exec_module(found)
README = (ROOT / "README.md").read_text(encoding="utf-8")

# In the order in which a reader follows them: later recipes use what earlier ones add.
RECIPES = ("add_method", "add_dataset", "add_metric", "add_study", "add_claim", "own_data")


@pytest.mark.recipe
def test_recipes_of_the_user_guide_build(project):
    # Each recipe is a code block after the name of the file that it belongs to.
    pages = [(ROOT / f"docs/guide/{page}.md").read_text(encoding="utf-8") for page in RECIPES]
    pattern = r"`([\w/.]+)`:\n\n```(?:python|yaml)\n(.*?)```"
    steps = re.findall(pattern, "\n".join(pages), re.DOTALL)
    assert len(steps) == 12
    for file, text in steps:
        path = project.path / file
        project.write(file, (path.read_text() if path.exists() else "") + text)
    (script,) = re.findall(r"```python\n(.*?)```", pages[-1], re.DOTALL)
    subprocess.run([sys.executable, "-c", script], cwd=project.path, check=True)

    project.snakemake("--cores", "2", "mine", "mine_metric", "my_data", "claims")
    assert "mine-01" in (project.path / "results/quick/claims.csv").read_text()
    methods, datasets, cells = look_at(project, "mine")
    assert methods == {"isomap", "mine"}
    assert datasets == {"circle", "swiss_roll"}
    assert cells == 2 * 3
    assert look_at(project, "mine_metric") == ({"isomap", "pca"}, {"swiss_roll"}, 2)
    assert look_at(project, "my_data") == ({"isomap", "le", "pca", "tsne"}, {"wine"}, 5)


def look_at(project, study):
    """Return methods, datasets and number of cells of a study that was built without failures."""
    with (project.path / f"results/quick/tables/{study}.csv").open(newline="") as table:
        rows = list(csv.DictReader(table))
    assert {row["status"] for row in rows} == {"ok"}, {row["message"] for row in rows}
    assert (project.path / f"results/quick/figures/{study}.pdf").is_file()
    cells = {(row["data_cell"], row["method_cell"]) for row in rows}
    return {row["method"] for row in rows}, {row["dataset"] for row in rows}, len(cells)


def test_examples_of_the_library_run(tmp_path):
    # The blocks of a page are one script, each going on from the one before.
    for page in ("docs/guide/library.md", "docs/start.md", "README.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        script = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
        assert "fit_transform" in script
        subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True, timeout=300)


def test_readme_is_short_and_its_tables_are_those_of_the_summary():
    assert len(README.splitlines()) <= 150
    assert found.replace_tables(README, found.readme_tables(found.read())) == README


def test_summary_is_what_a_build_holds(project):
    # Claims as a build writes them, and a study with two published numbers that are decided.
    summary = found.read_scale("quick")
    facts = ("claim", "statement", "place", "verdict")
    rows = [
        {key: claim[key] for key in facts} | evaluation | {"paper": paper["title"]}
        for paper in summary["papers"]
        for claim in paper["claims"]
        for evaluation in claim["evaluations"]
    ]
    project.write("results/quick/claims.json", json.dumps({"scale": "quick", "claims": rows}))
    header, line = "setting,metric,trials,low,high,verdict\n", "a,r2_affine,5,0,1,reproduced\n"
    shutil.copy(ROOT / "workflow/studies/ikd_fig1.yaml", project.path / "workflow/studies")
    project.write("results/quick/tables/ikd_fig1_verdicts.csv", header + line)
    result = found.summarize(project.path)
    assert result["papers"] == summary["papers"]
    assert {file: counts["reproduced"] for file, counts in result["numbers"].items()} == {
        "ikd_fig1.csv": 1
    }


def test_larger_scale_counts_where_it_has_something_to_say(tmp_path):
    def summary(scale, published, equal, reproduced):
        evaluations = [
            {"basis": "as_published", "decision": published, "n": 5},
            {"basis": "equal_tuning", "decision": equal, "n": 5},
        ]
        claim = {"claim": "ikd-01", "verdict": "unknown", "evaluations": evaluations}
        counts = dict.fromkeys(found.NUMBERS, 0) | {"reproduced": reproduced}
        content = {"scale": scale, "papers": [{"claims": [claim]}], "numbers": {"a.csv": counts}}
        file = tmp_path / found.FOUND / f"{scale}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))

    def merged():
        together = found.read(tmp_path)
        ((claim,),) = (paper["claims"] for paper in together["papers"])
        scales = [evaluation["scale"] for evaluation in claim["evaluations"]]
        return claim["verdict"], scales, together["numbers"]["a.csv"]["reproduced"]

    summary("quick", "holds", "holds", 3)
    summary("paper", "not run", "not run", 0)
    assert merged() == ("holds", ["quick", "quick"], 3)
    summary("paper", "holds", "fails", 9)
    assert merged() == ("holds only as published", ["paper", "paper"], 9)
    summary("paper", "fails", "not run", 9)
    assert merged() == ("fails", ["paper", "quick"], 9)
    summary("paper", "holds", "not applicable", 9)
    assert merged() == ("holds", ["paper", "paper"], 9)


def test_summary_covers_every_claim():
    # A claim that is added or reworded needs a build and `make found`.
    claims = {c["claim"]: c["statement"] for p in found.read()["papers"] for c in p["claims"]}
    written = {}
    for path in (ROOT / "workflow/claims").glob("*.yaml"):
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))["claims"]
        written |= {name: entry["statement"] for name, entry in entries.items()}
    assert claims == written


def test_every_requirement_is_in_the_dependency_table():
    table = README.split("## Dependencies")[1]
    named = {name.lower() for name in re.findall(r"[A-Za-z][\w-]+", table)}
    files = [file for file in (ROOT / "envs").glob("*.in") if file.stem not in ("dev", "docs")]
    assert len(files) == 6
    for line in (line for file in files for line in file.read_text().splitlines()):
        if line and not line.startswith("#"):
            assert re.split(r"[<>=~ ]", line)[0].lower() in named, line
