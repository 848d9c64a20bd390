"""Names of cells, their files and their seeds: the one place that knows the layout of results/.

A cell is a catalog name with the parameters that differ from the catalog's defaults, joined by @,
which has no special meaning to a shell or to Snakemake's cluster executors:
``gp@n_features=20`` is the dataset ``gp`` with 20 features. The files of its trials stand beside a
manifest for each number of trials that a study asks for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

RESULTS = "results"
RECORDS = RESULTS + "/.records.csv"
STATE = ".snakemake/nldr"
MAX_CELL = 120

DATA = RESULTS + "/data/{data}/trials-{trials}.json"
EMBEDDINGS = RESULTS + "/embeddings/{data}/{method}/trials-{trials}.json"
SCORES = RESULTS + "/scores/{data}/{method}/{scorers}/trials-{trials}.json"
SCORE_CACHE = "cache.jsonl"  # beside the folders of a cell's sets of scorers
LOG = RESULTS + "/logs/{stage}/{cell}.log"


class Outputs:
    """Files that a run at one scale ends in; what cells are made of is shared by all scales.

    Patterns have the name of a ``{study}`` or of a ``{figure}``. The manifests are ``tables``,
    ``decided`` (verdicts), ``drawn``, ``claimed`` and ``reported``.
    """

    def __init__(self, scale: str) -> None:
        self.folder = f"{RESULTS}/{scale}"
        self.table = self.folder + "/tables/{study}.csv"
        self.summary = self.folder + "/tables/{study}_summary.csv"
        self.failures = self.folder + "/tables/{study}_failures.csv"
        self.timings = self.folder + "/timings/{study}.csv"
        self.costs = self.folder + "/timings/{study}_summary.csv"
        self.tables = self.folder + "/tables/.{study}.json"
        self.verdicts = self.folder + "/tables/{study}_verdicts.csv"
        self.verdict_page = self.folder + "/tables/{study}_verdicts.md"
        self.decided = self.folder + "/tables/.{study}_verdicts.json"
        self.claims = self.folder + "/claims.csv"
        self.claim_page = self.folder + "/claims.md"
        self.claim_details = self.folder + "/claims.json"
        self.claimed = self.folder + "/.claims.json"
        self.figure = self.folder + "/figures/{figure}.pdf"
        self.picture = self.folder + "/figures/{figure}.png"
        self.drawing = self.folder + "/figures/{figure}.svg"
        self.drawn = self.folder + "/figures/.{figure}.json"
        self.report = self.folder + "/report.html"
        self.reported = self.folder + "/.report.json"


class Record(Outputs):
    """Files of the record, at full size, which has neither PDFs nor manifests."""

    def __init__(self) -> None:
        super().__init__("archive")
        study = self.folder + "/studies/{study}"
        self.table = study + "/table.csv.xz"
        self.summary = study + "/summary.csv.xz"
        self.failures = study + "/failures.csv.xz"
        self.timings = study + "/timings.csv.xz"
        self.costs = study + "/timings_summary.csv.xz"
        self.verdicts = study + "/verdicts.csv.xz"
        self.claim_details = self.folder + "/claims.json.xz"
        self.drawing = self.folder + "/figures/{figure}.svg.xz"
        self.points = self.folder + "/points/{data}/{method}.npz"


def trial_file(manifest: str | Path, trial: int) -> Path:
    """Return the file of one trial, which stands beside the manifest of its cell."""
    return Path(manifest).with_name(f"trial-{trial}.npz")


def scorers_name(scorings: Iterable[str]) -> str:
    """Return the name of a set of scorings, which is also the name of its folder."""
    name = "+".join(sorted(scorings)) or "none"
    if len(name) <= MAX_CELL:
        return name
    return f"sha={hashlib.sha256(name.encode()).hexdigest()[:16]}"


def cell_name(name: str, params: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """Return the name of a cell, which is also the name of its folder.

    Examples
    --------
    >>> cell_name("gp", {"n_features": 20, "noise": 0.05}, {"n_features": 100, "noise": 0.05})
    'gp@n_features=20'
    """
    # Parameters in alphabetical order, so that one cell has one name.
    differing = {k: v for k, v in sorted(params.items()) if k not in defaults or defaults[k] != v}
    cell = "@".join([name, *(f"{k}={_value_text(v)}" for k, v in differing.items())])
    if len(cell) <= MAX_CELL:
        return cell
    # A name too long for a file system is abbreviated by a hash.
    digest = hashlib.sha256(json.dumps(differing, sort_keys=True).encode()).hexdigest()
    return f"{name}@sha={digest[:16]}"


def _value_text(value: Any) -> str:
    """Return a value as JSON that is safe in a path; a plain word loses its quotes."""
    text = json.dumps(value, separators=(",", ":"))
    if isinstance(value, str):
        try:
            json.loads(value)
        except ValueError:
            text = value
    return quote(text, safe=".").replace("~", "~7E").replace("%", "~")


def seed(kind: str, name: str, trial: int) -> int:
    """Return 128 bits of entropy that depend on kind, catalog name and trial only.

    Parameters have no influence: the cells of one grid share their random numbers, and two studies
    that use the same cell get the same numbers.
    """
    # A hash makes seeds independent of the order in which cells are planned.
    return int.from_bytes(hashlib.sha256(f"{kind}/{name}/{trial}".encode()).digest()[:16], "big")
