"""The folders that catalogs, studies, claims and published numbers are read from.

A checkout holds all of them itself; a project (``builtin: true``) has what comes with nldr, too.
Files are named by their path from its folder, those that come with nldr by their whole path.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import RootModel

from nldr.engine.reading.checks import yaml_files
from nldr.engine.reading.parsing import read_model
from nldr.tables import read_csv

WRAPPERS = "workflow/catalog/wrappers.yaml"  # the catalog that a project need not have
E = TypeVar("E")


class Layers(NamedTuple):
    """The project's folder, and that of what comes with nldr if the project takes it."""

    root: Path
    builtin: Path | None = None

    def files(self, folder: str) -> list[str]:
        """Return the YAML files of a folder, those that come with nldr first."""
        shipped = yaml_files(self.builtin / folder) if self.builtin else []
        project = yaml_files(self.root / folder)
        return [*map(str, shipped), *(f"{folder}/{path.name}" for path in project)]

    def versions(self, file: str) -> list[str]:
        """Return a file as it comes with nldr, and as the project has it if it does.

        The file that a project cannot do without is named even if it is missing.
        """
        if self.builtin is None:
            return [file] if (self.root / file).is_file() or file != WRAPPERS else []
        return [str(self.builtin / file), *([file] if (self.root / file).is_file() else [])]

    def read(self, model: type[RootModel[dict[str, E]]], file: str) -> dict[str, E]:
        """Return the entries of a file, the project's in place of those that come with nldr."""
        entries: dict[str, E] = {}
        for path in self.versions(file):
            if (self.root / path).is_file():
                entries |= read_model(model, self.root, path).root
        return entries

    def find(self, file: str) -> Path:
        """Return the path of a file that the project has or, failing that, comes with nldr."""
        path = self.root / file
        return path if self.builtin is None or path.is_file() else self.builtin / file

    def rows(self, file: str) -> list[dict[str, str]]:
        """Return the rows of a CSV file; none if there is no such file."""
        path = self.find(file)
        return read_csv(path) if path.is_file() else []

    def owns(self, file: str) -> bool:
        """Return whether a file that :meth:`files` returned belongs to the project."""
        return not Path(file).is_absolute()
