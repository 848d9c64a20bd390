"""A build at scale smoke is archived and taken back, as one at full size is."""

import json
import lzma
import shutil
from pathlib import Path

import pandas as pd
import pytest
from archives import ISOMAP, edited_isomap, embedded, plan_of
from conftest import copy_project, problems_of

from nldr.archive import ARCHIVE, Archive, collect, publish, restore
from nldr.archive.collect import join, rows_built
from nldr.archive.contents import CellState, DataArchive, Embedded, Keys, Trials, compress
from nldr.archive.figures import draw_figures
from nldr.archive.restore import AGENDA, lost_cells, write_restored
from nldr.archive.verdicts import decide_again
from nldr.cli import main
from nldr.engine.files.store import read_manifest
from nldr.engine.freshness import health
from nldr.engine.freshness.health import key_of
from nldr.engine.planning.expand import Pair
from nldr.engine.stages.restored import is_restored, keep_restored
from nldr.tables import read_csv


@pytest.fixture
def restored(archive_alone):
    """Return the plan of a copy to which the archive is restored."""
    plan = plan_of(archive_alone)
    restore(plan, Archive())
    return plan


def numbers_of(rows):
    """Return the rows of trials as archived: each number with eight significant digits."""
    return json.loads(json.dumps(rows), parse_float=lambda number: float(f"{float(number):.8g}"))


def test_restored_results_are_those_that_were_archived(archive_alone, built):
    plan = plan_of(archive_alone)
    assert restore(plan, Archive()).total(CellState.CURRENT) == 16
    for pair in plan.studies["ikd_fig1"].pairs:
        file = plan.score_file(pair, "ikd_fig1")
        before, after = (read_manifest(f)["trials"] for f in (built.path / file, file))
        assert after == numbers_of(before)
        file = plan.embedding_file(pair.data, pair.method, pair.trials)
        before, after = (read_manifest(f)["trials"] for f in (built.path / file, file))
        for old, new in zip(numbers_of(before), after, strict=True):
            assert all(new[k] == old[k] for k in ("status", "seconds", "content", "fit"))


def test_nothing_but_tables_and_figures_is_left_to_do_also_where_a_file_is_lost(
    restored, archive_alone
):
    # The panels of a figure show data, whose points are not archived.
    assert {p.reason for p in problems_of(restored).values()} == {health.POINTS}
    assert all("results/data" in path for path in problems_of(restored))
    # What is restored again makes nothing else out of date
    pair = restored.studies["ikd_fig1"].pairs[0]
    Path(restored.embedding_file(pair.data, pair.method, pair.trials)).unlink()
    restore(restored, Archive())
    stale = archive_alone.stale("ikd_fig1", "--config", "scale=smoke")
    assert not any("embeddings" in file or "scores" in file for file in stale)
    assert "results/smoke/tables/ikd_fig1.csv" in stale


def test_archive_of_what_was_restored_is_unchanged(archive_alone):
    plan = plan_of(archive_alone)
    before = {p: p.read_bytes() for p in Path(ARCHIVE).glob("cells/*")}
    restore(plan, Archive())
    assert collect(plan, Archive()) == {"added": 0, "all": 16}
    assert {p: p.read_bytes() for p in Path(ARCHIVE).glob("cells/*")} == before


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("src/nldr/methods/ikd/ikd.py", {CellState.CURRENT: 12, CellState.STALE: 4}),
        ("src/nldr/engine/stages/embed.py", {CellState.CURRENT: 16}),
        ("src/nldr/metrics/alignment.py", {CellState.CURRENT: 8, CellState.STALE: 8}),
    ],
)
def test_a_change_of_code_makes_exactly_its_cells_stale(archive_alone, file, expected, monkeypatch):
    archive_alone.append(file, "SENTINEL = 1")
    monkeypatch.setattr("nldr.engine.code.fingerprint.ROOT", archive_alone.path / "src/nldr")
    result = restore(plan_of(archive_alone), Archive(), write=False)
    assert {state: n for state in CellState if (n := result.total(state))} == expected


def test_studies_that_are_stale_are_named(archive_alone, capsys):
    with edited_isomap() as cell:
        cell.trials.key = "another"
    assert main(["restore", "--scale", "smoke"]) == 0
    printed = capsys.readouterr().out
    assert "15 cells restored" in printed
    assert "stale: gallery: 1 cell(s) were made from other code or parameters" in printed


