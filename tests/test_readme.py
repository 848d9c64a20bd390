"""README and documentation: recipes work as written, tables are current."""

import json
import lzma
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from conftest import ROOT, load

from nldr.tables import read_csv

found, which = load(ROOT / "docs/found.py"), load(ROOT / "docs/which.py")
metric_groups = load(ROOT / "docs/metric_groups.py")
sizes, regrets = load(ROOT / "docs/sizes.py"), load(ROOT / "docs/regrets.py")
README = (ROOT / "README.md").read_text(encoding="utf-8")

OUTCOMES = ("better", "tie", "worse", "unclear")

# In the order in which a reader follows them: later recipes use what earlier ones add.
RECIPES = ("add_method", "add_dataset", "add_metric", "add_study", "add_claim", "data_in_benchmark")


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
    *_, script = re.findall(r"```python\n(.*?)```", pages[-1], re.DOTALL)
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
    rows = read_csv(project.path / f"results/quick/tables/{study}.csv")
    assert {row["status"] for row in rows} == {"ok"}, {row["message"] for row in rows}
    assert (project.path / f"results/quick/figures/{study}.pdf").is_file()
    cells = {(row["data_cell"], row["method_cell"]) for row in rows}
    return {row["method"] for row in rows}, {row["dataset"] for row in rows}, len(cells)


