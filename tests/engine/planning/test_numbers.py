"""Each published number is decided by one study and cell of the whole project, and only by them."""

import functools

import pytest
from conftest import ROOT, our_plan

from nldr.claims.jobs import NumberCells
from nldr.claims.published.join import PublishedNumbers
from nldr.claims.published.tally import read_numbers, read_verdicts
from nldr.claims.published.verdicts import NOT_RUN
from nldr.engine.files.layout import Record
from nldr.engine.planning.claims import printed_numbers
from nldr.engine.reading.claims import DECIDERS, Deciders
from nldr.engine.reading.parsing import PlanError
from nldr.tables import read_csv


@pytest.fixture(scope="module")
def plan():
    return our_plan("paper")


@pytest.fixture(scope="module")
def files(plan):
    return {printed.name: printed for printed in plan.printed_numbers}


@functools.cache
def planned(plan, name, cells=None):
    """Return the cells of a study that belong to each number; the best of a group is one cell."""
    study, job = plan.studies[name], plan.verdict_job(name)
    rows = []
    for cell in study.cells():
        if cells is not None and f"{cell.data_cell}/{cell.method_cell}" not in cells:
            continue
        group = study.group_of(cell.method)
        rows.append(
            {
                "dataset": cell.dataset,
                "data_cell": cell.data_cell,
                "method": group or cell.method,
                "method_cell": group or cell.method_cell,
                **{f"data.{key}": value for key, value in cell.data_params.items()},
                **{f"method.{key}": value for key, value in cell.method_params.items()},
            }
        )
    numbers = {}
    join = PublishedNumbers(job.published, ROOT / plan.published_files(name)[0])
    for number in join.numbers(rows):
        if number["data_cell"] and number["metric"] in job.metrics:
            key = f"{number['row']} {job.published.values[number['metric']][0]}"
            numbers.setdefault(key, set()).add(f"{number['data_cell']}/{number['method_cell']}")
    return numbers


def ambiguous(plan, deciders):
    """Return the numbers for which a study has several deciding cells, with these."""
    return [
        f"{decider.study}: {number}: {' and '.join(sorted(cells))}"
        for decider in deciders
        for number, cells in planned(plan, decider.study, frozenset(decider.cells)).items()
        if len(cells) > 1
    ]


def test_no_number_has_two_deciders(plan, files):
    # The order of the list decides between studies, so only cells of one study can clash.
    for printed in files.values():
        assert not ambiguous(plan, printed.deciders)
        assert len({decider.study for decider in printed.deciders}) == len(printed.deciders)
    hlle = files["mvu_released.csv"].deciders[1]
    whole = NumberCells(
        hlle.study, [f"{p.data}/{p.method}" for p in plan.studies[hlle.study].pairs]
    )
    assert "hlle@" in ambiguous(plan, [whole])[0]


def test_every_number_that_a_study_can_run_has_a_decider(plan, files):
    for name, study in plan.studies.items():
        spec = study.study.published
        if spec is None or spec.file not in files:
            continue
        decided = set[str]()
        for decider in files[spec.file].deciders:
            decided |= planned(plan, decider.study, frozenset(decider.cells)).keys()
        assert planned(plan, name).keys() <= decided, name


def test_every_number_that_the_record_has_run_has_a_decider_that_was_run(plan, files):
    record = {name: ROOT / Record().verdicts.format(study=name) for name in plan.studies}
    for printed in files.values():
        decided = set[str]()
        for decider in printed.deciders:
            decided |= read_verdicts(decider, record[decider.study]).keys()
        assert decided <= read_numbers(printed).keys()
        for name, study in plan.studies.items():
            spec = study.study.published
            if spec and spec.file == printed.name and record[name].is_file():
                rows = [row for row in read_csv(record[name]) if row["verdict"] != NOT_RUN]
                assert {row["number"] for row in rows} <= decided, name


def test_every_file_says_what_decides_it(plan, files):
    assert plan.catalog.layers.read(Deciders, DECIDERS).keys() == files.keys()


def test_columns_have_the_metrics_of_deciding_studies(files):
    # mvu_released_as_measured, which decides nothing, compares this column with another metric
    assert files["mvu_released.csv"].columns["one_nn_error"] == "nn_label_error"


def test_causes_are_about_numbers_that_there_are(files):
    causes = [cause for printed in files.values() for cause in printed.causes]
    assert causes
    for cause in causes:
        assert cause.impossible or (cause.variant and cause.variant.cells), cause.name
        assert cause.hypothesis.endswith("."), cause.name


@pytest.mark.parametrize(
    ("deciders", "message"),
    [
        ("{}", r"ikd_fig2.csv: ikd_fig2 and ikd_fig2_swap .*: name in .*deciders.yaml which"),
        (
            "ikd_fig2.csv: [{study: ikd_fig1}]",
            r"deciders.yaml: ikd_fig2.csv: study 'ikd_fig1' does not compare with this file: did",
        ),
    ],
)
def test_deciders_with_a_mistake_are_told(plan, tmp_path, monkeypatch, deciders, message):
    (tmp_path / "workflow/published").mkdir(parents=True)
    (tmp_path / "workflow/published/deciders.yaml").write_text(deciders)
    monkeypatch.setattr(plan.catalog, "layers", plan.catalog.layers._replace(root=tmp_path))
    studies = {name: plan.studies[name] for name in ("ikd_fig2", "ikd_fig2_swap")}
    with pytest.raises(PlanError, match=message):
        printed_numbers(studies, {}, plan.catalog)
