"""README and documentation: recipes work as written, tables are current."""

import csv
import importlib.util
import json
import re
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
    # Claims as a build writes them
    summary = found.read_scale("quick")
    facts = ("claim", "statement", "place", "verdict")
    rows = [
        {key: claim[key] for key in facts} | evaluation | {"paper": paper["title"]}
        for paper in summary["papers"]
        for claim in paper["claims"]
        for evaluation in claim["evaluations"]
    ]
    project.write("results/quick/claims.json", json.dumps({"scale": "quick", "claims": rows}))
    assert found.summarize(project.path)["papers"] == summary["papers"]


def test_numbers_are_those_of_the_record():
    # A change of the record, of deciders or of causes needs `python docs/found.py --numbers`.
    numbers = json.loads((ROOT / found.NUMBERS).read_text(encoding="utf-8"))
    assert found.count_numbers(ROOT) == numbers
    assert all(tuple(counts) == found.OUTCOMES for counts in numbers["files"].values())


def test_tables_count_all_numbers_and_tell_causes():
    counts = dict.fromkeys(found.OUTCOMES, 0) | {"reproduced": 3, "better": 2, "no result": 1}
    cause = {"hypothesis": "Swapped.", "differ": 3, "run": 2, "reproduced": 2, "impossible": None}
    files = {"ikd_a.csv": counts, "ikd_b.csv": counts, "mvu.csv": counts}
    causes = [cause | {"file": "ikd_a.csv", "explains": False}]
    summary = {"numbers": {"files": files, "causes": causes}}
    lines = found.numbers_by_paper(summary).splitlines()
    assert lines[2] == "| IKD | 12 | 6 | 6 | – | – | – | – |"
    assert lines[-1] == "| all | 18 | 9 | 9 | – | – | – | – |"
    table = found.numbers_table(summary, "ikd")
    assert "| all | 12 | 6 | 4 | – | 2 | – | – | – | – |" in table
    assert "2 of 3 numbers that differ, and was run for 2. That does not" in table
    assert "Swapped" not in found.numbers_table(summary, "mvu")


def test_larger_scale_counts_where_it_has_something_to_say(tmp_path):
    (tmp_path / found.NUMBERS).parent.mkdir(parents=True)
    (tmp_path / found.NUMBERS).write_text("{}")

    def summary(scale, published, equal):
        evaluations = [
            {"basis": "as_published", "decision": published, "n": 5},
            {"basis": "equal_tuning", "decision": equal, "n": 5},
        ]
        claim = {"claim": "ikd-01", "verdict": "unknown", "evaluations": evaluations}
        content = {"scale": scale, "papers": [{"claims": [claim]}]}
        (tmp_path / found.FOUND / f"{scale}.json").write_text(json.dumps(content))

    def merged():
        together = found.read(tmp_path)
        ((claim,),) = (paper["claims"] for paper in together["papers"])
        scales = [evaluation["scale"] for evaluation in claim["evaluations"]]
        return claim["verdict"], scales

    summary("quick", "holds", "holds")
    summary("paper", "not run", "not run")
    assert merged() == ("holds", ["quick", "quick"])
    summary("paper", "holds", "fails")
    assert merged() == ("holds only as published", ["paper", "paper"])
    summary("paper", "fails", "not run")
    assert merged() == ("fails", ["paper", "quick"])
    summary("paper", "holds", "not applicable")
    assert merged() == ("holds", ["paper", "paper"])


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
