"""The project that a command works on: its config and its plan."""

from __future__ import annotations

import argparse
import os

from nldr.engine.planning.plan import Plan, make_plan
from nldr.engine.reading.parsing import PlanError, read_model
from nldr.engine.reading.specs import Config


def read_config(options: argparse.Namespace) -> Config:
    """Return the config of the project, at the scale that the command line names.

    Raises
    ------
    PlanError
        If there is no project, or its config has a mistake.
    """
    if not (options.root / "config.yaml").is_file():
        raise PlanError(
            f"{options.root.resolve()} is not a project, as it has no config.yaml: go to one, "
            "name one with --root, or create one: nldr new my-benchmark"
        )
    config = read_model(Config, options.root, "config.yaml")
    scale = getattr(options, "scale", None)
    return config.model_copy(update={"scale": scale}) if scale else config


def plan_of(options: argparse.Namespace) -> Plan:
    """Return the plan of the project."""
    return make_plan(read_config(options).model_dump(), options.root.resolve())


def enter(options: argparse.Namespace) -> Plan:
    """Make the project's folder the current one and return the plan."""
    plan = plan_of(options)
    os.chdir(options.root)
    return plan
