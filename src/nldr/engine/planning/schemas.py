"""JSON schemas of all files that users write, for editors that complete and check YAML."""

from __future__ import annotations

import json

from pydantic import BaseModel

from nldr.engine.reading.claims import ClaimFile
from nldr.engine.reading.entries import (
    DatasetCatalog,
    FamilyCatalog,
    MethodCatalog,
    MetricCatalog,
    WrapperCatalog,
)
from nldr.engine.reading.numbers import Causes, Deciders
from nldr.engine.reading.references import References
from nldr.engine.reading.specs import Config, Study

SCHEMAS: dict[str, type[BaseModel]] = {
    "config": Config,
    "study": Study,
    "claims": ClaimFile,
    "datasets": DatasetCatalog,
    "methods": MethodCatalog,
    "families": FamilyCatalog,
    "metrics": MetricCatalog,
    "wrappers": WrapperCatalog,
    "references": References,
    "deciders": Deciders,
    "causes": Causes,
}


def schema_text(model: type[BaseModel]) -> str:
    """Return the JSON schema of a model as it stands in ``workflow/schemas``."""
    return json.dumps(model.model_json_schema(by_alias=True), indent=2) + "\n"
