# Every table and figure: `snakemake --cores 2`. One figure: `snakemake --cores 2 <study>`.
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

ROOT = Path(workflow.basedir)
sys.path.insert(0, str(ROOT / "src"))

from nldr.engine.planning import captions
from nldr.engine.files import layout
from nldr.engine.running import tuning
from nldr.engine.running.build import Build, Busy
from nldr.engine.running.progress import tell_mistakes
from nldr.engine.reading.checks import check_config
from nldr.engine.planning.claim_jobs import CLAIM
from nldr.engine.planning.plan import make_plan
from nldr.engine.reading.parsing import PlanError

if workflow.is_main_process:
    tuning.outlive_readers(logger)


configfile: "config.yaml"


report: "workflow/report/workflow.rst"


try:
    check_config(ROOT)
    plan = make_plan(config, ROOT)
except PlanError as error:
    raise WorkflowError(str(error)) from None
outputs = plan.outputs
build = Build(plan, lambda: workflow.dag_settings.targets, tells=workflow.is_main_process)
shown = workflow.output_settings
cores = workflow.resource_settings.cores  # None for `snakemake --report`
if workflow.is_main_process:
    tell_mistakes(plan, "will be")
if workflow.is_main_process and not shown.dryrun and not shown.verbose:
    tuning.silence(logger)
tuning.speed_up_scheduler()


wildcard_constraints:
    data=r"[^/]+",
    method=r"[^/]+",
    scorers=r"[^/]+",
    study="|".join(map(re.escape, plan.studies)) or "-",
    figure=r"[^/]+",
    trials=r"\d+",
    word=r"[\w-]+",


rule all:
    default_target: True
    input:
        lambda _: plan.all_files(build.selected(cores)),


include: "workflow/rules/data.smk"
include: "workflow/rules/embed.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/verdicts.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"


onstart:
    try:
        build.begin(workflow)
    except (Busy, PlanError) as error:
        raise WorkflowError(str(error)) from None


onsuccess:
    build.end(True)


onerror:
    build.end(False)
