"""Our own studies, built at scale smoke by calling the jobs in this process, and their looks."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from conftest import ROOT

from nldr.engine import layout
from nldr.engine.catalog import PUBLISHED
from nldr.engine.jobs.data import make_data
from nldr.engine.jobs.figure import draw_figure
from nldr.engine.jobs.score import score
from nldr.engine.jobs.table import make_tables
from nldr.engine.jobs.worker import embed
from nldr.engine.plan import Plan
from nldr.engine.status import Status

STUDIES = sorted(path.stem for path in (ROOT / "workflow/studies").glob("*.yaml"))
EXPECTED = {Status.OK, Status.NOT_CONVERGED, Status.INVALID_INPUT}  # few points, few iterations


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Path]:
    """Return the plan at scale smoke and a folder that all studies of this process share."""
    return plan_at("smoke"), tmp_path_factory.mktemp("smoke")


def plan_at(scale: str) -> Plan:
    return Plan({"scale": scale}, ROOT, ROOT / ".pytest_cache/signatures.json")


def build(plan: Plan, study: str) -> None:
    """Run the jobs of a study in the current folder, like Snakemake those whose file is missing."""
    for pair in plan.studies[study].pairs:
        for trial in range(pair.trials):
            data = plan.data_file(pair.data, trial)
            if not Path(data).is_file():
                make_data(plan.data_job(pair.data, trial), Path(data))
            where = {"data": pair.data, "method": pair.method}
            embedding = layout.EMBEDDING.format(**where, trial=trial)
            if not Path(embedding).is_file():
                embed(plan.embed_job(pair.data, pair.method, trial), data, embedding)
        for scoring in plan.table_job(study).scorings:
            where = {"data": pair.data, "method": pair.method, "trials": pair.trials}
            scores = Path(layout.SCORES.format(**where, scorer=scoring))
            if not scores.is_file():
                data_files = plan.data_files(pair.data, range(pair.trials))
                embeddings = plan.embedding_files(pair.data, pair.method, pair.trials)
                score(plan.score_job(scoring), data_files, embeddings, scores)
    spec = plan.studies[study].study.published
    published = ROOT / PUBLISHED / spec.file if spec else None
    names = (layout.TABLE, layout.SUMMARY, layout.TIMINGS)
    table, summary, timings = (Path(name.format(study=study)) for name in names)
    make_tables(
        plan.table_job(study), plan.score_files(study), plan.study_embeddings(study),
        published, table, summary, timings,
    )  # fmt: skip
    for figure in plan.studies[study].figures:
        draw_figure(
            plan.figure_job(figure), table, timings, published,
            plan.panel_data_files(figure), plan.panel_embeddings(figure),
            [Path(layout.PICTURE.format(figure=figure))],
        )  # fmt: skip


@pytest.mark.parametrize("study", STUDIES)
def test_study_is_built_at_smoke(
    smoke: tuple[Plan, Path], study: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, folder = smoke
    monkeypatch.chdir(folder)
    build(plan, study)
    with Path(layout.TABLE.format(study=study)).open(newline="") as file:
        rows = list(csv.DictReader(file))
    counts = Counter(Status(row["status"]) for row in rows)
    assert set(counts) <= EXPECTED
    assert counts[Status.OK] > 0
    for figure in plan.studies[study].figures:
        assert Path(layout.PICTURE.format(figure=figure)).stat().st_size > 5_000


def test_a_title_has_one_look_in_all_studies_at_all_scales() -> None:
    looks = defaultdict(set)
    for scale in ("smoke", "quick", "paper"):
        plan = plan_at(scale)
        for figure in plan.owners:
            job = plan.figure_job(figure)
            for name, title in job.methods.items():
                looks[title.partition(", best of ")[0]].add(job.looks[name])
            assert len(set(job.looks.values())) == len(job.methods), (
                f"two methods look the same in {figure}"
            )
    assert {title: found for title, found in looks.items() if len(found) > 1} == {}
