"""A tiny study by the engine itself, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from nldr.engine.files.layout import STATE, Outputs
from nldr.engine.planning.catalog import CATALOG, Catalog
from nldr.tables import read_csv
from nldr.testing.findings import NOT_CHECKED, CheckOutcome, failed, note, ok
from nldr.testing.samples import small_params

NAME = "nldr_test"
N_ROWS = 100
TRIALS = 2
SIGNATURES = STATE + "/signatures.json"
COPIED = ("Snakefile", "workflow/rules", "workflow/report", "profiles/default")


def small_study(
    catalog: Catalog, method: str | None, dataset: str | None, scorer: str | None, data: str
) -> dict[str, Any]:
    """Return a study of what is to be tested beside what comes with nldr.

    ``data`` is the dataset that is used where none is to be tested.
    """
    names = [dataset] if dataset else [data]
    if scorer:
        metrics = [name for name, (owner, _) in catalog.metrics.items() if owner == scorer]
        if dataset and not _has(catalog, dataset, catalog.scorers[scorer].needs):
            names = [data]
    else:
        metrics = ["trustworthiness_k7", "distance_spearman"]
    needs = catalog.methods[method].needs if method else None
    # A method that needs labels runs on a dataset that has them.
    if not all(_has(catalog, name, needs) for name in names):
        names = [data]
    return {
        "title": "A small study",
        "source": "ours",
        "datasets": [{name: small_params(catalog, name, N_ROWS)} for name in names],
        "methods": [method, "pca"] if method and method != "pca" else ["pca", "random"],
        "metrics": metrics,
        "trials": TRIALS,
        "figure": {"function": "nldr.figures.dots.dots"},
    }


def _has(catalog: Catalog, dataset: str, needs: str | None) -> bool:
    """Return whether a dataset has the latent or labels that something needs."""
    entry = catalog.datasets[dataset]
    return {None: True, "latent": entry.n_latent is not None, "labels": entry.labels}[needs]


def run_study(catalog: Catalog, study: dict[str, Any], seconds: float) -> CheckOutcome:
    """Build a study with the catalogs and code of a project, and say what came out.

    The whole run takes at most ``seconds`` on the clock.
    """
    root = catalog.layers.root
    with tempfile.TemporaryDirectory(prefix="nldr-test-") as temporary:
        folder = Path(temporary)
        _prepare(folder, catalog, study)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SNAKEMAKE_")}
        paths = [str(root / "src"), os.environ.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        target = Outputs("quick").table.format(study=NAME)
        command = [sys.executable, "-m", "snakemake", "--cores", "2", "--quiet", "--", target]
        begin = time.monotonic()
        try:
            ran = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=max(seconds, 1),
            )
        except subprocess.TimeoutExpired:
            return CheckOutcome(
                NOT_CHECKED,
                f"a small study by the engine: not finished in {seconds:.0f} s",
                "build a study: snakemake",
            )
        table = folder / target
        if ran.returncode or not table.is_file():
            # Snakemake ends a message with the place in the Snakefile.
            said = [line.strip() for line in (ran.stderr + ran.stdout).splitlines()]
            lines = [line for line in said if line and not line.startswith("File ")]
            message = lines[-1][:200] if lines else "no message"
            return failed(
                f"a small study by the engine: {message}",
                "build a study to see more: snakemake --cores 1",
            )
        return _judge(read_csv(table), study, time.monotonic() - begin)


def _prepare(folder: Path, catalog: Catalog, study: dict[str, Any]) -> None:
    """Fill the folder of the small study: it is a checkout without other studies."""
    layers = catalog.layers
    root, base = layers.root, layers.builtin or layers.root
    for name in COPIED:
        if (base / name).is_dir():
            shutil.copytree(base / name, folder / name)
        elif (base / name).is_file():
            shutil.copy(base / name, folder / name)
    # The entries of both catalogs in one file
    (folder / CATALOG).mkdir(parents=True)
    for kind in ("datasets", "methods", "metrics", "families", "wrappers"):
        files = layers.versions(f"{CATALOG}/{kind}.yaml")
        text = "\n".join((root / file).read_text(encoding="utf-8") for file in files)
        (folder / f"{CATALOG}/{kind}.yaml").write_text(text, encoding="utf-8")
    if (root / "src").is_dir():
        (folder / "src").symlink_to(root / "src")
    # What is known of functions and estimators saves importing them all.
    if (root / SIGNATURES).is_file():
        (folder / STATE).mkdir(parents=True)
        shutil.copy(root / SIGNATURES, folder / SIGNATURES)
    (folder / "workflow/studies").mkdir(parents=True)
    (folder / "workflow/published").mkdir()
    # Its configuration and the study alone
    config = {"studies": [NAME], "scale": "quick"}
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    text = yaml.safe_dump(study)
    (folder / f"workflow/studies/{NAME}.yaml").write_text(text, encoding="utf-8")


def _judge(rows: list[dict[str, str]], study: dict[str, Any], took: float) -> CheckOutcome:
    """Return what the table of the study says."""
    text = f"a small study by the engine: {len(rows)} embeddings in {took:.0f} s"
    # Failures first, then scores that are missing
    for row in rows:
        if row["status"] not in ("ok", "not_converged"):
            where = f"{row['method']} on {row['dataset']}, trial {row['trial']}"
            return failed(
                f"{text}; {where}: {row['status']}: {row['message'][:200]}",
                "if it fails only here, check whether the code uses files, global "
                "variables, or more memory than its limit",
            )
    empty = [metric for metric in study["metrics"] if not any(row[metric] for row in rows)]
    if empty:
        return note(
            f"{text}; {empty[0]} has no value", "check its function: it returns NaN or fails"
        )
    if any(row["status"] == "not_converged" for row in rows):
        return note(f"{text}, some did not converge", "raise the number of iterations")
    return ok(f"{text}, all with scores")
