# Every table and figure: `snakemake --cores 2`. One figure: `snakemake --cores 2 <study>`.
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

ROOT = Path(workflow.basedir)
sys.path.insert(0, str(ROOT / "src"))

from nldr.engine import layout, tuning
from nldr.engine.build import Build, Busy
from nldr.engine.plan import make_plan
from nldr.engine.reading import PlanError


configfile: "config.yaml"


try:
    plan = make_plan(config, ROOT)
except PlanError as error:
    raise WorkflowError(str(error)) from None
build = Build(plan)
build.find_outdated()
shown = workflow.output_settings
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


rule all:
    default_target: True
    input:
        lambda _: plan.all_files(build.selected(workflow.cores)),


include: "workflow/rules/data.smk"
include: "workflow/rules/embed.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/verdicts.smk"
include: "workflow/rules/figures.smk"


onstart:
    try:
        build.begin(workflow)
    except Busy as error:
        raise WorkflowError(str(error)) from None


onsuccess:
    build.end(True)


onerror:
    build.end(False)