@pytest.mark.recipe
def test_examples_of_the_library_run(tmp_path):
    # The blocks of a page are one script, each going on from the one before.
    scripts = []
    for page in ("docs/guide/library.md", "docs/guide/own_data.md", "docs/start.md", "README.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        scripts.append("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
        assert "import" in scripts[-1]
    # One process for all pages, which import the same packages
    run = "import json, sys\nfor script in json.load(sys.stdin): exec(script, {})"
    command = [sys.executable, "-c", run]
    subprocess.run(
        command, cwd=tmp_path, check=True, timeout=300, text=True, input=json.dumps(scripts)
    )


def test_tables_of_the_readme_are_those_of_the_summary():
    assert found.replace_tables(README, found.readme_tables(found.read())) == README
    page = (ROOT / which.PAGE).read_text(encoding="utf-8")
    assert found.replace_tables(page, which.show("families")) == page


def test_numbers_are_those_of_the_record(tmp_path):
    # A change of the record, of deciders or of causes needs `make found`.
    files = (found.NUMBERS, which.GUIDE, metric_groups.GROUPS, sizes.SIZES, regrets.REGRETS)
    numbers, guide, groups, points, picks = (
        json.loads((ROOT / file).read_text(encoding="utf-8")) for file in files
    )
    plan = found.plan_record(ROOT)
    assert which.gather(plan) == guide
    assert sizes.gather(plan) == points
    assert regrets.gather(plan) == picks
    assert metric_groups.gather(plan) == groups
    metric_groups.draw(plan, tmp_path / "metric_groups.svg")
    assert (tmp_path / "metric_groups.svg").read_bytes() == (
        ROOT / metric_groups.FIGURE
    ).read_bytes()
    assert found.count_numbers(plan, ROOT) == numbers
    assert all(tuple(counts) == found.OUTCOMES for counts in numbers["files"].values())


def test_points_that_fit_are_where_power_laws_reach_a_limit(tmp_path):
    def fits(seconds, peak_mb):
        ns = (500, 1000, 2000, 4000, 8000)
        row = {"status": "ok"}
        return [
            row | {"data.n_samples": str(n), "seconds": str(seconds(n)), "peak_mb": str(peak_mb(n))}
            for n in ns
        ]

    quadratic = sizes.largest(fits(lambda n: 600 * (n / 30_000) ** 2, lambda n: n / 1000))
    large = sizes.largest(fits(lambda n: 0.1, lambda n: 8000 * (n / 9500) ** 2))
    quick = sizes.largest([*fits(lambda n: 1e-3, lambda n: 5.0), {"status": "timeout"}])
    # The smallest size, where costs do not grow, is not fitted
    flat = sizes.largest(fits(lambda n: 600 * max(n, 900) / 20_000, lambda n: 1.0))
    ended = {"status": "out_of_memory", "data.n_samples": "16000"}
    ended = sizes.largest([*fits(lambda n: 1e-3, lambda n: 5.0), ended])
    assert (ended["points"], ended["limited_by"]) == (16_000, "memory")
    assert [round(m["points"]) for m in (quadratic, large, quick, flat)] == [
        *(30_000, 9500, 80_000, 20_000)
    ]
    assert [m["limited_by"] for m in (quadratic, large, quick)] == ["time", "memory", ""]

    methods = {"a": quadratic, "b": large, "c": quick, "d": sizes.largest([])}
    content = {
        "cores": "2",
        "cpu": "CPU",
        "methods": {k: m | {"title": k} for k, m in methods.items()},
    }
    (tmp_path / "docs/found").mkdir(parents=True)
    (tmp_path / sizes.SIZES).write_text(json.dumps(content))
    lines = sizes.show(tmp_path).splitlines()
    assert [line.split(" | ")[:2] for line in lines[2:6]] == [
        ["| c", "more than 80\u202f000"],
        ["| a", "about 30\u202f000"],
        ["| b", "about 9000"],
        ["| d", "–"],
    ]
    (tmp_path / sizes.SIZES).write_text("{}")
    assert sizes.show(tmp_path) == sizes.ABSENT


def test_page_of_methods_shows_what_was_gathered_or_that_there_is_nothing(tmp_path):
    estimate = {"mean": 0.9, "low": None, "high": None, "n": 1}
    contest = {"best": "pca", "mean": 0.9, "short_list": ["pca"], "ties": []}
    contest |= {"n_methods": 3, "n_datasets": 4}
    profile = {
        **{"method": "pca", "title": "PCA <b>", "control": False, "missing": False},
        **{"scores": {"local": estimate}, "ranks": {"local": estimate}, "new_points": True},
        **{"cpu_seconds": 0.25, "failed": 1, "fits": 4, "times": {}, "memory_mb": None},
    }
    family = {"name": "rolls", "datasets": ["Roll | hole"], "n_datasets": 4}
    family |= {"contests": {"local": contest}, "sentence": "Best on rolls: PCA."}
    guide = {"studies": ["survey"], "n_datasets": 4, "points": [60, 90]}
    guide |= {"profiles": [profile], "families": [family]}
    (tmp_path / "docs/found").mkdir(parents=True)
    (tmp_path / which.GUIDE).write_text(json.dumps(guide))
    table = which.show("methods", tmp_path)
    assert "PCA &lt;b&gt;</td>" in table
    assert 'aria-label="0.9"' in table
    assert '<td data-v="0.25">0.25</td>' in table
    assert '<td data-v="0.9000"><svg' in table  # four digits sort what two do not tell apart
    assert "\n\n" not in table  # which would end the HTML inside Markdown
    assert which.show("failures", tmp_path).endswith("Here 1 of 4 fits failed: 1 of PCA <b>.")
    assert which.show("families", tmp_path) == "- Best on rolls: PCA."
    assert which.show("lists", tmp_path).endswith(
        "| **rolls**: Roll \\| hole | **PCA <b>**; no other |"
    )
    (tmp_path / which.GUIDE).write_text("{}")
    assert {which.show(w, tmp_path) for w in ("methods", "failures", "lists")} == {which.ABSENT}


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_tables_sort_by_a_click():
    # A table of three rows, in place of a browser's
    stub = """
    const element = (rest) => ({attributes: {}, listeners: [], dataset: {}, childNodes: [],
      getAttribute(name) { return this.attributes[name] ?? null; },
      setAttribute(name, value) { this.attributes[name] = value; },
      removeAttribute(name) { delete this.attributes[name]; },
      addEventListener(kind, listener) { this.click = listener; },
      append(...items) { this.children = items; }, ...rest});
    const row = (...values) => ({cells: values.map((v) => ({dataset: {v}}))});
    const rows = [row("PCA", "10", "no"), row("IKD", "9", ""), row("a", "-1", "yes")];
    const body = element({rows});
    const heads = [element(), element({dataset: {best: ""}}), element()];
    const table = {tHead: {rows: [{cells: heads}]}, tBodies: [body]};
    globalThis.document = {querySelectorAll: () => [table], createElement: () => element()};
    """
    clicks = """
    for (const column of [1, 1, 0, 2, 2]) {
      heads[column].children[0].click();
      const order = body.children.map((r) => r.cells[0].dataset.v).join(" ");
      console.log(order, heads.map((h) => h.attributes["aria-sort"] ?? "-").join(" "));
    }
    """
    script = stub + (ROOT / "docs/_static/sort.js").read_text(encoding="utf-8") + clicks
    run = ["node", "-e", script]
    printed = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    assert printed.splitlines() == [
        "PCA IKD a - descending -",  # scores by size, the best ones first
        "a IKD PCA - ascending -",
        "a IKD PCA ascending - -",
        "PCA a IKD - - ascending",  # empty cells are last both ways
        "a PCA IKD - - descending",
    ]


def test_page_of_metrics_shows_groups_and_those_chosen_by_hand(tmp_path):
    content = {"n_datasets": 9, "n_settings": 4, "by_hand": ["a", "b", "e"]}
    content |= {"groups": [["a", "b"], ["c", "d"], ["e"]]}
    content |= {"alone": {"n": 7, "mean": 0.5, "lowest": 0.125}}
    counts = {"n": 3, "same_groups": 2, "same_shown": 1}
    content |= {"without_one": counts | {"mean": 0.9, "lowest": 0.75}}
    (tmp_path / "docs/found").mkdir(parents=True)
    (tmp_path / metric_groups.GROUPS).write_text(json.dumps(content))
    text = metric_groups.show(tmp_path)
    assert "| **`a`** | `b` | `a`, `b` |\n| **`c`** | `d` | – |\n| **`e`** | – | `e` |" in text
    assert "were chosen by hand; they cover 2 of the 3 groups" in text
    assert "in 2 cases and the metrics shown first in 1" in text
    (tmp_path / metric_groups.GROUPS).write_text("{}")
    assert metric_groups.show(tmp_path) == metric_groups.ABSENT


def test_tables_count_all_numbers_and_tell_causes():
    counts = dict.fromkeys(found.OUTCOMES, 0) | {"reproduced": 3, "better": 2, "no result": 1}
    cause = {"hypothesis": "Swapped.", "differ": 3, "reproduced": 2, "impossible": None}
    files = {"ikd_a.csv": counts, "ikd_b.csv": counts, "mvu.csv": counts}
    causes = [
        cause | {"name": "swap, two_moons", "file": "ikd_a.csv", "run": 2, "explains": False},
        cause | {"name": "swap, rolls", "file": "ikd_b.csv", "run": 3, "explains": True},
    ]
    summary = {"numbers": {"files": files, "causes": causes}}
    lines = found.numbers_by_paper(summary).splitlines()
    assert lines[2] == "| IKD | 12 | 6 | 6 | – | – | – | – |"
    assert lines[-1] == "| all | 18 | 9 | 9 | – | – | – | – |"
    table = found.numbers_table(summary, "ikd")
    assert "| all | 12 | 6 | 4 | – | 2 | – | – | – | – |" in table
    assert "| Swapped. | two moons 2 of 3, run for 2; rolls **2 of 3** |" in table
    assert "Swapped" not in found.numbers_table(summary, "mvu")


def test_verdicts_of_the_record_are_todays():
    # A claim that is reworded, or a change of a rule, needs `nldr archive --verdicts`.
    rows = json.loads(lzma.decompress((ROOT / found.CLAIMS).read_bytes()))["claims"]
    statements = {row["claim"]: row["statement"] for row in rows}
    written, entries_of = {}, {}
    for path in (ROOT / "workflow/claims").glob("*.yaml"):
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))["claims"]
        written |= {name: entry["statement"] for name, entry in entries.items()}
        entries_of |= {
            name: {basis: entry[basis] for basis in ("as_published", "equal_tuning")}
            for name, entry in entries.items()
        }
    assert statements == {name: text for name, text in written.items() if name in statements}
    # A claim may be registered before its study is run, and has no verdict until then
    for name in written.keys() - statements.keys():
        studies = {e["study"] for e in entries_of[name].values() if isinstance(e, dict)}
        assert not any((ROOT / f"results/archive/studies/{study}").exists() for study in studies)
    assert {row["verdict"] for row in rows} <= {*found.VERDICTS}


