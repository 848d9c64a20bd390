# Every table and figure: `snakemake --cores 2`. One figure: `snakemake --cores 2 <study>`.
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)
sys.path.insert(0, str(ROOT / "src"))

from nldr import cells, report
from nldr.models import PlanError
from nldr.plan import make_plan


configfile: "config.yaml"


try:
    plan = make_plan(config, ROOT)
except PlanError as error:
    raise WorkflowError(str(error)) from None


wildcard_constraints:
    data=r"[^/]+",
    method=r"[^/]+",
    scorer=r"[^/]+",
    study=r"[^/]+",
    trial=r"\d+",
    trials=r"\d+",


rule all:
    default_target: True
    input:
        [cells.FIGURE.format(study=study) for study in plan.selected],


include: "workflow/rules/data.smk"
include: "workflow/rules/embed.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"


onstart:
    try:
        report.hold_lock(Path(".snakemake/nldr/lock"))
    except report.Busy as error:
        raise WorkflowError(str(error)) from None
    needed, cached = report.split_jobs(workflow.dag)
    print(
        report.forecast(needed, cached, workflow.cores or 1, Path(cells.RECORDS)),
        file=sys.stderr,
    )


onsuccess:
    print(report.summarise(workflow.dag, True), file=sys.stderr)


onerror:
    print(report.summarise(workflow.dag, False), file=sys.stderr)