def test_tables_older_than_their_cells_are_named(archive_alone, capsys):
    with edited_isomap() as cell:
        values = next(iter(cell.scores.values())).rows[0]["values"]
        values[next(iter(values))] += 1e-3
    assert main(["archive", "--scale", "smoke"]) == 0
    told = "tables older than their cells, which were embedded again for another study: build galle"
    assert told in capsys.readouterr().out


def check_points_are_needed(plan):
    """Check that the points of Isomap and of its data have to be made again."""
    files = plan.embedding_file(ISOMAP.data, ISOMAP.method, 1), plan.data_file(ISOMAP.data, 1)
    problems = problems_of(plan)
    assert [problems[file].reason for file in files] == [health.POINTS] * 2


def test_new_scores_need_the_points_again(restored):
    Path(restored.score_file(ISOMAP, "gallery")).unlink()
    check_points_are_needed(restored)


def test_only_points_behind_the_targets_are_needed(restored):
    for targets, needed in [
        ((), True),
        (("gallery",), True),
        (("ikd_fig1", "gallery"), True),
        (("results/smoke/figures/gallery.png",), True),
        (("results/smoke/report.html",), True),
        (("results/data/gp@n_samples=100/trials-1.json",), True),
        (("ikd_fig1",), False),
        (("results/smoke/figures/ikd_fig1.pdf",), False),
        (("results/smoke/tables/gallery.csv",), False),
        (("claims",), False),
    ]:
        assert bool(problems_of(restored, targets=targets)) == needed, targets
    # Those that the archive no longer keeps are made again when needed
    (Path(ARCHIVE) / f"points/{ISOMAP.data}/{ISOMAP.method}.npz").unlink()
    file = restored.embedding_file(ISOMAP.data, ISOMAP.method, 1)
    assert problems_of(restored, targets=["claims"]) == {}
    assert problems_of(restored, targets=["gallery"])[file].reason == health.POINTS


def test_embeddings_that_a_figure_shows_need_their_own_data(archive_alone):
    # Data with another number of trials are those that the figure shows.
    archive_alone.edit(
        "workflow/studies/gallery.yaml", "trials: 1\n", "trials: 2\nfewer_trials: {isomap: 1}\n"
    )
    shutil.rmtree(Path(ARCHIVE) / "points")
    plan = plan_of(archive_alone)
    restore(plan, Archive())
    check_points_are_needed(plan)


def test_cells_of_fewer_trials_or_ended_at_a_smaller_limit_are_missing(archive_alone):
    plan = plan_of(archive_alone)
    keys, content = Keys(plan), Archive().read(ISOMAP.data)
    scorings = plan.scorings_of("gallery")
    assert keys.state(content, ISOMAP, scorings) is CellState.CURRENT
    more = Pair(ISOMAP.data, ISOMAP.method, 2, 2, 0)
    assert keys.state(content, more, scorings) is CellState.MISSING
    assert keys.state(content, ISOMAP, ["another"]) is CellState.MISSING
    assert keys.state(None, ISOMAP, scorings) is CellState.MISSING
    row = content.methods[ISOMAP.method].trials.rows[0]
    row["status"] = "timeout"
    assert keys.state(content, ISOMAP, scorings) is CellState.CURRENT
    row["limits"]["seconds"] -= 1
    assert keys.state(content, ISOMAP, scorings) is CellState.MISSING


@pytest.mark.parametrize(
    ("message", "state"),
    [
        ("OSError: [Errno 40] Too many levels of symbolic links: 'jaxlib'", CellState.MISSING),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'a'", CellState.MISSING),
        ("ModuleNotFoundError: No module named 'umap'", CellState.MISSING),
        ("ValueError: OSError: of the method", CellState.CURRENT),
        ("print: no class of errors", CellState.CURRENT),
    ],
)
def test_trials_that_failed_because_of_the_machine_are_missing(archive_alone, message, state):
    plan = plan_of(archive_alone)
    content = Archive().read(ISOMAP.data)
    content.methods[ISOMAP.method].trials.rows[0] |= {"status": "error", "message": message}
    assert Keys(plan).state(content, ISOMAP, plan.scorings_of("gallery")) is state