def test_sentence_interval_and_p_value_of_a_verdict_belong_to_one_comparison():
    rows = json.loads(lzma.decompress((ROOT / found.CLAIMS).read_bytes()))["claims"]
    for row in (row for row in rows if row["size"] is not None):
        name = (row["claim"], row["basis"])
        numbers = [row[key] for key in ("effect", "low", "high", "n")]
        same = [[c[key] for key in ("effect", "low", "high", "n")] for c in row["comparisons"]]
        assert numbers in same, name
        assert len(row["strip"]) == len(row["settings"]) == sum(row[o] for o in OUTCOMES), name
        # The bound lies in the interval where the p-value says that it may be the truth.
        is_mean = not row["test"].startswith(("binomial", "count of"))
        if is_mean and None not in (row["p_value"], row["low"]) and row["low"] < row["high"]:
            inside = row["low"] <= row["threshold"] <= row["high"]
            assert inside == (row["p_value"] > 0.05), name


def test_tables_show_settings_and_amendments():
    evaluation = dict.fromkeys(found.KEPT) | {
        "basis": "as_published",
        "decision": "holds in most",
        "size": "at full size",
        "study": "s",
        "strip": "●●○",
        "sentence": "A is better.",
        "print_passes": "2 of 3",
    }
    amendment = dict.fromkeys(("date", "data_seen", "what", "why", "first_verdict"), "x")
    amendment["basis"] = "equal_tuning"
    claim = {"claim": "ikd-01", "statement": "S.", "quote": "Q.", "place": "§1"}
    claim |= {"verdict": "holds in most", "evaluations": [evaluation], "amendments": [amendment]}
    summary = {"papers": [{"key": "ikd", "claims": [claim]}], "questions": []}
    text = found.claims_list(summary, "ikd")
    assert "### Holds in most: 1" in text
    assert "> Q." in text
    assert (
        "As published, **holds in most** ●●○: A is better. The printed numbers pass: 2 of 3. "
        "So they support the statement, as tested here, only in part." in text
    )
    assert "- Amended x (under equal tuning), x the data were seen" in text
    evaluation["print_passes"] = "no"
    assert "pass: no. So the paper's own numbers contradict" in found.claims_list(summary, "ikd")
    evaluation["print_passes"] = "not printed"
    assert ": A is better. No such numbers are printed." in found.claims_list(summary, "ikd")
    evaluation["strip"] = "●" * 50 + "·" * 30
    assert "50 better, 30 unclear: A is better." in found.claims_list(summary, "ikd")


def test_every_requirement_is_in_the_table_of_dependencies():
    table = README.split("## Dependencies")[1]
    named = {name.lower() for name in re.findall(r"[A-Za-z][\w-]+", table)}
    files = [file for file in (ROOT / "envs").glob("*.in") if file.stem not in ("dev", "docs")]
    assert len(files) == 7
    for line in (line for file in files for line in file.read_text().splitlines()):
        if line and not line.startswith("#"):
            assert re.split(r"[<>=~ ]", line)[0].lower() in named, line
