"""The default build: quick, the papers' own figures, and a sample of the record."""

import json
import lzma
from collections import Counter
from functools import cache

import pytest
from conftest import ROOT

from nldr.engine.planning.budget import Total
from nldr.engine.planning.plan import make_plan
from nldr.engine.reading.parsing import read_model
from nldr.engine.reading.specs import Config

MAX_SECONDS = 600  # CPU time: five minutes on two cores
N_CONFIRMED, N_PER_PAPER = 30, 5  # cells of the record that it computes again


@pytest.fixture(scope="module")
def plan():
    return make_plan(read_model(Config, ROOT, "config.yaml").model_dump(), ROOT)


def test_default_build_takes_a_few_minutes(plan):
    """By the costs that are shipped, so that the machine of the test does not matter."""
    jobs, seconds = [], {}
    for study in plan.selected:
        before = Total.of(jobs, 2).cpu_seconds
        jobs += plan.forecast.jobs(study, ())
        seconds[study] = round(Total.of(jobs, 2).cpu_seconds - before)
    dearest = Counter(seconds).most_common(5)
    assert sum(seconds.values()) <= MAX_SECONDS, f"the dearest studies: {dearest}"


def test_default_build_confirms_cells_of_each_paper(plan):
    claims = plan.claims.values()
    papers = {claim.paper for claim in claims if claim.headline and claim.quote}  # not ours
    cells = {paper: set() for paper in papers}
    for study in map(plan.studies.get, plan.selected):
        (paper,) = [paper for paper in papers if paper in study.study.source] or [None]
        assert paper is not None, f"{study.name} belongs to no paper"
        cells[paper] |= {
            (p.data, p.method) for p in study.pairs if p.method in recorded_methods(p.data)
        }
    counts = {paper: len(of_paper) for paper, of_paper in cells.items()}
    assert min(counts.values()) >= N_PER_PAPER, counts
    assert sum(counts.values()) >= N_CONFIRMED, counts


@cache
def recorded_methods(data):
    """Return the methods of which the record has scores on a dataset."""
    path = ROOT / f"results/archive/cells/{data}.json.xz"
    return [*json.loads(lzma.decompress(path.read_bytes()))["methods"]] if path.is_file() else []
