"""A sample of the archive is computed again and compared."""

import re
import shutil

import pytest
from archives import ISOMAP, edited_isomap, embedded, plan_of

from nldr.archive import ARCHIVE, Archive, restore
from nldr.archive.contents import Embedded, Trial, Trials
from nldr.archive.recompute import NUDGES, compute, judge, sample
from nldr.cli import main
from nldr.engine.files.store import read_manifest
from nldr.engine.running.workers import Workers
from nldr.statistics.repeats import Match


def test_recomputed_sample_leaves_out_what_takes_too_long(archive_alone, capsys):
    with edited_isomap() as cell:
        cell.trials.rows[0]["cpu_seconds"] = 61.0
    assert main(["recompute", "--scale", "smoke", "--cells", "0"]) == 0
    assert "left out: 1 trial(s), each of which took more than 60 s" in capsys.readouterr().out


def test_recomputed_sample_is_the_same(archive_alone, capsys):
    arguments = ["recompute", "--scale", "smoke", "--cells", "2", "--seed", "3"]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "computing 2 of 24 trials again, seed 3" in printed
    assert printed.splitlines()[-1] == "2 same"


@pytest.mark.parametrize(
    ("shift", "status", "match", "reason"),
    [(1, 1, "different", False), (0.005, 0, "within the margin of verdicts", True)],
)
def test_recomputed_score_that_differs_is_named(
    archive_alone, capsys, shift, status, match, reason
):
    archive = Archive()
    for name in archive.names():
        content = archive.read(name)
        for embedded_cell in content.methods.values():
            for row in (row for scored in embedded_cell.scores.values() for row in scored.rows):
                row["values"] = {metric: value + shift for metric, value in row["values"].items()}
        archive.write(name, content)
    assert main(["recompute", "--scale", "smoke", "--cells", "1", "--seed", "3"]) == status
    printed = capsys.readouterr().out
    assert re.search(rf"trial \d: {match}: \w+ \S+ for \S+", printed)
    assert ("On another processor, some scores" in printed) is reason


@pytest.mark.parametrize(
    ("after", "nudged", "match"),
    [
        (0.50005, (), Match.SAME),
        (0.509, (), Match.CLOSE),
        (0.55, (), Match.SPREAD),
        (0.57, (), Match.DIFFERENT),
        (None, (), Match.DIFFERENT),
        # Explained if tiny noise moves the score half as far
        (0.57, (0.57, 0.57005), Match.DIFFERENT),
        (0.57, (0.57, 0.6), Match.DIFFERENT),
        (0.57, (0.57, 0.5), Match.ROUNDING),
        (0.57, (0.57, None), Match.DIFFERENT),
    ],
)
def test_scores_are_compared_within_rounding_margin_and_spread(after, nudged, match):
    rows = [{"values": {"score": value}} for value in (0.48, 0.5, 0.52)]  # s.d. 0.02
    cell = Embedded(Trials("a"), {"scorer": Trials("b", rows)})
    others = [{"score": score} for score in nudged]
    assert judge(cell, 1, {"score": after}, others)[0] is match


def test_tiny_noise_moves_the_scores_of_a_stable_method_by_less_than_the_margin(
    archive_alone, tmp_path
):
    content = Archive().read(ISOMAP.data)
    trial, cell = Trial(ISOMAP.data, ISOMAP.method, 0), content.methods[ISOMAP.method]
    workers = Workers("warm", tmp_path / "warm.log")
    result = compute(
        plan_of(archive_alone), trial, sorted(cell.scores), tmp_path, workers.run, max(NUDGES)
    )
    workers.stop()
    assert judge(cell, 0, result.scores)[0] is Match.SAME
    # The noise has arrived: the coordinates are others
    row = read_manifest(next(tmp_path.rglob("embeddings/trials-1.json")))["trials"][0]
    assert row["content"] != cell.trials.rows[0]["content"]


def test_a_trial_that_a_scorer_lacks_is_not_compared():
    assert judge(embedded("abc", density=2), 2, {"density": 0.0})[0] is Match.SAME


def test_without_an_archive_the_remedy_is_told(archive_alone, capsys):
    shutil.rmtree(ARCHIVE)
    assert main(["recompute", "--scale", "smoke"]) == 2
    assert "results/archive has no cells: build something, then: nldr archive" in (
        capsys.readouterr().err
    )


def test_sample_takes_each_cell_before_any_twice(archive_alone):
    trials = sorted(restore(plan_of(archive_alone), Archive(), write=False).trials, key=str)
    assert len(trials) == 24
    chosen = sample(trials, 16, seed=1)
    assert len({(trial.data, trial.method) for trial in chosen}) == 16
    assert sample(trials, 16, seed=1) == chosen != sample(trials, 16, seed=2)
    assert sorted(sample(trials, 99, seed=1), key=str) == trials
