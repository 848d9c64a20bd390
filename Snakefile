# Every table and figure: `snakemake --cores 2`. One figure: `snakemake --cores 2 <study>`.
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)
sys.path.insert(0, str(ROOT / "src"))

from nldr.engine import layout, progress
from nldr.engine.reading import PlanError
from nldr.engine.plan import make_plan


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
    figure=r"[^/]+",
    trial=r"\d+",
    trials=r"\d+",


rule all:
    default_target: True
    input:
        [file for study in plan.selected for file in plan.figure_files(study)],


include: "workflow/rules/data.smk"
include: "workflow/rules/embed.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"


onstart:
    try:
        progress.hold_lock(Path(".snakemake/nldr/lock"))
    except progress.Busy as error:
        raise WorkflowError(str(error)) from None
    needed, cached = progress.split_jobs(workflow.dag)
    print(
        progress.forecast(needed, cached, workflow.cores or 1, Path(layout.RECORDS)),
        file=sys.stderr,
    )


onsuccess:
    print(progress.describe_run(workflow.dag, plan, True), file=sys.stderr)


onerror:
    print(progress.describe_run(workflow.dag, plan, False), file=sys.stderr)
