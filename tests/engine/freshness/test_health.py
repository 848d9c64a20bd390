"""What is damaged, missing, or made from other code or parameters is found, and nothing else."""

import os
from pathlib import Path

import pytest
from conftest import flip, flip_secretly, problems_of

from nldr.engine.code import fingerprint
from nldr.engine.files.layout import STATE
from nldr.engine.files.store import read_manifest, write_manifest
from nldr.engine.freshness import health
from nldr.engine.planning.plan import Plan
from nldr.engine.planning.results import planned_results

TABLES, FIGURES = "results/smoke/tables", "results/smoke/figures"
REPORT = "results/smoke/.report.json"
TIMES = "results/smoke/timings/gallery.csv"
GP10, GP50 = "gp@n_features=10@n_samples=100", "gp@n_features=50@n_samples=100"
IKD = {
    "results/embeddings/gp@n_samples=100/ikd@n_components=2/trials-1.json",
    "results/embeddings/swiss_roll@n_samples=100/ikd@n_components=2/trials-1.json",
    f"results/embeddings/{GP10}/ikd@n_components=3/trials-2.json",
    f"results/embeddings/{GP50}/ikd@n_components=3/trials-2.json",
}
GP = {f"results/data/{cell}/trials-2.json" for cell in (GP10, GP50)}
GP |= {"results/data/gp@n_samples=100/trials-1.json"}
PCA = f"results/embeddings/{GP10}/pca@n_components=3"
DATA = f"results/data/{GP10}"
ALIGNED = {
    f"results/scores/{data}/{method}@n_components=3/alignment/trials-2.json"
    for data in (GP10, GP50)
    for method in ("pca", "ikd", "random", "oracle")
}
ISOMAP = {
    f"results/embeddings/{data}@n_samples=100/isomap@n_components=2/trials-1.json"
    for data in ("gp", "swiss_roll")
}


@pytest.fixture
def copy(copy, monkeypatch):
    """Return the copy, whose fingerprints are those of its own code."""
    monkeypatch.setattr(fingerprint, "ROOT", copy.path / "src/nldr")
    return copy


def plan_of(copy):
    return Plan({"scale": "smoke"}, copy.path, copy.path / STATE / "signatures.json")


def find(copy, thorough=False):
    """Return the reason for each manifest that is out of date."""
    problems = problems_of(plan_of(copy), thorough=thorough)
    return {path: problem.reason for path, problem in problems.items()}


def test_only_regular_files_are_read(copy):
    """Neither a manifest without content nor a link to a device stops the search."""
    write_manifest(f"{TABLES}/.gallery.json")
    for link in (f"{PCA}/trial-0.npz", f"{FIGURES}/.gallery.json"):
        Path(link).unlink()
        Path(link).symlink_to("/dev/zero")
    assert (
        find(copy)
        == find(copy, thorough=True)
        == {
            f"{TABLES}/.gallery.json": health.DAMAGED,
            f"{PCA}/trials-2.json": health.FILES,
            f"{FIGURES}/.gallery.json": health.DAMAGED,
        }
    )


def test_manifest_that_became_a_pipe_or_a_device_is_made_again(copy):
    """It exists for Snakemake, which would not make it otherwise."""
    scores = Path(f"results/scores/{GP10}/pca@n_components=3/alignment/trials-2.json")
    scores.unlink()
    os.mkfifo(scores)
    embeddings = Path(f"{PCA}/trials-2.json")
    embeddings.unlink()
    embeddings.symlink_to("/dev/zero")
    assert find(copy) == {
        str(scores): health.DAMAGED,
        str(embeddings): health.DAMAGED,
        f"{TABLES}/.ikd_fig1.json": health.INPUTS,
    }


def test_nothing_is_found_after_a_build(copy):
    results = planned_results(plan_of(copy))
    assert sum(Path(r.path).is_file() for r in results) == 4 + 16 + 16 + 2 + 2 + 1 + 1 + 1
    assert find(copy) == find(copy, thorough=True) == {}


@pytest.mark.parametrize(
    ("file", "stale"),
    [
        ("kernels.py", IKD | GP | {REPORT}),  # the report draws a map of each dataset
        ("metrics/alignment.py", ALIGNED),
        ("figures/curves.py", {FIGURES + "/.ikd_fig1.json"}),
        ("engine/planning/plan.py", set()),
    ],
)
def test_changed_code_makes_stale_what_runs_it_and_is_named(copy, file, stale):
    copy.append(f"src/nldr/{file}", "SENTINEL = 1")
    check_change(problems_of(plan_of(copy)), stale, f"nldr/{file}")