def test_trials_that_ran_alone_serve_all_studies_the_others_those_of_shared_timing(archive_alone):
    plan = plan_of(archive_alone)
    content, scorings = Archive().read(ISOMAP.data), plan.scorings_of("gallery")
    row = content.methods[ISOMAP.method].trials.rows[0]
    key = Keys(plan).embedding(*ISOMAP.cell)
    plan.exclusive.add(ISOMAP.cell)
    assert Keys(plan).embedding(*ISOMAP.cell) == key
    assert Keys(plan).state(content, ISOMAP, scorings) is CellState.MISSING
    row["circumstances"]["exclusive"] = True
    assert Keys(plan).state(content, ISOMAP, scorings) is CellState.CURRENT
    plan.exclusive.clear()
    assert Keys(plan).state(content, ISOMAP, scorings) is CellState.CURRENT


class Asked:
    """A request with a manifest, its inputs and its key."""

    def __init__(self, folder, key, outdated=()):
        self.manifest, self.key = str(folder / "trials-1.json"), key
        self.inputs = {"data": [str(folder / "data.json")], "outdated": list(outdated)}


@pytest.mark.parametrize(
    ("key", "data_key", "outdated", "kept"),
    [("a", "d", (), True), ("b", "d", (), False), ("a", "e", (), False), ("a", "d", "x", False)],
)
def test_restored_manifest_is_kept_while_it_is_what_is_wanted(
    tmp_path, key, data_key, outdated, kept
):
    write_restored(str(tmp_path / "data.json"), data_key, {}, [])
    asked = Asked(tmp_path, key, outdated)
    write_restored(asked.manifest, "a", {"data": "d"}, [{"status": "ok"}])
    Path(asked.manifest).unlink()  # as Snakemake does before a job
    assert keep_restored(asked) is kept
    assert is_restored(asked.manifest) is kept


def test_data_that_were_restored_do_not_stand_for_those_drawn_here(built, tmp_path, monkeypatch):
    plan = plan_of(built)
    job, drawn = plan.data_job(ISOMAP.data, 1), plan.data_file(ISOMAP.data, 1)
    restored = str(tmp_path / "trials-2.json")
    write_restored(restored, key_of(job), {}, [{"status": "ok", "content": "of another machine"}])
    monkeypatch.chdir(built.path)
    assert rows_built([(restored, job), (drawn, job)]) == read_manifest(drawn)["trials"]


def test_the_same_points_are_kept_each_time(built, tmp_path, monkeypatch):
    monkeypatch.chdir(copy_project(built.path, tmp_path / "copy").path)

    def kept():
        assert main(["archive", "--scale", "smoke"]) == 0
        return {file.as_posix() for file in Path(ARCHIVE).glob("points/*/*.npz")}

    everything = kept()
    sizes = [Path(file).stat().st_size for file in everything]
    limit = sum(sizes) - max(sizes)
    monkeypatch.setattr(publish, "MAX_POINTS", limit)
    some = kept()
    assert 0 < len(some) < len(everything)
    assert sum(Path(file).stat().st_size for file in some) <= limit
    assert kept() == some
    # What is not built here gives way too when the archive as a whole would be too large.
    shutil.rmtree("results/embeddings")
    size = sum(file.stat().st_size for file in Path(ARCHIVE).rglob("*") if file.is_file())
    smallest = min(Path(file).stat().st_size for file in some)
    monkeypatch.setattr(publish, "MAX_ARCHIVE", size - smallest)
    assert 0 < len(kept()) < len(some)


def test_archive_holds_what_readers_want(archive_alone, built):
    folder = Path(ARCHIVE)
    table, expected = (
        pd.read_csv(file)
        for file in (
            folder / "studies/ikd_fig1/table.csv.xz",
            built.path / "results/smoke/tables/ikd_fig1.csv",
        )
    )
    pd.testing.assert_frame_equal(table, expected, rtol=1e-7)
    facts = json.loads((folder / "studies/ikd_fig1/provenance.json").read_text())
    assert facts["cells"] == {"current": 8, "stale": 0, "missing": 0}
    assert {"versions", "cpu", "commit", "written"} <= facts.keys()
    for file in ("claims.csv", "claims.md", "claims.json.xz"):
        assert (folder / file).stat().st_size > 0
    # Of each figure the smaller file
    drawn = {file.suffix: file for file in (built.path / "results/smoke/figures").glob("gallery.*")}
    drawing = compress(drawn[".svg"].read_bytes())
    smaller = ".svg.xz" if len(drawing) <= drawn[".png"].stat().st_size else ".png"
    (copied,) = folder.glob("figures/gallery.*")
    assert copied.name == f"gallery{smaller}"


