"""Our own studies, built at scale smoke by the jobs of a build without Snakemake, and their looks.

Jobs are run by one warm parent per process of the tests, as in a build.
"""

from collections import Counter, defaultdict
from pathlib import Path

import pytest
from conftest import ROOT, our_plan

from nldr.engine.files import layout
from nldr.engine.files.status import Status
from nldr.engine.freshness.health import key_of
from nldr.engine.jobs.requests import Request
from nldr.engine.planning.catalog import PUBLISHED
from nldr.engine.running.build import imports_of
from nldr.engine.running.workers import Workers
from nldr.tables import read_csv

STUDIES = sorted(path.stem for path in (ROOT / "workflow/studies").glob("*.yaml"))
# Some of each paper and of our own; `make test-recipes` builds the others.
FEW = """
    conformance counts distortion ikd_fig3 lolagp_table1 mvu_table_labels parametric_fig1
    parametric_released selection survey
"""
EXPECTED = {Status.OK, Status.NOT_CONVERGED, Status.INVALID_INPUT}  # few points, few iterations


class Builder:
    """Builds studies in the current folder, which they share."""

    def __init__(self, plan, workers):
        self.plan, self.workers = plan, workers

    def make(self, job, inputs, outputs, rows=0):
        """Run a job, like Snakemake, if its manifest is missing."""
        if Path(outputs["manifest"]).is_file():
            return
        imports = imports_of(self.plan, job)
        request = Request(job, key_of(job), inputs, outputs, "log", imports, rows=rows)
        reply = self.workers.run(request)
        assert reply.error == "", Path("log").read_text()[-3000:]

    def build(self, study):
        """Build a study."""
        plan = self.plan
        scorers = layout.scorers_name(plan.scorings_of(study))
        for pair in plan.studies[study].pairs:
            data = plan.data_file(pair.data, pair.trials)
            trials = pair.trials if plan.data[pair.data].seeded else 1
            self.make(plan.data_job(pair.data, trials), {}, {"manifest": data})
            where = (pair.data, pair.method, pair.trials)
            embeddings = plan.embedding_file(*where)
            rows = plan.data[pair.data].size("n_samples") or 0
            inputs = {"data": [data]}
            self.make(plan.embed_job(*where), inputs, {"manifest": embeddings}, rows)
            job = plan.scores_job(pair.data, scorers, pair.trials)
            inputs |= {"embeddings": [embeddings]}
            self.make(job, inputs, {"manifest": plan.score_file(pair, study)})
        self._report(study)

    def _report(self, study):
        """Make tables and figures of a study."""
        plan = self.plan
        spec = plan.studies[study].study.published
        published = [str(ROOT / PUBLISHED / spec.file)] if spec else []
        tables = {"manifest": plan.outputs.tables.format(study=study)}
        for kind in ("table", "summary", "failures", "timings", "costs"):
            tables[kind] = getattr(plan.outputs, kind).format(study=study)
        inputs = {
            "scores": plan.score_files(study),
            "embeddings": plan.study_embeddings(study),
            "published": published,
        }
        self.make(plan.table_job(study), inputs, tables)
        if published:
            inputs = {"table": [tables["table"]], "published": published}
            outputs = {
                "verdicts": plan.outputs.verdicts.format(study=study),
                "page": plan.outputs.verdict_page.format(study=study),
                "manifest": plan.outputs.decided.format(study=study),
            }
            self.make(plan.verdict_job(study), inputs, outputs)
        for figure in plan.studies[study].figures:
            inputs = {
                "tables": [tables["manifest"]],
                "table": [tables["table"]],
                "timings": [tables["timings"]],
                "published": published,
                "panel_data": plan.panel_data_files(figure),
                "panel_embeddings": plan.panel_embeddings(figure),
            }
            outputs = {
                "png": plan.outputs.picture.format(figure=figure),
                "manifest": plan.outputs.drawn.format(figure=figure),
            }
            self.make(plan.figure_job(figure), inputs, outputs)


@pytest.fixture(scope="module")
def builder(tmp_path_factory):
    """Return a builder at scale smoke, in a folder that all studies of this process share."""
    folder = tmp_path_factory.mktemp("smoke")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("PYTHONPATH", str(ROOT / "src"))
        patch.setenv("JAX_COMPILATION_CACHE_DIR", str(folder / "jax"))
        plan = our_plan()
        workers = Workers("warm", folder / "warm.log")
        yield Builder(plan, workers)
        workers.stop()


@pytest.mark.parametrize(
    "study",
    [
        pytest.param(study, marks=() if study in FEW.split() else pytest.mark.recipe)
        for study in STUDIES
    ],
)
def test_study_is_built_at_smoke(builder, study):
    builder.build(study)
    rows = read_csv(builder.plan.outputs.table.format(study=study))
    counts = Counter(Status(row["status"]) for row in rows)
    assert set(counts) <= EXPECTED
    assert counts[Status.OK] > 0
    assert builder.workers.start == "warm"
    failures = read_csv(builder.plan.outputs.failures.format(study=study))
    assert {row["stage"] for row in failures} <= {"embed"}
    for figure in builder.plan.studies[study].figures:
        assert Path(builder.plan.outputs.picture.format(figure=figure)).stat().st_size > 5_000


def test_studies_are_valid_and_a_title_has_one_look_at_all_scales():
    looks = defaultdict(set)
    for scale in ("smoke", "quick", "paper"):
        plan = our_plan(scale)
        assert plan.broken == {}
        for figure in plan.owners:
            job = plan.figure_job(figure)
            shown = {name: tuple(look.items()) for name, look in job.looks.items()}
            for name, title in job.methods.items():
                looks[title.partition(", best of ")[0]].add(shown[name])
            assert len(set(shown.values())) == len(job.methods), (
                f"two methods look the same in {figure}"
            )
    assert {title: result for title, result in looks.items() if len(result) > 1} == {}
