"""The study that decides which score compare uses has the methods and settings of compare."""

import yaml
from conftest import ROOT

from nldr.comparison.methods import catalog

STUDIES, CATALOG = ROOT / "workflow/studies", ROOT / "workflow/catalog/methods.yaml"


def test_study_has_the_methods_and_settings_of_compare():
    entries = yaml.safe_load(CATALOG.read_text(encoding="utf-8"))
    study = yaml.safe_load((STUDIES / "selection.yaml").read_text(encoding="utf-8"))
    chosen = []
    for choice in study["methods"]:
        ((name, params),) = choice.items() if isinstance(choice, dict) else [(choice, {})]
        entry = entries[name]
        # Estimators of nldr are imported from the package
        name = entry["class"].rpartition(".")[2]
        path = f"nldr.methods.{name}" if entry["class"].startswith("nldr.") else entry["class"]
        chosen.append((path, entry.get("params", {}) | params))
    defaults = {"eigen_solver": "auto", "min_dist": 0.1}
    for method, (path, params) in zip(catalog(1000).values(), chosen, strict=True):
        settings = {method.parameter: [*method.settings]} if method.parameter else {}
        assert path == method.path
        given = {key: value for key, value in params.items() if defaults.get(key) != value}
        assert given == {**method.fixed, **settings}