def test_plan_names_cheap_studies_first_with_what_is_archived(archive_alone):
    rows = read_csv(archive_alone.path / AGENDA)
    plan = plan_of(archive_alone)
    assert {row["study"] for row in rows} == set(plan.studies)
    hours = [float(row["cpu_hours"]) for row in rows]
    assert hours == sorted(hours)
    assert hours[0] > 0
    counts = {row["study"]: (row["cells"], row["archived"], row["stale"]) for row in rows}
    assert counts["ikd_fig1"] == ("8", "8", "0")
    # A cell that is archived no more is told.
    archive = Archive()
    content = archive.read(ISOMAP.data)
    assert lost_cells(archive_alone.path, restore(plan, archive, write=False)) == {}
    del content.methods[ISOMAP.method]
    archive.write(ISOMAP.data, content)
    assert lost_cells(archive_alone.path, restore(plan, archive, write=False)) == {"gallery": 1}


@pytest.mark.parametrize(
    ("known", "found", "joined"),
    [
        (None, embedded("abc", ranks=3), embedded("abc", ranks=3)),
        # Two studies want different scores of different numbers of trials.
        (
            embedded("abc", ranks=3),
            embedded("ab", ranks=2, density=2),
            embedded("abc", ranks=3, density=2),
        ),
        (
            embedded("ab", ranks=2, density=2),
            embedded("abc", ranks=3),
            embedded("abc", ranks=3, density=2),
        ),
        # Scores are those of the embeddings beside which they stand.
        (embedded("abc", ranks=3), embedded("xb", density=2), embedded("abc", ranks=3)),
        (embedded("ab", ranks=2), embedded("xb", density=2), embedded("xb", density=2)),
    ],
)
def test_scores_of_several_studies_are_joined(known, found, joined):
    assert join(known, found) == joined


def test_archive_of_one_content_is_one_file(tmp_path):
    content = DataArchive(Trials("a", [{"b": 1}]), {"pca": Embedded(Trials("c", [{}]), {})})
    Archive(tmp_path).write("line", content)
    (first,) = tmp_path.rglob("*.xz")
    before = first.read_bytes()
    Archive(tmp_path).write("line", content)
    assert first.read_bytes() == before
    assert Archive(tmp_path).read("line") == content
    assert Archive(tmp_path).read("another") is None


def test_numbers_of_the_archive_are_decided_again_as_the_build_decided_them(archive_alone, built):
    folder = archive_alone.path / ARCHIVE / "studies/ikd_fig1"
    archived = (folder / "verdicts.csv.xz").read_bytes()
    built_file = built.path / "results/smoke/tables/ikd_fig1_verdicts.csv"
    assert lzma.decompress(archived) == built_file.read_bytes()
    (folder / "verdicts.csv.xz").unlink()
    assert decide_again(plan_of(archive_alone), Path()) == ["ikd_fig1"]
    assert (folder / "verdicts.csv.xz").read_bytes() == archived
    assert decide_again(plan_of(archive_alone), Path()) == []


def test_figures_of_the_archive_are_drawn_again_from_its_tables(archive_alone):
    """Figures that were drawn by earlier code; those that show embeddings stay as they are."""
    plan = plan_of(archive_alone)
    assert draw_figures(plan, Path()) == []
    figures = {path.name.partition(".")[0]: path for path in Path(ARCHIVE).glob("figures/*")}
    panels = {name for name in figures if plan.figure_job(name).panels}
    assert panels, figures.keys() - panels
    for path in figures.values():
        path.write_text("drawn by earlier code")
    assert set(draw_figures(plan, Path())) == figures.keys() - panels
    assert draw_figures(plan, Path()) == []
    # A table without some of the cells of a figure cannot draw it.
    table = Path(ARCHIVE) / "studies/ikd_fig1/table.csv.xz"
    rows = pd.read_csv(table)
    rows[rows["method_cell"] != rows["method_cell"].iloc[-1]].to_csv(table, index=False)
    figures["ikd_fig1"].write_text("drawn by earlier code")
    assert draw_figures(plan, Path()) == []