def test_changed_default_makes_its_embeddings_stale(copy):
    copy.edit("workflow/catalog/methods.yaml", "{n_neighbors: 5}", "{n_neighbors: 6}")
    problems = problems_of(plan_of(copy)).items()
    embeddings = {path: problem for path, problem in problems if "embeddings" in path}
    check_change(embeddings, ISOMAP, "params.n_neighbors")


def check_change(problems, stale, change):
    """Check what a change makes stale, and that Snakemake shows a file with its name."""
    assert problems == dict.fromkeys(stale, (health.CHANGED, change))
    markers = set(health.mark(problems).values())
    assert markers == ({f"{STATE}/reasons/changed/{change}"} if stale else set())
    told = [f"{len(stale)} result(s) out of date: {change} changed"] if stale else []
    assert health.tell_changes(problems) == told


def test_change_since_a_manifest_without_parts_is_still_found(copy):
    path = copy.path / FIGURES / ".ikd_fig1.json"
    content = read_manifest(path)
    write_manifest(path, **{k: v for k, v in content.items() if k != "parts"})
    copy.append("src/nldr/figures/curves.py", "SENTINEL = 1")
    problems = problems_of(plan_of(copy))
    assert [Path(marker).name for marker in health.mark(problems).values()] == [health.CHANGED]
    assert health.tell_changes(problems) == ["1 result(s) out of date: code or parameters changed"]


def test_changed_parameter_makes_new_cells_and_a_new_table(copy):
    copy.edit("workflow/studies/ikd_fig1.yaml", "n_features: [10, 50]", "n_features: [10, 20]")
    expected = {
        TABLES + "/.ikd_fig1.json",
        FIGURES + "/.ikd_fig1.json",
        "results/smoke/.claims.json",
        "results/smoke/.report.json",
    }
    assert find(copy) == dict.fromkeys(expected, health.CHANGED)


# A file, what is done to it, and what is out of date then
DAMAGE = [
    (f"{PCA}/trial-0.npz", Path.unlink, {f"{PCA}/trials-2.json": health.FILES}),
    (f"{PCA}/trial-1.npz", flip, {f"{PCA}/trials-2.json": health.FILES}),
    (f"{DATA}/trial-1.npz", Path.unlink, {f"{DATA}/trials-2.json": health.FILES}),
    (TABLES + "/gallery.csv", flip, {TABLES + "/.gallery.json": health.FILES}),
    (TIMES, flip, {TABLES + "/.gallery.json": health.FILES}),
    (FIGURES + "/gallery.png", flip, {FIGURES + "/.gallery.json": health.FILES}),
    (
        TABLES + "/.gallery.json",
        Path.unlink,
        {TABLES + "/.gallery.json": health.DAMAGED, FIGURES + "/.gallery.json": health.INPUTS},
    ),
    (f"{PCA}/trials-2.json", flip, {f"{PCA}/trials-2.json": health.DAMAGED}),
    # What depends on a missing manifest is out of date as well
    (
        f"{PCA}/trials-2.json",
        Path.unlink,
        dict.fromkeys(
            (
                f"results/scores/{GP10}/pca@n_components=3/alignment/trials-2.json",
                TABLES + "/.ikd_fig1.json",
            ),
            health.INPUTS,
        ),
    ),
]


def test_damage_is_found(copy):
    plan = plan_of(copy)
    for file, damage, expected in DAMAGE:
        content, time_ns = Path(file).read_bytes(), Path(file).stat().st_mtime_ns
        damage(Path(file))
        reasons = {path: problem.reason for path, problem in problems_of(plan).items()}
        assert reasons == expected, (file, damage)
        Path(file).write_bytes(content)
        os.utime(file, ns=(time_ns, time_ns))
    # A change under the old time
    flip_secretly(Path(PCA, "trial-0.npz"))
    assert problems_of(plan) == {}
    assert problems_of(plan, thorough=True).keys() == {f"{PCA}/trials-2.json"}


def test_failure_that_may_have_passed_is_tried_again(copy):
    path = copy.path / DATA / "trials-2.json"
    manifest = read_manifest(path)
    manifest["trials"][0] = {"trial": 0, "status": "error", "message": "", "transient": True}
    write_manifest(path, **manifest)
    assert find(copy) == {f"{DATA}/trials-2.json": health.TRANSIENT}


def test_reasons_are_files_that_are_newer(copy):
    problem = health.Problem(health.FILES, "a file")
    before = (copy.path / PCA / "trials-2.json").stat().st_mtime_ns
    marked = health.mark({f"{PCA}/trials-2.json": problem})
    (marker,) = marked.values()
    assert Path(marker).name == health.FILES
    assert Path(marker).stat().st_mtime_ns > before
    assert health.mark({}) == {}
