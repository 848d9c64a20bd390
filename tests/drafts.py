"""A study of a few cells, changed as a test needs it, and the plan of a project with it."""

import yaml
from conftest import SIGNATURES

from nldr.engine.planning.plan import Plan

STUDY = {
    "title": "a study",
    "source": "ours",
    "datasets": [{"gp": {"n_samples": 50, "n_features": [5, 10]}}, "digits"],
    "methods": ["pca", {"isomap": {"n_neighbors": [4, 8]}}, "oracle"],
    "metrics": ["trustworthiness_k3"],
    "trials": 3,
    "figure": {"function": "nldr.figures.curves.curves"},
}


def plan(root, study=None, **config):
    add_studies(root, mine=STUDY if study is None else study)
    return Plan(config, root, SIGNATURES)


def add_studies(root, **studies):
    for name, study in studies.items():
        (root / f"workflow/studies/{name}.yaml").write_text(yaml.safe_dump(study))


def changed(**changes):
    return {**STUDY, **changes}
